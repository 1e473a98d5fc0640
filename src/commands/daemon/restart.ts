// `daemon restart`: stops the daemon and starts it again as it was started before.
import type { CommandContext } from '../../context.ts';
import { CliFailure, usage } from '../../failure.ts';
import { type Launch, type LaunchFlags, nextLaunch, sameLaunch } from '../../local/daemon/launch.ts';
import { isTaken, portFailure, portHolder } from '../../local/daemon/port-holder.ts';
import { resolveStart } from '../../local/daemon/resolve-start.ts';
import { type KeptKey, startRows } from '../../local/daemon/start-options.ts';
import { readGateway, readGivenIdentity } from '../../local/daemon/tls-files.ts';
import { command } from '../framework/command.ts';
import type { ValuesOf } from '../framework/option.ts';
import { NO_LIMIT_MS, withTimeout } from '../framework/time-limit.ts';
import { daemonOptions, launchFlags, warnIfExposed } from './daemon-flags.ts';
import { DEFAULT_GRACE_MS, stopDaemon, stopOptions } from './down.ts';
import { startAgain } from './start-again.ts';
import { DEFAULT_START_MS, locateStarted } from './until-started.ts';

/** Refuses invalid flags, and invalid files that they name, before the daemon is stopped. */
const refuseBadFlags = ({ settings, user }: CommandContext, flags: LaunchFlags, given: LaunchFlags): void => {
  if (flags.ephemeral && given.dataDir !== undefined) {
    throw usage('an ephemeral daemon cannot change to another data folder', 'actorctl down');
  }
  const values = resolveStart(nextLaunch(flags, { origins: settings.origins, env: user.env }, undefined), user.env);
  if (typeof values === 'string') throw usage(values, 'actorctl daemon restart --help');
  const { tlsCert: cert, tlsKey: key, legacyJwtPublicKey } = values;
  const identity = cert !== undefined && key !== undefined ? readGivenIdentity({ cert, key }, Date.now()) : undefined;
  const gateway = legacyJwtPublicKey === undefined ? undefined : readGateway(legacyJwtPublicKey);
  for (const found of [identity, gateway])
    if (found !== undefined && 'problem' in found) throw usage(found.problem, found.hint);
};

/**
 * Refuses a new port that another process uses, before the daemon is stopped. The daemon itself may already use the
 * port.
 */
const refuseTakenPort = async (
  { local }: CommandContext,
  { port, bind = '127.0.0.1' }: LaunchFlags,
  kept: Launch | undefined,
): Promise<void> => {
  const found = await (await local()).locate();
  if (found.state !== 'running' || port === undefined || port === 'auto' || port === String(kept?.port)) return;
  if (!(await isTaken(Number(port), bind))) return;
  if ((await portHolder(Number(port)))?.pid === found.status.pid) return;
  throw await portFailure(Number(port), 'actorctl daemon restart --port auto');
};

/** Refuses to restart a daemon that a service manager controls. */
export const refuseService = async (context: CommandContext): Promise<void> => {
  const found = await locateStarted(context);
  const service = 'status' in found ? found.status?.launch?.service : undefined;
  if (service === undefined) return;
  throw new CliFailure('ALREADY_RUNNING', `the daemon runs as the service ${service}, which restarts it`, {
    hint: service.endsWith('.service')
      ? `systemctl --user restart ${service}`
      : `launchctl kickstart -k gui/$(id -u)/${service}`,
  });
};

/**
 * The start options of the running daemon, else of the last daemon that was not ephemeral. @throws CliFailure
 * DAEMON_UNHEALTHY if it is starting
 */
export const launchToKeep = async (context: CommandContext): Promise<Launch | undefined> => {
  const found = await locateStarted(context);
  const status = 'status' in found ? found.status : undefined;
  return status?.launch ?? (await (await context.local()).lastLaunch());
};

/** Prints which settings have no effect, because the daemon keeps its start options. */
const noteSettings = ({ output, settings }: CommandContext, launch: Launch | undefined, given: LaunchFlags): void => {
  for (const [key, { flag, value, setting }] of startRows) {
    if (launch === undefined || setting === undefined || value === undefined || given[key] !== undefined) continue;
    const set = settings.origins[setting].value;
    const is = launch[key as KeptKey];
    if (set === null || set === 'auto' || is === undefined || String(set) === String(is)) continue;
    output.note(
      `the daemon keeps --${flag} ${is}. To use the ${flag} ${set} of the settings: actorctl daemon restart --${flag} ${set}`,
    );
  }
};

const restartOptions = { ...daemonOptions, ...stopOptions };

const restart = async (context: CommandContext, options: ValuesOf<typeof restartOptions>): Promise<number> => {
  const { output } = context;
  const given = launchFlags(options);
  const kept = await launchToKeep(context);
  const flags = kept === undefined ? given : sameLaunch(kept, given);
  refuseBadFlags(context, flags, given);
  await refuseService(context);
  await refuseTakenPort(context, flags, kept);
  const isLimited = options.timeout !== undefined;
  const { grace: graceMs = DEFAULT_GRACE_MS, haltExecutions } = options;
  const stopped = await stopDaemon(context, { graceMs, haltExecutions, keepData: true, isLimited });
  const before = { kept, ran: stopped !== undefined };
  const progress = await output.progress('Starting the daemon');
  try {
    const { status, dropped } = await startAgain(context, flags, isLimited ? NO_LIMIT_MS : DEFAULT_START_MS, before);
    warnIfExposed(context, status);
    if (status.legacy?.portNote !== undefined) output.note(status.legacy.portNote);
    noteSettings(context, status.launch, given);
    for (const line of dropped) output.note(line);
    const value = { restarted: true, pid: status.pid, base_url: status.baseUrl };
    output.result(`Restarted the daemon (process ${status.pid}) at ${status.baseUrl}`, value, status.instance);
  } finally {
    progress.stop();
  }
  return 0;
};

export const restartCommand = command({
  name: 'restart',
  summary: 'Restart the daemon as it was started',
  details:
    'The daemon keeps its port, address, data folder and engine. Flags replace them. If it cannot start with them, it starts as before.\nRunning executions get 30 seconds to end, or the time of --grace. An ephemeral daemon keeps its data.',
  options: restartOptions,
  run: async (context, _args, given) => {
    const limit = { timeout: given.timeout, goesOn: 'the daemon is not restarted', hint: 'actorctl status' };
    return withTimeout(context, limit, (within) => restart(within, given));
  },
});
