// The process of the command line: signals, streams, error output and exit code. No other module sets these.
import { KEYCHAIN_ARGUMENT } from './local/credentials/helper-command.ts';
import { VERSION } from './local/version.ts';
import { lossyOutput } from './lossy-output.ts';
import type { PassedSignal } from './process-context.ts';
import { isSameOutput, standardStream, withLineStarts } from './standard-stream.ts';
import type { Sink } from './ui/sink.ts';

/**
 * Milliseconds in which a second signal counts as the same one: npm and shells forward a Ctrl-C that the process has
 * already received.
 */
const SAME_SIGNAL_MS = 1_000;

/** Time limit of completion in milliseconds from the start of the process, and the minimum time for reading names. */
const COMPLETION_MS = 280;
const COMPLETION_LEAST_MS = 200;

/**
 * Milliseconds that a command has for its clean-up after the reader of its output has closed the pipe. No clean-up
 * takes longer.
 */
const UNWIND_MS = 20_000;

const signalExits = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

const isTerminal = (descriptor: number): boolean => process.getBuiltinModule('node:tty').isatty(descriptor);

/**
 * The standard streams that are terminals. Determined only if a command runs, because help does not need
 * `node:tty`.
 */
let terminals: readonly number[] = [];

/**
 * Ends the process. Node aborts when it resets a closed terminal. In that case the process ends by SIGHUP instead,
 * which shells show as exit code 129.
 */
const endProcess = (exit: number | undefined): void => {
  if (!terminals.every(isTerminal)) {
    process.removeAllListeners('SIGHUP');
    process.kill(process.pid, 'SIGHUP');
  }
  process.exit(exit);
};

/** Aborts on the first signal and ends the process on the next. */
const listen = (controller: AbortController) => {
  let came: { readonly at: number; readonly exit: number } | undefined;
  let outputError: Error | undefined;
  let taken: ((name: PassedSignal) => void) | undefined;
  const cancel = (exit: number): void => {
    came ??= { at: performance.now(), exit };
    controller.abort();
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (taken !== undefined) taken(name);
      else {
        if (came && performance.now() - came.at > SAME_SIGNAL_MS) endProcess(came.exit);
        cancel(signalExits[name]);
      }
    });
  }
  const unwind = (exit: number): void => {
    cancel(exit);
    setTimeout(() => endProcess(came?.exit), UNWIND_MS).unref();
  };
  return {
    /** From now on, signals go to this function and do not cancel the command. */
    take: (take: (name: PassedSignal) => void): void => {
      taken = take;
    },
    /**
     * Cancels the command, because the reader of its output has closed the pipe. Ends the process if the command
     * does not end.
     */
    close: (): void => unwind(0),
    /** Cancels the command, because its output cannot be written. */
    fail: (error: Error): void => {
      outputError = error;
      unwind(1);
    },
    /** Exit code for the received signal; 0 if the reader has closed the pipe; undefined if neither has happened. */
    exit: (): number | undefined => came?.exit,
    /** The error if the output cannot be written. */
    outputError: (): Error | undefined => outputError,
  };
};

/** Resolves when all output is written, and after any error event. */
const flushed = (sink: Sink): Promise<void> =>
  new Promise((resolve) => void sink.write('', () => setImmediate(resolve)));

/** Runs the command line of this process and ends the process. */
export const main = async (argv: readonly string[]): Promise<void> => {
  if (argv[0] === KEYCHAIN_ARGUMENT) {
    lossyOutput(process.stdout);
    lossyOutput(process.stderr);
    const { runKeychainHelper } = await import('./local/credentials/keychain-helper.ts');
    return runKeychainHelper(process.stdin, process.stdout);
  }
  const controller = new AbortController();
  const interruption = listen(controller);
  const first = standardStream(1, () => process.stdout, {
    onClosed: interruption.close,
    onFailure: interruption.fail,
  });
  const second = standardStream(2, () => process.stderr, {
    // A failure to write progress or notes does not end a command without a terminal, because nobody reads them there.
    onClosed: (isTerminal) => {
      if (isTerminal) interruption.close();
    },
    onFailure: () => undefined,
  });
  const { stdout, stderr } = withLineStarts(first, second, isSameOutput);
  const { runCommandLine } = await import('./command-line.ts');
  const exit = await runCommandLine(argv, {
    env: process.env,
    stdout,
    stderr,
    processContext: async () => {
      terminals = [0, 1, 2].filter(isTerminal);
      const { processContext } = await import('./process-context.ts');
      let isWatched = false;
      const watched = Object.assign(stdout, {
        watchReader: (): void => {
          if (isWatched) return;
          isWatched = true;
          void import('./ui/watched-pipe.ts').then(({ watchReader }) => watchReader(1, interruption.close));
        },
      });
      return processContext({
        stdout: watched,
        stderr,
        signal: controller.signal,
        takeSignals: interruption.take,
        version: VERSION,
      });
    },
    signalExit: interruption.exit,
    outputError: async () => {
      await flushed(stdout);
      return interruption.outputError();
    },
    completionMs: () => Math.max(COMPLETION_LEAST_MS, COMPLETION_MS - Math.round(process.uptime() * 1000)),
  });
  await flushed(stdout);
  await flushed(stderr);
  // Idle keep-alive sockets must not keep the process running. If the reader has closed the pipe, the exit code is 0.
  endProcess(interruption.exit() === 0 ? 0 : exit);
};
