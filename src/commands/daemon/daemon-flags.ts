// Flags that start the daemon, and the daemon arguments they become.
import type { CommandContext } from '../../context.ts';
import { type ClockWish, otherClock } from '../../contract/virtual-clock.ts';
import { CliFailure, usage } from '../../failure.ts';
import {
  type LaunchFlags,
  launchArguments,
  notInForce,
  otherClockFailure,
  sameLaunch,
} from '../../local/daemon/launch.ts';
import { isLoopback } from '../../local/daemon/listen-address.ts';
import type { ManageStatus } from '../../local/daemon/manage.ts';
import { canonical, resolveStart, valueProblem } from '../../local/daemon/resolve-start.ts';
import {
  type StartKey,
  type StartOption,
  type StartRow,
  type startOptions,
  startRows,
  type TextKey,
} from '../../local/daemon/start-options.ts';
import { parseInstant } from '../../ui/format/time.ts';
import { flag, type Option, type Options, parsed, type ValuesOf } from '../framework/option.ts';

/**
 * The option for a row of the table. A switch with a negative form is true for `--legacy` and false for
 * `--no-legacy`.
 */
const optionOf = ({
  flag,
  value,
  summary = '',
  choices,
  ...row
}: StartOption): Option<string | boolean | undefined> => {
  if (value === undefined) {
    return {
      flags: `--${flag}`,
      description: summary,
      read: (given) => given.filter((each) => typeof each === 'boolean').at(-1),
    };
  }
  const read = (typed: string, name: string): string => {
    const problem = valueProblem(name, typed, row);
    if (problem !== undefined) throw usage(problem);
    return canonical(typed, row);
  };
  return parsed(`--${flag} ${value}`, summary, read, choices ?? (row.file === 'folder' ? 'folders' : undefined));
};

type FlagKey = { [K in StartKey]: (typeof startOptions)[K] extends { summary: string } ? K : never }[StartKey];
type StartFlags = { readonly [K in FlagKey]: Option<(K extends TextKey ? string : boolean) | undefined> };

const flagRows = startRows.filter(([, { summary }]) => summary !== undefined) as readonly (readonly [
  FlagKey,
  StartRow,
])[];

export const daemonOptions = Object.fromEntries(
  flagRows.flatMap(([key, row]) => [
    [key, optionOf(row)],
    ...(row.off === undefined
      ? []
      : [[row.off, flag(`--${row.off}`, 'switch this off, overriding the setting and the last start')]]),
  ]),
) as StartFlags;

/** The instant or the words of `--virtual-clock`; false for `--no-virtual-clock`. */
const virtualClock: Option<ClockWish | undefined> = {
  flags: '--virtual-clock [instant]',
  description: 'for a new instance: use a clock that stands still until it is moved',
  read: (given) => {
    const value = given.at(-1);
    if (value === undefined) return undefined;
    return typeof value === 'string' ? parseInstant(value) : value ? 'virtual' : 'machine';
  },
};

export const instanceOptions = {
  clock: virtualClock,
  machineClock: flag('--no-virtual-clock', 'refuse an instance with a virtual clock'),
} as const satisfies Options;

export const launchFlags = (options: ValuesOf<typeof daemonOptions>): LaunchFlags =>
  Object.fromEntries(flagRows.map(([key]) => [key, options[key]]));

/** Warns about the risks of an address that other machines can reach. @see docs/conformance/security.md R106 */
export const warnIfExposed = ({ output }: CommandContext, { launch, baseUrl, actorBaseUrl }: ManageStatus): void => {
  if (launch?.engine === 'swarm' && actorBaseUrl !== undefined) {
    output.warn(
      `the nodes of the swarm, and other machines of their network, can reach the daemon at ${actorBaseUrl} over plain HTTP. That address accepts only tokens of running executions`,
    );
  }
  if (launch === undefined || isLoopback(launch.bind)) return;
  output.warn(
    `other machines reach the daemon at ${baseUrl}, over plain HTTP: passwords, tokens, messages and logs cross the network unencrypted, and anyone who reads a token can act as its user. A safer way: listen on 127.0.0.1 and forward the port with ssh -L`,
  );
};

/** @throws CliFailure OTHER_CLOCK, or ALREADY_RUNNING naming the flags that are not in force */
export const refuseOtherFlags = (given: LaunchFlags, { pid, launch, dataDir, clock }: ManageStatus): void => {
  const why = otherClock(clock, given.clock);
  if (why !== undefined) throw otherClockFailure(why, clock !== undefined);
  if (launch === undefined) return;
  const missing = notInForce(given, launch);
  const flags = launchArguments(missing).join(' ');
  if (flags === '') return;
  const values = resolveStart(sameLaunch(launch, given), {});
  if (typeof values === 'string') throw usage(values, 'actorctl up --help');
  throw new CliFailure(
    'ALREADY_RUNNING',
    `the daemon (process ${pid}) runs already, and these flags are not in force: ${flags}`,
    {
      hint: missing.ephemeral
        ? 'actorctl up --ephemeral --port auto --instance OTHER'
        : `actorctl daemon restart ${flags}`,
      details: { pid, not_in_force: launchArguments(missing), port: launch.port, bind: launch.bind, data_dir: dataDir },
    },
  );
};
