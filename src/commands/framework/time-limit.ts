// The time limit of a whole command: `--timeout`.
import type { CommandContext } from '../../context.ts';
import { CliFailure, usage } from '../../failure.ts';
import { timeoutSignal } from '../../local/timeout-signal.ts';
import { formatDuration } from '../../ui/format/time.ts';
import { duration } from './option.ts';

/** `--timeout` of a streaming command. */
export const followTimeout = duration('--timeout <duration>', 'exit after this time, with exit code 8');

/** Refuses `--timeout` without the flag that makes the command wait. */
export const refuseLimitWithout = (flag: string, isGiven: boolean, timeout: number | undefined): void => {
  if (timeout !== undefined && !isGiven) throw usage(`--timeout can only be used with ${flag}`);
};

/**
 * Time limit for one part of a command whose total time is limited by `--timeout`: a month, in milliseconds, so
 * that it never applies.
 */
export const NO_LIMIT_MS = 2_000_000_000;

interface Limit {
  readonly timeout: number | undefined;
  /** Words for the message of the failure: what continues after the time limit. */
  readonly goesOn: string;
  /** The hint of the failure. */
  readonly hint?: string;
}

/**
 * Runs a command that is interrupted when the time of `--timeout` is over.
 * @param run returns undefined if the command streams until its signal aborts
 * @throws CliFailure WAIT_TIMEOUT
 */
export const withTimeout = async <T>(
  context: CommandContext,
  { timeout, goesOn, hint = 'raise or remove --timeout' }: Limit,
  run: (within: CommandContext) => Promise<T>,
): Promise<T> => {
  if (timeout === undefined) return run(context);
  const over = timeoutSignal(timeout);
  const within = await context.withSignal(AbortSignal.any([context.signal, over]));
  const isOver = (): boolean => over.aborted && !context.signal.aborted;
  const what = `the time of --timeout (${formatDuration(timeout)}) is over`;
  try {
    const result = await run(within);
    if (result !== undefined || !isOver()) return result;
  } catch (error) {
    if (!isOver() || !(error instanceof CliFailure) || error.code !== 'CANCELLED') throw error;
    // The message of the error may already say what continues.
    const message = error.message.replace(/interrupted$/, `${what}: ${goesOn}`).replace('interrupted', what);
    throw new CliFailure('WAIT_TIMEOUT', message, { hint, ...error.extras, cause: error });
  }
  throw new CliFailure('WAIT_TIMEOUT', `${what}: ${goesOn}`, { hint });
};
