// `daemon install` and `daemon uninstall`: the daemon as a service of the user.
import { CliFailure } from '../../failure.ts';
import { launchArguments } from '../../local/daemon/launch.ts';
import { command } from '../kernel/command.ts';
import { dryRun, tellDryRun } from '../kernel/dry-run.ts';
import { flag } from '../kernel/option.ts';
import { daemonOptions, launchFlags } from './daemon-flags.ts';

/** `daemon install` */
export const installCommand = command({
  name: 'install',
  summary: 'Install the daemon as a service of the user',
  details:
    'Writes a unit of systemd, or an agent of launchd on macOS, that starts the daemon at login. The service keeps the variables of this shell that the daemon reads, and no secrets. A second call replaces flags and variables.',
  options: { ...daemonOptions, now: flag('--now', 'start the service now'), dryRun },
  examples: ['actorctl daemon install --now', 'actorctl daemon install --port 9000'],
  run: async ({ service, local, output }, _args, given) => {
    if (given.now) {
      const found = await local.locate();
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
      output.note(`the service manager does not answer, so it reads the service at your next login: ${failed}`);
    }
    if (given.now) await service.start();
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

/** `daemon uninstall` */
export const uninstallCommand = command({
  name: 'uninstall',
  summary: 'Stop and remove the service of the user',
  details: 'The data stay. Executions that run continue, and the next start takes them up again.',
  options: { dryRun },
  run: async ({ service, output }, _args, { dryRun }) => {
    const { name, file, installed } = await service.state();
    if (dryRun) {
      const lines = installed ? [`stop and remove the service ${name}`] : [];
      return tellDryRun({ output }, lines, { name, file, removed: installed }, name);
    }
    const removed = await service.uninstall();
    output.result(
      removed ? `Removed the service ${name}` : `The service ${name} was not installed`,
      { name, file, removed },
      name,
    );
    return 0;
  },
});
