// Runs one command line: parses it, runs the command, reports a failure, and returns the exit code. It does not
// access the process.
import type { TargetFlags } from './commands/framework/same-target.ts';
import { isOn } from './local/settings/is-on.ts';
import type { ProcessContext } from './process-context.ts';
import type { Output } from './ui/output.ts';

/** The inputs needed before it is known whether the command line runs a command at all. */
export interface CommandLineInput {
  readonly env: ProcessContext['env'];
  readonly stdout: ProcessContext['stdout'];
  readonly stderr: ProcessContext['stderr'];
  /** Called only if a command runs or fails. */
  readonly processContext: () => Promise<ProcessContext>;
  /**
   * Exit code for the signal that interrupted the command, or 0 if the reader of its output closed the pipe.
   * Undefined otherwise.
   */
  readonly signalExit: () => number | undefined;
  /** Waits until the output is written. Returns the error if it cannot be written. */
  readonly outputError?: () => Promise<Error | undefined>;
  /** Milliseconds in which completion may read names. */
  readonly completionMs: () => number;
}

/** The known facts about a command when it fails. */
interface Progress {
  /** Undefined until the command line was parsed. */
  target?: TargetFlags;
  /** Undefined until the settings were read. */
  output?: Pick<Output, 'machine' | 'errorPaint'>;
}

const run = async (argv: readonly string[], input: CommandLineInput, progress: Progress): Promise<number> => {
  if (argv[0] === '__complete') {
    const { complete } = await import('./completing.ts');
    input.stdout.write(await complete(argv.slice(1), input.completionMs(), input.processContext));
    return 0;
  }
  const { plan } = await import('./program.ts');
  const planned = await plan(argv);
  if (planned.kind === 'tell') {
    const isJson = planned.value !== undefined && (await import('./line-output.ts')).wantsJson(argv, input.env);
    input[planned.to].write(isJson ? `${JSON.stringify(planned.value, null, 2)}\n` : planned.text);
    return planned.exit;
  }
  progress.target = planned.globals;
  const { createContext } = await import('./wiring.ts');
  const context = await createContext(planned.globals, planned.list, await input.processContext());
  progress.output = context.output;
  return planned.run(context);
};

const fail = async (
  error: unknown,
  argv: readonly string[],
  input: CommandLineInput,
  { target, output }: Progress,
): Promise<number> => {
  const { env, stderr, signalExit } = input;
  // The command was cancelled because its output has no reader any more.
  if (signalExit() === 0) return 0;
  const lost = await input.outputError?.();
  const { asFailure, exitCodeOf, report, withLostOutput } = await import('./report.ts');
  const { sameTarget } = await import('./commands/framework/same-target.ts');
  const { entryOf } = await import('./commands/framework/catalog.ts');
  const { scanLine } = await import('./commands/framework/scan-line.ts');
  const failure = asFailure(lost === undefined ? error : withLostOutput(error, lost));
  const { outputOf } = await import('./line-output.ts');
  const { machine: json, errorPaint: paint } = output ?? (await outputOf(argv, input, () => input.processContext()));
  const debug = argv.includes('--debug') || isOn(env['ACTORCTL_DEBUG']);
  stderr.startLine?.();
  stderr.write(report(failure, { json, debug, paint, sameTarget: sameTarget(target ?? {}) }));
  if (failure.code === 'CANCELLED') return signalExit() ?? 130;
  return Math.max(exitCodeOf(failure), entryOf(scanLine(argv).plain[0])?.failureExit ?? 0);
};

/** Runs a command line and returns its exit code; failures are written to stderr, never thrown. */
export const runCommandLine = async (argv: readonly string[], input: CommandLineInput): Promise<number> => {
  const progress: Progress = {};
  try {
    const exit = await run(argv, input, progress);
    const lost = await input.outputError?.();
    return lost === undefined ? exit : fail(lost, argv, input, progress);
  } catch (error) {
    return fail(error, argv, input, progress);
  }
};
