// `daemon`: start, stop, restart, status, run, logs, install and uninstall.
import { command, type LeafEntry } from '../framework/command.ts';
import { dryRun } from '../framework/dry-run.ts';
import { flag } from '../framework/option.ts';
import { daemonOptions, instanceOptions, launchFlags } from './daemon-flags.ts';
import { daemonLogOptions, showDaemonLogs } from './daemon-logs.ts';
import { runStop, stopOptions } from './down.ts';
import { restartCommand } from './restart.ts';
import { installCommand, uninstallCommand } from './service.ts';

const stop = command({
  name: 'stop',
  summary: 'Stop the daemon (same as `actorctl down`)',
  options: { ...stopOptions, dryRun },
  run: (context, _args, options) => runStop(context, options),
});

const run = command({
  name: 'run',
  summary: 'Run the daemon in the foreground and log to stderr',
  options: {
    ...daemonOptions,
    ...instanceOptions,
    logFile: flag('--log-file', 'log to the file that `daemon logs` shows, not to stderr'),
  },
  run: async ({ local }, _args, options) => {
    const flags = { ...launchFlags(options), ...(options.clock !== undefined && { clock: options.clock }) };
    return (await local()).runInForeground(flags, { logToFile: options.logFile });
  },
});

const logs = command({
  name: 'logs',
  summary: 'Show the log of the daemon',
  options: daemonLogOptions,
  run: (context, _args, options) => showDaemonLogs(context, options),
});

export const daemonCommands: readonly LeafEntry[] = [
  {
    name: 'start',
    aliases: [],
    summary: 'Start the daemon (same as `actorctl up`)',
    load: async () => (await import('./up.ts')).upCommand,
  },
  stop,
  restartCommand,
  {
    name: 'status',
    aliases: [],
    summary: 'Show its state (same as `actorctl status`)',
    load: async () => (await import('./status.ts')).statusCommand,
  },
  run,
  logs,
  installCommand,
  uninstallCommand,
];
