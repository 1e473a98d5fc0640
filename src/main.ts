// The process of the command line: signals, streams, error output and exit code. No other module sets these.
import type { Writable } from 'node:stream';
import { VERSION } from './local/version.ts';

/**
 * Milliseconds in which a second signal counts as the same one: npm and shells forward a Ctrl-C that the process
 * already got.
 */
const SAME_SIGNAL_MS = 1_000;

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

/** If the reader has closed the pipe (`| head`), it needs no more output, so this is not an error. */
const quietPipe = (stream: Writable): void => {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
};

const flushed = (stream: Writable): Promise<void> => new Promise((resolve) => void stream.write('', () => resolve()));

/** True if errors must be JSON. Decided before the command line is parsed. */
const wantsJson = (argv: readonly string[], env: NodeJS.ProcessEnv): boolean => {
  const line = ` ${argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined).join(' ')} `;
  if (/ (--json|--ndjson|--jq(=\S*)?) /.test(line)) return true;
  const named = / (?:-o|--output)[ =]?(\S+) /.exec(line)?.[1] ?? env['ACTORCTL_OUTPUT'];
  return named === 'json' || named === 'ndjson';
};

const run = async (argv: readonly string[], signal: AbortSignal): Promise<number> => {
  const { plan } = await import('./program.ts');
  const planned = await plan(argv);
  if (planned.kind === 'tell') {
    process[planned.to].write(planned.text);
    return planned.exit;
  }
  const { createContext } = await import('./wiring.ts');
  const { surroundings } = await import('./surroundings.ts');
  const context = await createContext(planned.globals, planned.list, surroundings(signal, VERSION));
  return planned.run(context);
};

const fail = async (error: unknown, argv: readonly string[], signalExit: number | undefined): Promise<number> => {
  const { asFailure, exitCodeOf, report } = await import('./report.ts');
  const { hasColor, paintFor } = await import('./ui/color.ts');
  const failure = asFailure(error);
  const json = wantsJson(argv, process.env);
  const tty = process.stderr.isTTY === true;
  const paint = await paintFor(hasColor({ mode: 'auto', env: process.env, tty, machine: json }));
  const debug = argv.includes('--debug') || Boolean(process.env['ACTORCTL_DEBUG']);
  process.stderr.write(report(failure, { json, debug, paint }));
  return failure.code === 'CANCELLED' ? (signalExit ?? 130) : exitCodeOf(failure);
};

/** Runs the command line of this process and ends the process. */
export const main = async (argv: readonly string[]): Promise<void> => {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`${VERSION}\n`);
    return;
  }
  quietPipe(process.stdout);
  quietPipe(process.stderr);
  if (argv[0] === '__keychain') {
    const { runKeychainHelper } = await import('./local/credentials/keychain-helper.ts');
    return runKeychainHelper(process.stdin, process.stdout);
  }
  const controller = new AbortController();
  const signals = listen(controller);
  let exit: number;
  try {
    exit = await run(argv, controller.signal);
  } catch (error) {
    exit = await fail(error, argv, signals.exit());
  }
  await flushed(process.stdout);
  await flushed(process.stderr);
  // Idle keep-alive sockets must not keep the process running.
  process.exit(exit);
};
