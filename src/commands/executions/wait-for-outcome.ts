// What has become of an execution or an actor, and waiting until something has: one function over state, never over change.
import { setTimeout as pass } from 'node:timers/promises';
import type { CommandContext } from '../../context.ts';
import { failureCodes } from '../../contract/failure-codes.ts';
import { CliFailure } from '../../failure.ts';
import { wordDuration } from '../../ui/format/time.ts';
import { type Actor, between, type Execution } from '../kernel/views.ts';

/** Longest wait for an execution unless told otherwise, in milliseconds. @see cli.md 4.5 */
export const DEFAULT_WAIT_MS = 600_000;

/** The fields that tell how an execution stands; rows of a list have them too. */
export type Outcome = Pick<Execution, 'status' | 'exitCode' | 'reason'>;

/** Whether it will not change any more. */
export const isFinal = ({ status }: Pick<Execution, 'status'>): boolean =>
  status !== 'SUBMITTED' && status !== 'RUNNING';

/** Whether it ended, and not as the actor would have it end when all is well. */
export const hasFailed = (outcome: Outcome): boolean =>
  isFinal(outcome) &&
  (outcome.status !== 'COMPLETE' ||
    (outcome.exitCode ?? 0) !== 0 ||
    (outcome.reason !== undefined && outcome.reason !== 'exited'));

/** How the exit code of an actor becomes ours. */
export type ExitCodeRule = 'propagate' | 'standard';

/**
 * The exit code for an execution that has ended: 0, 10 for trouble that is not the actor's, 11 for an actor that failed;
 * with `propagate` the actor's own code where it has one.
 */
export const exitCodeOf = (outcome: Outcome, rule: ExitCodeRule = 'standard'): number => {
  if (!hasFailed(outcome)) return 0;
  if (outcome.status === 'ERROR') return failureCodes.ACTOR_ERROR.exit;
  const own = outcome.exitCode ?? 0;
  return rule === 'propagate' && own > 0 && own < 256 ? own : failureCodes.EXECUTION_FAILED.exit;
};

/** Words how an execution ended or stands: `COMPLETE  exit 3`, `COMPLETE  timed out (exit 137)`, `ERROR  no such image`. */
export const wordOutcome = ({
  status,
  exitCode,
  reason,
  statusMessage,
}: Outcome & Pick<Execution, 'statusMessage'>): string => {
  const code = exitCode === undefined ? '' : `exit ${exitCode}`;
  const end =
    reason === undefined || reason === 'exited'
      ? code
      : [reason.replaceAll('_', ' '), code && `(${code})`].filter((part) => part !== '').join(' ');
  return [status, end, status === 'COMPLETE' ? '' : (statusMessage ?? '')].filter((part) => part !== '').join('  ');
};

/** Words the figures of an execution that has ended: `0.8s  (queued 0.1s, cpu 0.3s)`. */
export const wordFigures = (execution: Execution): string => {
  const queued = between(execution.messageReceivedTime, execution.startTime);
  const ran = execution.runtimeMs ?? between(execution.startTime, execution.finishTime);
  const figures = [
    queued === undefined ? undefined : `queued ${wordDuration(queued)}`,
    execution.cpu === undefined ? undefined : `cpu ${wordDuration(execution.cpu / 1_000_000)}`,
  ].filter((figure) => figure !== undefined);
  const side = figures.length === 0 ? '' : `(${figures.join(', ')})`;
  return [ran === undefined ? '' : wordDuration(ran), side].filter((part) => part !== '').join('  ');
};

/** Shortest and longest pause between two looks, in milliseconds. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

export interface WaitInput<T> {
  /** Reads the state as it is now. */
  readonly read: () => Promise<T>;
  readonly settled: (state: T) => boolean;
  /** Milliseconds. */
  readonly timeoutMs: number;
  /** Fires when the state has probably changed: the pause between two looks ends. */
  readonly hurry?: AbortSignal;
}

/** The last state that was read; `settled` is false when the time was over first. */
export interface Waited<T> {
  readonly state: T;
  readonly settled: boolean;
}

/** Lets time pass until `hurry` fires. @throws CliFailure CANCELLED when `signal` fires */
const pause = async (ms: number, signal: AbortSignal, hurry: AbortSignal | undefined): Promise<void> => {
  try {
    // What hurried once shall not make the next pauses vanish: it would be a loop without any.
    const early = hurry === undefined || hurry.aborted ? [] : [hurry];
    await pass(ms, undefined, { signal: AbortSignal.any([signal, ...early]) });
  } catch (error) {
    if (signal.aborted) throw new CliFailure('CANCELLED', 'interrupted', { cause: error });
    if (hurry?.aborted !== true) throw error;
  }
};

/**
 * Looks until the state is settled or the time is over. What is settled already is answered at once, however short the time.
 * @throws CliFailure whatever `read` throws; CANCELLED
 */
export const waitUntil = async <T>(
  { signal, now }: Pick<CommandContext, 'signal' | 'now'>,
  { read, settled, timeoutMs, hurry }: WaitInput<T>,
): Promise<Waited<T>> => {
  const deadline = now() + timeoutMs;
  for (let ms = FIRST_PAUSE_MS; ; ms = Math.min(ms * 1.5, LONGEST_PAUSE_MS)) {
    const state = await read();
    if (settled(state)) return { state, settled: true };
    const left = deadline - now();
    if (left <= 0) return { state, settled: false };
    await pause(Math.min(ms, left), signal, hurry);
  }
};

/** The failure of an actor that cannot run: exit 10, with the words of the engine. */
export const actorInError = (actor: Actor): CliFailure =>
  new CliFailure(
    'ACTOR_ERROR',
    `actor ${actor.name || actor.id} is in ERROR: ${actor.statusMessage || 'no reason given'}`,
    {
      hint: `actorctl actors update ${actor.id} --force`,
      details: { actor_id: actor.id, status_message: actor.statusMessage },
    },
  );

/** The failure of a wait that was given up: exit 8; what was waited for goes on. */
export const gaveUp = (
  what: string,
  timeoutMs: number,
  hint: string,
  details: Readonly<Record<string, unknown>>,
): CliFailure =>
  new CliFailure('WAIT_TIMEOUT', `${what} after ${wordDuration(timeoutMs)}; it goes on`, { hint, details });
