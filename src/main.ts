// The process of the command line: signals, streams, error output and exit code. No other module sets these.
import type { Writable } from 'node:stream';
import { KEYCHAIN_ARGUMENT } from './local/credentials/helper-command.ts';
import { VERSION } from './local/version.ts';
import { quietPipe } from './quiet-pipe.ts';

/**
 * Milliseconds in which a second signal counts as the same one: npm and shells forward a Ctrl-C that the process
 * already got.
 */
const SAME_SIGNAL_MS = 1_000;

/** Milliseconds from the start of the process in which completion answers, and the least that it gets to read names. */
const COMPLETION_MS = 280;
const COMPLETION_LEAST_MS = 200;

const signalExits = { SIGINT: 130, SIGTERM: 143 } as const;

/** Aborts on the first signal and ends the process on the next. Returns which signal came. */
const listen = (controller: AbortController): { readonly exit: () => number | undefined } => {
  let came: { readonly at: number; readonly exit: number } | undefined;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (came && performance.now() - came.at > SAME_SIGNAL_MS) process.exit(came.exit);
      came ??= { at: performance.now(), exit: signalExits[name] };
      controller.abort();
    });
  }
  return { exit: () => came?.exit };
};

const flushed = (stream: Writable): Promise<void> => new Promise((resolve) => void stream.write('', () => resolve()));

/**
 * Runs the command line of this process and ends the process.
 * @param onEnd called before the end with the name of the command, or `help`
 */
export const main = async (argv: readonly string[], onEnd: (command: string) => void): Promise<void> => {
  quietPipe(process.stdout);
  quietPipe(process.stderr);
  if (argv[0] === KEYCHAIN_ARGUMENT) {
    const { runKeychainHelper } = await import('./local/credentials/keychain-helper.ts');
    return runKeychainHelper(process.stdin, process.stdout);
  }
  const controller = new AbortController();
  const signals = listen(controller);
  let command = 'help';
  const { runCommandLine } = await import('./command-line.ts');
  const exit = await runCommandLine(argv, {
    env: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
    surroundings: async () => (await import('./surroundings.ts')).surroundings(controller.signal, VERSION),
    signalExit: signals.exit,
    onCommand: (name) => {
      command = name;
    },
    completionMs: () => Math.max(COMPLETION_LEAST_MS, COMPLETION_MS - Math.round(process.uptime() * 1000)),
  });
  await flushed(process.stdout);
  await flushed(process.stderr);
  onEnd(command);
  // Idle keep-alive sockets must not keep the process running.
  process.exit(exit);
};
