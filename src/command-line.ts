// Runs one command line: plans it, runs the command, reports a failure, and returns the exit code. It reads nothing of the process.
import type { Surroundings } from './surroundings.ts';

/** What a command line needs before it is known whether a command runs at all. */
export interface CommandLineInput {
  readonly env: Surroundings['env'];
  readonly stdout: Surroundings['stdout'];
  readonly stderr: Surroundings['stderr'];
  /** Called once, and only if a command runs. */
  readonly surroundings: () => Promise<Surroundings>;
  /** Exit code for the signal that interrupted the command; undefined without a signal. */
  readonly signalExit: () => number | undefined;
  /** Milliseconds in which completion may read names. */
  readonly completionMs: number;
}

/** True if errors must be JSON. Decided before the command line is parsed. */
const wantsJson = (argv: readonly string[], env: CommandLineInput['env']): boolean => {
  const line = ` ${argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined).join(' ')} `;
  if (/ (--json|--ndjson|--jq(=\S*)?) /.test(line)) return true;
  const named = / (?:-o|--output)[ =]?(\S+) /.exec(line)?.[1] ?? env['ACTORCTL_OUTPUT'];
  return named === 'json' || named === 'ndjson';
};

const run = async (argv: readonly string[], input: CommandLineInput): Promise<number> => {
  if (argv[0] === '__complete') {
    const { complete } = await import('./completing.ts');
    input.stdout.write(await complete(argv.slice(1), input.completionMs, input.surroundings));
    return 0;
  }
  const { plan } = await import('./program.ts');
  const planned = await plan(argv);
  if (planned.kind === 'tell') {
    const isJson = planned.value !== undefined && wantsJson(argv, input.env);
    input[planned.to].write(isJson ? `${JSON.stringify(planned.value, null, 2)}\n` : planned.text);
    return planned.exit;
  }
  const { createContext } = await import('./wiring.ts');
  const context = await createContext(planned.globals, planned.list, await input.surroundings());
  return planned.run(context);
};

const fail = async (error: unknown, argv: readonly string[], input: CommandLineInput): Promise<number> => {
  const { env, stderr, signalExit } = input;
  const { asFailure, exitCodeOf, report } = await import('./report.ts');
  const { hasColor, paintFor } = await import('./ui/color.ts');
  const failure = asFailure(error);
  const json = wantsJson(argv, env);
  const paint = await paintFor(hasColor({ mode: 'auto', env, tty: stderr.isTTY === true, machine: json }));
  const debug = argv.includes('--debug') || Boolean(env['ACTORCTL_DEBUG']);
  stderr.write(report(failure, { json, debug, paint }));
  return failure.code === 'CANCELLED' ? (signalExit() ?? 130) : exitCodeOf(failure);
};

/** Runs a command line and returns its exit code; failures are written to stderr, never thrown. */
export const runCommandLine = async (argv: readonly string[], input: CommandLineInput): Promise<number> => {
  try {
    return await run(argv, input);
  } catch (error) {
    return fail(error, argv, input);
  }
};
