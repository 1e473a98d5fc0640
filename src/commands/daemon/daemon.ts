// `daemon`: start, stop, restart, status, run and logs.
import { parseDuration } from '../../ui/format/time.ts';
import { command, type Leaf, named } from '../kernel/command.ts';
import { parsed } from '../kernel/option.ts';
import { daemonArguments, daemonOptions } from './daemon-flags.ts';
import { daemonLogOptions, showDaemonLogs } from './daemon-logs.ts';
import { runStop, stopDaemon, stopOptions } from './down.ts';
import { statusCommand } from './status.ts';
import { DEFAULT_START_MS, upCommand } from './up.ts';

const stop = command({
  name: 'stop',
  summary: 'Stop the daemon (same as `actorctl down`)',
  options: stopOptions,
  run: (context, _args, options) => runStop(context, options),
});

const restart = command({
  name: 'restart',
  summary: 'Restart the daemon',
  details: 'Running executions get 30 seconds to end, or the time of --timeout.',
  options: {
    ...daemonOptions,
    ...stopOptions,
    wait: parsed('--wait <duration>', 'time to become ready (default 30s)', (text) => parseDuration(text)),
  },
  run: async (context, _args, options) => {
    const { local, output } = context;
    await stopDaemon(context, { timeoutMs: options.timeout ?? 30_000, killActors: options.killActors });
    const progress = await output.progress('Starting the daemon');
    try {
      const { status } = await local.start(daemonArguments(options), options.wait ?? DEFAULT_START_MS);
      const value = { restarted: true, pid: status.pid, base_url: status.baseUrl };
      output.result(`Restarted the daemon (process ${status.pid}) at ${status.baseUrl}`, value, status.instance);
    } finally {
      progress.stop();
    }
    return 0;
  },
});

const run = command({
  name: 'run',
  summary: 'Run the daemon in the foreground and log to stderr',
  options: daemonOptions,
  run: ({ local }, _args, options) => local.runInForeground(daemonArguments(options)),
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
  restart,
  named({ name: 'status', summary: 'Show its state (same as `actorctl status`)' }, statusCommand),
  run,
  logs,
];
