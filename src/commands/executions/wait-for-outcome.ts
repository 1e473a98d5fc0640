// Outcomes of executions and actors, and polling until a state is reached.
import type { CommandContext } from '../../context.ts';
import { failureCodes } from '../../contract/failure-codes.ts';
import { formatDetail, formatStatus } from '../../contract/outcome.ts';
import { CliFailure } from '../../failure.ts';
import { formatDuration } from '../../ui/format/time.ts';
import { type Actor, between, type Execution } from '../framework/views.ts';

/** Default time limit for an execution, in milliseconds. @see docs/cli.md#waiting */
export const DEFAULT_WAIT_MS = 600_000;

/** The fields that determine the outcome. Rows of a list also contain them. */
export type Outcome = Pick<Execution, 'status' | 'exitCode' | 'reason'>;

/** True if the execution will not change any more. */
export const isFinal = ({ status }: Pick<Execution, 'status'>): boolean =>
  status !== 'SUBMITTED' && status !== 'RUNNING';

/** True if the execution ended in any way other than a normal exit with code 0. */
export const hasFailed = (outcome: Outcome): boolean =>
  isFinal(outcome) &&
  (outcome.status !== 'COMPLETE' ||
    (outcome.exitCode ?? 0) !== 0 ||
    (outcome.reason !== undefined && outcome.reason !== 'exited'));

/** How the exit code of the actor becomes the exit code of actorctl. */
export type ExitCodeRule = 'propagate' | 'standard';

/**
 * Returns the exit code for an ended execution: 0, 10 for a failure outside the actor, 11 for an actor that failed.
 * With `propagate` the exit code of the actor, if it has one.
 */
export const exitCodeOf = (outcome: Outcome, rule: ExitCodeRule = 'standard'): number => {
  if (!hasFailed(outcome)) return 0;
  if (outcome.status === 'ERROR') return failureCodes.ACTOR_ERROR.exit;
  const own = outcome.exitCode ?? 0;
  return rule === 'propagate' && own > 0 && own < 256 ? own : failureCodes.EXECUTION_FAILED.exit;
};

/** `complete`, `failed, exit 3`, `timed out  exit 137`, `error  no such image`: the words of the dashboard. */
export const formatOutcome = (outcome: Outcome & Pick<Execution, 'statusMessage'>): string =>
  [formatStatus(outcome), formatDetail(outcome)].filter((part) => part !== '').join('  ');

/** Formats the times of an ended execution: `0.8s  (queued 0.1s, cpu 0.3s)`. */
export const formatFigures = (execution: Execution): string => {
  const queued = between(execution.messageReceivedTime, execution.startTime);
  const ran = execution.runtimeMs ?? between(execution.startTime, execution.finishTime);
  const figures = [
    queued === undefined ? undefined : `queued ${formatDuration(queued)}`,
    execution.cpu === undefined ? undefined : `cpu ${formatDuration(execution.cpu / 1_000_000)}`,
  ].filter((figure) => figure !== undefined);
  const side = figures.length === 0 ? '' : `(${figures.join(', ')})`;
  return [ran === undefined ? '' : formatDuration(ran), side].filter((part) => part !== '').join('  ');
};

/** Shortest and longest pause between two polls, in milliseconds. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/** The deadline of a wait. */
export interface TimeLimit {
  /** The time limit as the user entered it, in milliseconds. */
  readonly timeoutMs: number;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

export const limitFrom = ({ now }: Pick<CommandContext, 'now'>, timeoutMs: number): TimeLimit => ({
  timeoutMs,
  until: now() + timeoutMs,
});

export interface WaitInput<T> {
  readonly read: () => Promise<T>;
  readonly settled: (state: T) => boolean;
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** Aborts when the state has probably changed, which ends the pause between two polls. */
  readonly hurry?: AbortSignal;
}

/** The last state that was read. `settled` is false if the time ran out. */
export interface Waited<T> {
  readonly state: T;
  readonly settled: boolean;
}

/** Waits until the time is over or `hurry` aborts. @throws CliFailure CANCELLED when `signal` aborts */
const pause = async (ms: number, signal: AbortSignal, hurry: AbortSignal | undefined): Promise<void> => {
  try {
    // A signal that has already aborted must not shorten later pauses, or the loop would poll without pause.
    const early = hurry === undefined || hurry.aborted ? [] : [hurry];
    const { setTimeout: pass } = process.getBuiltinModule('node:timers/promises');
    await pass(ms, undefined, { signal: AbortSignal.any([signal, ...early]) });
  } catch (error) {
    if (signal.aborted) throw new CliFailure('CANCELLED', 'interrupted', { cause: error });
    if (hurry?.aborted !== true) throw error;
  }
};

/** Polls until the state is settled or the time is over. Reads at least once, however short the time. */
export const waitUntil = async <T>(
  { signal, now }: Pick<CommandContext, 'signal' | 'now'>,
  { read, settled, until, hurry }: WaitInput<T>,
): Promise<Waited<T>> => {
  for (let ms = FIRST_PAUSE_MS; ; ms = Math.min(ms * 1.5, LONGEST_PAUSE_MS)) {
    const state = await read();
    if (settled(state)) return { state, settled: true };
    const left = until - now();
    if (left <= 0) return { state, settled: false };
    await pause(Math.min(ms, left), signal, hurry);
  }
};

/**
 * Returns a function that prints what holds up an execution, when it becomes known and when it changes. Without a
 * terminal, changed numbers, such as a place in the queue, are not printed again.
 */
export const createWaitNotes = ({ output }: Pick<CommandContext, 'output'>): ((state: Execution) => void) => {
  let told: string | undefined;
  return (state) => {
    const { id, statusMessage } = state;
    if (isFinal(state) || statusMessage === undefined) return;
    const kind = output.errorTty ? statusMessage : statusMessage.replaceAll(/\d+/g, 'N');
    if (kind === told) return;
    told = kind;
    output.note(`${id}  waiting: ${statusMessage}`);
  };
};

/** The error for an actor in ERROR: exit 10, with the message of the engine. */
export const actorInError = (actor: Pick<Actor, 'id' | 'name' | 'statusMessage'>): CliFailure =>
  new CliFailure(
    'ACTOR_ERROR',
    `actor ${actor.name || actor.id} is in ERROR: ${actor.statusMessage || 'no reason given'}`,
    {
      hint: `actorctl actors update ${actor.id} --force`,
      details: { actor_id: actor.id, status_message: actor.statusMessage },
    },
  );

/** The error for a wait that timed out: exit 8. The awaited work continues. */
export const gaveUp = (
  what: string,
  timeoutMs: number,
  hint: string,
  details: Readonly<Record<string, unknown>>,
): CliFailure =>
  new CliFailure('WAIT_TIMEOUT', `${what} after ${formatDuration(timeoutMs)} and continues`, { hint, details });
