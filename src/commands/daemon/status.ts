// `status`: shows whether the daemon runs, its engines and counts, and the login.
import type { CommandContext } from '../../context.ts';
import { failureCodes } from '../../contract/failure-codes.ts';
import { CliFailure } from '../../failure.ts';
import type { LeftBehind } from '../../local/daemon/left-behind.ts';
import { type DaemonState, formatCrash, formatElsewhere } from '../../local/daemon/locator.ts';
import type { ManageStatus } from '../../local/daemon/manage.ts';
import { formatBroken, type ServiceState } from '../../local/daemon/service.ts';
import { leftInstances } from '../../local/daemon/starter.ts';
import { formatDuration } from '../../ui/format/time.ts';
import { plural } from '../../ui/text.ts';
import { action } from '../framework/command.ts';
import { clockValue, formatClock, interruptedAdvance } from './clock-words.ts';

const NO_DAEMON = {
  pid: null,
  uptime_ms: null,
  actor_base_url: null,
  legacy_base_url: null,
  data_dir: null,
  schema_version: null,
  clock_ahead_ms: 0,
} as const;

const daemonValue = (found: DaemonState, instance: string) => {
  const status = 'status' in found ? found.status : undefined;
  return {
    state: found.state,
    instance,
    pid: status?.pid ?? ('pid' in found ? (found.pid ?? null) : null),
    version: status?.version ?? null,
    uptime_ms: status?.uptimeMs ?? null,
    base_url: status?.baseUrl ?? null,
    auth_url: status?.authUrl ?? null,
    actor_base_url: status?.actorBaseUrl ?? null,
    legacy_base_url: status?.legacy?.baseUrl ?? null,
    data_dir: status?.dataDir ?? null,
    schema_version: status?.schemaVersion ?? null,
    clock_ahead_ms: status?.clockAheadMs ?? 0,
  };
};

const NOTHING_LOCAL = { clock: null, engines: [], nodes: [], store: null, counts: null, service: null } as const;

const leftProblem = (left: LeftBehind | undefined): readonly string[] => {
  const count = left?.executions.length ?? 0;
  if (count === 0) return [];
  return [
    `${plural(count, 'execution')} of the stopped daemon ${count === 1 ? 'runs' : 'run'} on. To end them: actorctl down --halt-executions`,
  ];
};

const problemsOf = (found: DaemonState): readonly string[] => {
  if (found.state === 'unhealthy') return [found.reason];
  if (found.state === 'crashed') return [formatCrash(found)];
  if (found.state === 'stopped' && found.elsewhere !== undefined) return [formatElsewhere(found.elsewhere)];
  if (found.state !== 'running') return [];
  const { store, engines, clock } = found.status;
  const interrupted = clock && interruptedAdvance(clock);
  return [
    ...(interrupted === undefined ? [] : [interrupted]),
    ...(store.writable ? [] : [`the store refuses writes: ${store.reason ?? 'no reason given'}`]),
    ...engines
      .filter(({ available }) => !available)
      .map(({ name, detail }) => `${name} is not available: ${detail ?? 'no reason given'}`),
  ];
};

const formatNode = ({ name, detail, executions }: NonNullable<ManageStatus['nodes']>[number]): string =>
  `node      ${name}  ${detail}  ${executions} running`;

const countsOf = ({ counts }: ManageStatus): readonly string[] => {
  const actors = Object.entries(counts.actors)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state.toLowerCase()}`)
    .join(', ');
  const { running, queued, total } = counts.executions;
  return [
    `actors    ${actors || 'none'}`,
    `workers   ${counts.workers}`,
    `work      ${running} running, ${queued} queued, ${total} in total`,
  ];
};

const engineLines = ({ name, available, detail, endpoint, limitations = [] }: ManageStatus['engines'][number]) => [
  [`${name.padEnd(10)}${available ? 'ok' : 'not available'}`, detail, endpoint].filter(Boolean).join('  '),
  ...limitations.map((text) => `          note: ${text}`),
];

const stateLine = (found: DaemonState): string => {
  if (found.state === 'running') {
    const { pid, uptimeMs, version, baseUrl } = found.status;
    return `daemon    running  pid ${pid}  up ${formatDuration(uptimeMs)}  v${version}  ${baseUrl}`;
  }
  if (found.state === 'stopping') return `daemon    stopping  pid ${found.status.pid}`;
  const what = {
    stopped: 'stopped',
    starting: 'starting',
    crashed: 'crashed (its stale files were removed)',
    unhealthy: 'unhealthy',
  }[found.state];
  return `daemon    ${what}`;
};

/** Describes the current login. An unreadable credential is shown as a problem, not as an error of the command. */
const you = async ({ session, serviceClock }: CommandContext) => {
  try {
    const identity = await session.identity();
    if (!identity) return { line: 'you       not logged in', value: null };
    const left =
      identity.expiresAt === null
        ? ''
        : `, token expires in ${formatDuration(Math.max(0, identity.expiresAt - (await serviceClock.ask())))}`;
    return {
      line: `you       ${identity.username ?? 'unknown user'} via ${identity.source}${left}`,
      value: { user: identity.username, token_source: identity.source, refreshable: identity.refreshable },
    };
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    return { line: `you       ${error.message}`, value: null };
  }
};

const formatAhead = (ms: number): string =>
  `records are ${formatDuration(ms)} ahead of this machine, whose clock was set back; schedules follow the machine`;

const serviceProblem = ({ name, broken }: ServiceState): readonly string[] =>
  broken === null ? [] : [`${formatBroken(name, broken)}. To install it again: ${broken.fix}`];

const serviceLine = ({ installed, enabled, file }: ServiceState): string =>
  `service   ${installed ? `installed, ${enabled ? 'starts at login' : 'not enabled'}  ${file}` : 'not installed'}`;

/** Shows a service other than the local daemon: only what it tells everyone. */
const elsewhere = async (context: CommandContext, baseUrl: string): Promise<number> => {
  const { call, output, settings } = context;
  let problem: string | undefined;
  let version: string | null = null;
  try {
    ({ version } = await call('health.show'));
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code === 'CANCELLED') throw error;
    // A service of another kind has no such address.
    if (error.extras.httpStatus !== 404) problem = error.message;
  }
  const state = problem === undefined ? 'running' : 'unreachable';
  const who = await you(context);
  const daemon = {
    ...NO_DAEMON,
    state,
    instance: null,
    version,
    base_url: baseUrl,
    auth_url: settings.authUrl ?? baseUrl,
  };
  const lines = [
    [`service   ${state}`, ...(version === null ? [] : [`v${version}`]), baseUrl, `context ${settings.context}`].join(
      '  ',
    ),
    who.line,
    ...(problem === undefined ? [] : [`problem   ${problem}`]),
  ];
  const variables = { actorctl_base_url: daemon.base_url, actorctl_auth_url: daemon.auth_url };
  const problems = problem === undefined ? [] : [problem];
  const value = { ...NOTHING_LOCAL, daemon, auth: who.value, problems };
  output.report(lines.join('\n'), output.format === 'env' ? variables : value);
  output.next('actorctl status -c local');
  return problem === undefined ? 0 : failureCodes.DAEMON_NOT_RUNNING.exit;
};

export const statusCommand = action({
  operations: ['daemon.status', 'health.show'],
  run: async (context) => {
    const { local, output, settings } = context;
    if (settings.baseUrl !== undefined) return elsewhere(context, settings.baseUrl);
    const found = await (await local()).locate();
    const daemon = daemonValue(found, settings.instance);
    const status = found.state === 'running' || found.state === 'stopping' ? found.status : undefined;
    const who = await you(context);
    const service = await (await context.service()).state();
    const problems = [
      ...problemsOf(found),
      ...leftProblem(await (await local()).leftBehind()),
      ...leftInstances(context.paths).map(({ text, fix }) => `${text}. To end it: ${fix}`),
      ...serviceProblem(service),
    ].map(output.sameTarget);
    const lines = [
      stateLine(found),
      ...(status?.clock ? [`clock     ${formatClock(status.clock)}`] : []),
      ...(status?.clockAheadMs === undefined ? [] : [`clock     ${formatAhead(status.clockAheadMs)}`]),
      ...(status?.legacy ? [`legacy    ${status.legacy.baseUrl}`] : []),
      ...(status?.legacy?.portNote === undefined ? [] : [`          note: ${status.legacy.portNote}`]),
      ...(status?.engines.flatMap(engineLines) ?? []),
      ...(status?.nodes ?? []).map(formatNode),
      ...(status ? countsOf(status) : []),
      who.line,
      serviceLine(service),
      ...problems.map((problem) => `problem   ${problem}`),
    ];
    const variables = {
      actorctl_instance: settings.instance,
      actorctl_base_url: daemon.base_url,
      actorctl_auth_url: daemon.auth_url,
    };
    output.report(
      lines.join('\n'),
      output.format === 'env'
        ? variables
        : {
            daemon,
            clock: status?.clock ? clockValue(status.clock) : null,
            engines: status?.engines ?? [],
            nodes: status?.nodes ?? [],
            store: status?.store ?? null,
            counts: status?.counts ?? null,
            auth: who.value,
            service,
            problems,
          },
    );
    if (found.state === 'running') return 0;
    output.next('actorctl up');
    return failureCodes.DAEMON_NOT_RUNNING.exit;
  },
});
