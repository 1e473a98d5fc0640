// `daemon`: start, stop, restart, status, run, logs, install and uninstall.
import { command, type Leaf, named } from '../kernel/command.ts';
import { dryRun } from '../kernel/dry-run.ts';
import { flag } from '../kernel/option.ts';
import { daemonOptions, launchFlags } from './daemon-flags.ts';
import { daemonLogOptions, showDaemonLogs } from './daemon-logs.ts';
import { runStop, stopOptions } from './down.ts';
import { restartCommand } from './restart.ts';
import { installCommand, uninstallCommand } from './service.ts';
import { statusCommand } from './status.ts';
import { upCommand } from './up.ts';

const stop = command({
  name: 'stop',
  summary: 'Stop the daemon (same as `actorctl down`)',
  options: { ...stopOptions, dryRun },
  run: (context, _args, options) => runStop(context, options),
});

const run = command({
  name: 'run',
  summary: 'Run the daemon in the foreground and log to stderr',
  options: { ...daemonOptions, logFile: flag('--log-file', 'log to the file that `daemon logs` shows, not to stderr') },
  run: ({ local }, _args, options) => local.runInForeground(launchFlags(options), { logToFile: options.logFile }),
});

const logs = command({
  name: 'logs',
  summary: 'Show the log of the daemon',
  options: daemonLogOptions,
  run: (context, _args, options) => showDaemonLogs(context, options),
});

/** `daemon` */
export const daemonCommands: readonly Leaf[] = [
  named({ name: 'start', summary: 'Start the daemon (same as `actorctl up`)' }, upCommand),
  stop,
  restartCommand,
  named({ name: 'status', summary: 'Show its state (same as `actorctl status`)' }, statusCommand),
  run,
  logs,
  installCommand,
  uninstallCommand,
];
