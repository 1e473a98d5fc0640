// Flags that start the daemon, and the daemon arguments they become.
import path from 'node:path';
import type { CommandContext } from '../../context.ts';
import { type ClockWish, otherClock } from '../../contract/virtual-clock.ts';
import { CliFailure, usage } from '../../failure.ts';
import { wholeGateway } from '../../local/daemon/file-variables.ts';
import {
  DEFAULT_PORT,
  isLoopback,
  type LaunchFlags,
  launchArguments,
  notInForce,
  otherClockFailure,
} from '../../local/daemon/launch.ts';
import type { ManageStatus } from '../../local/daemon/management-client.ts';
import { parseInstant } from '../../ui/format/time.ts';
import { choice, flag, type Option, type Options, parsed, text, type ValuesOf } from '../framework/option.ts';

const port = (value: string, name: string): string => {
  if (value === 'auto' || (/^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= 65_535)) return value;
  throw usage(`${name} must be a port from 1 to 65535 or auto, not "${value}"`);
};

/** True for `--legacy`, false for `--no-legacy`. */
const legacy: Option<boolean | undefined> = {
  flags: '--legacy',
  description: 'also listen with https for programs of the hosted platform',
  read: (given) => {
    const value = given.at(-1);
    return typeof value === 'boolean' ? value : undefined;
  },
};

/** Flags of `up`, `daemon start`, `daemon restart`, `daemon run` and `daemon install`. */
export const daemonOptions = {
  port: parsed(
    '--port <n|auto>',
    `port to listen on (default: that of the last start, else ${DEFAULT_PORT}; auto: any free one)`,
    port,
  ),
  bind: text('--bind <address>', 'address to listen on (default 127.0.0.1)'),
  insecureBind: flag('--insecure-bind', 'allow an address that other machines can reach'),
  dataDir: text('--data-dir <folder>', 'data folder'),
  dockerHost: text('--docker-host <uri>', 'address of the container engine'),
  engine: choice('--engine <name>', 'what runs containers: docker (default), swarm', ['docker', 'swarm']),
  registry: text('--registry <host:port>', 'registry to push images to (swarm)'),
  advertiseUrl: text('--advertise-url <url>', 'URL at which nodes reach the daemon (swarm)'),
  legacy,
  noLegacy: flag('--no-legacy', 'do not, whatever a setting or the last start says'),
  legacyPort: parsed('--legacy-port <n|auto>', 'port of --legacy (default: 443, else 8443, else any free one)', port),
  tlsCert: text('--tls-cert <file>', 'certificate of --legacy (default: of a local authority)'),
  tlsKey: text('--tls-key <file>', 'key of the certificate of --legacy'),
  legacyJwtPublicKey: text('--legacy-jwt-public-key <file>', 'accept JWTs that this key signed: [TENANT=]FILE'),
} as const satisfies Options;

/** The instant or the words of `--virtual-clock`; false for `--no-virtual-clock`. */
const virtualClock: Option<ClockWish | undefined> = {
  flags: '--virtual-clock [instant]',
  description: 'new instance: a clock that stands still until it is moved',
  read: (given) => {
    const value = given.at(-1);
    if (value === undefined) return undefined;
    return typeof value === 'string' ? parseInstant(value) : value ? 'virtual' : 'machine';
  },
};

/** Flags of the starts that can make an instance. */
export const instanceOptions = {
  clock: virtualClock,
  machineClock: flag('--no-virtual-clock', 'refuse an instance with a virtual clock'),
} as const satisfies Options;

/** The flags of a start that were given. Relative folders are resolved against the working directory. */
export const launchFlags = (options: ValuesOf<typeof daemonOptions>): LaunchFlags => ({
  ...(options.port !== undefined && { port: options.port }),
  ...(options.bind !== undefined && { bind: options.bind }),
  ...(options.insecureBind && { insecureBind: true }),
  ...(options.dataDir !== undefined && { dataDir: path.resolve(options.dataDir) }),
  ...(options.dockerHost !== undefined && { dockerHost: options.dockerHost }),
  ...(options.engine !== undefined && { engine: options.engine }),
  ...(options.registry !== undefined && { registry: options.registry }),
  ...(options.advertiseUrl !== undefined && { advertiseUrl: options.advertiseUrl }),
  ...(options.legacy !== undefined && { legacy: options.legacy }),
  ...(options.legacyPort !== undefined && { legacyPort: options.legacyPort }),
  ...(options.tlsCert !== undefined && { tlsCert: path.resolve(options.tlsCert) }),
  ...(options.tlsKey !== undefined && { tlsKey: path.resolve(options.tlsKey) }),
  ...(options.legacyJwtPublicKey !== undefined && { legacyJwtPublicKey: wholeGateway(options.legacyJwtPublicKey) }),
});

/** Warns of what an address exposes that other machines reach. @see docs/security.md R106 */
export const warnIfExposed = ({ output }: CommandContext, { launch, baseUrl, actorBaseUrl }: ManageStatus): void => {
  if (launch?.engine === 'swarm' && actorBaseUrl !== undefined) {
    output.warn(
      `the nodes of the swarm, and other machines of their network, reach the daemon at ${actorBaseUrl} over plain HTTP. Only tokens of running executions are accepted there`,
    );
  }
  if (launch === undefined || isLoopback(launch.bind)) return;
  output.warn(
    `other machines reach the daemon at ${baseUrl}, over plain HTTP: passwords, tokens, messages and logs cross the network in the clear, and a reader of a token can act as its user. A safer way: listen on 127.0.0.1 and forward the port with ssh -L`,
  );
};

/**
 * Refuses flags that a running daemon was started without.
 * @throws CliFailure OTHER_CLOCK, or ALREADY_RUNNING naming the flags that are not in force
 */
export const refuseOtherFlags = (given: LaunchFlags, { pid, launch, dataDir, clock }: ManageStatus): void => {
  const why = otherClock(clock, given.clock);
  if (why !== undefined) throw otherClockFailure(why, clock !== undefined);
  if (launch === undefined) return;
  const missing = notInForce(given, launch);
  const flags = launchArguments(missing).join(' ');
  if (flags === '') return;
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
