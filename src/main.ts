// The command line as a process: signals, streams, the wording of errors, the exit code. Nothing else sets or says these.
import type { Writable } from 'node:stream';
import { VERSION } from './local/version.ts';

/** A second signal this soon is the same one: npm and shells pass Ctrl-C on to a process that had it already. */
const SAME_SIGNAL_MS = 1_000;

const signalExits = { SIGINT: 130, SIGTERM: 143 } as const;

/** Aborts on the first signal; ends the process on the next one. Answers which came. */
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

/** A reader that has gone away (`| head`) has got what it wanted. */
const quietPipe = (stream: Writable): void => {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
};

const flushed = (stream: Writable): Promise<void> => new Promise((resolve) => void stream.write('', () => resolve()));

/** Whether errors must be JSON, told before the line is understood. */
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

/** Runs the command line of this process and ends it. */
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
  // Sockets kept alive for a next request must not keep the process.
  process.exit(exit);
};
