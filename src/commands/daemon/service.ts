// `daemon install` and `daemon uninstall`: the daemon as a service of the user.
import type { CommandContext } from '../../context.ts';
import { CliFailure } from '../../failure.ts';
import { launchArguments } from '../../local/daemon/launch.ts';
import { command } from '../framework/command.ts';
import { dryRun, tellDryRun } from '../framework/dry-run.ts';
import { flag } from '../framework/option.ts';
import { daemonOptions, launchFlags } from './daemon-flags.ts';
import { DEFAULT_START_MS } from './until-started.ts';

const POLL_MS = 50;

/** Waits until the daemon is ready. The service manager reports only that a process was started. */
const startService = async (context: CommandContext, name: string): Promise<void> => {
  const { output, now, sleep } = context;
  const service = await context.service();
  const local = await context.local();
  const progress = await output.progress(`Starting the service ${name}`);
  try {
    await service.start();
    const deadline = now() + DEFAULT_START_MS;
    const isReady = async (): Promise<boolean> => {
      const found = await local.locate();
      return found.state === 'running' && found.status.launch?.service === name;
    };
    while (!(await isReady())) {
      if (now() > deadline) {
        const what = `the service ${name} was started, but its daemon is not ready after ${DEFAULT_START_MS / 1000} s`;
        throw new CliFailure('DAEMON_UNHEALTHY', what, { hint: await service.logsCommand() });
      }
      await sleep(POLL_MS);
    }
  } finally {
    progress.stop();
  }
};

export const installCommand = command({
  name: 'install',
  summary: 'Install the daemon as a service of the user',
  details:
    'Writes a unit of systemd, or an agent of launchd on macOS, that starts the daemon at login. The service keeps the variables of this shell that the daemon reads, and no secrets. A second call replaces flags and variables.',
  options: { ...daemonOptions, now: flag('--now', 'start the service now'), dryRun },
  examples: ['actorctl daemon install --now', 'actorctl daemon install --port 9000'],
  run: async (context, _args, given) => {
    const { local, output } = context;
    const service = await context.service();
    if (given.now) {
      const found = await (await local()).locate();
      if (found.state === 'running') {
        const { pid } = found.status;
        throw new CliFailure('ALREADY_RUNNING', `a daemon (process ${pid}) runs already`, { hint: 'actorctl down' });
      }
    }
    if (given.dryRun) {
      const { name, file } = await service.state();
      const changed = await service.differs(launchArguments(launchFlags(given)));
      const lines = [
        ...(changed ? [`install the service ${name} in ${file}`] : []),
        ...(given.now ? [`start the service ${name}`] : []),
      ];
      const value = { name, file, installed: true, changed, started: given.now, variables: await service.kept() };
      return tellDryRun({ output }, lines, value, name);
    }
    const changed = await service.install(launchArguments(launchFlags(given)));
    const { name, file } = await service.state();
    const failed = await service.reload();
    if (failed !== undefined && !given.now) {
      output.note(`the service manager does not respond, so it will read the service at your next login: ${failed}`);
    }
    if (given.now) await startService(context, name);
    const said = changed ? `Installed the service ${name}` : `The service ${name} was installed already`;
    const value = { name, file, installed: true, changed, started: given.now, variables: await service.kept() };
    output.result(
      `${said}\n  File       ${file}\n  Variables  ${(await service.kept()).join(', ') || 'none'}`,
      value,
      name,
    );
    if (!given.now) output.next('log in again, or actorctl daemon install --now');
    return 0;
  },
});

export const uninstallCommand = command({
  name: 'uninstall',
  summary: 'Stop and remove the service of the user',
  details: 'The data stay. Running executions continue, and the next start resumes them.',
  options: { dryRun },
  run: async ({ output, ...context }, _args, { dryRun }) => {
    const service = await context.service();
    const { name, file, installed } = await service.state();
    if (dryRun) {
      const lines = installed ? [`stop and remove the service ${name}`] : [];
      return tellDryRun({ output }, lines, { name, file, removed: installed }, name);
    }
    const { removed, failed } = await service.uninstall();
    const found = await (await context.local()).locate();
    const status = 'status' in found ? found.status : undefined;
    const pid = status?.launch?.service === name ? status.pid : undefined;
    output.result(
      removed ? `Removed the service ${name}` : `The service ${name} was not installed`,
      { name, file, removed, pid: pid ?? null },
      name,
    );
    if (pid !== undefined) {
      const why = failed === undefined ? '' : `, because the service manager could not stop it: ${failed}`;
      output.warn(`the daemon of the service (process ${pid}) still runs${why}. To stop it: actorctl down`);
    }
    return 0;
  },
});
