// What holds up an execution that has not ended: the disk, the engine, the actor, busy workers, earlier messages.
import type { ActorRecord, ExecutionRecord } from '../records/actor-records.ts';

/** What the scheduler knows about an execution that has not ended. */
export interface Standing {
  /** The error of an engine that lost its connection to the run. Undefined while the run is supervised. */
  readonly trouble: string | undefined;
  /** False until the engine of the actor has responded since the start of the daemon. */
  readonly isEngineKnown: boolean;
  /** True if a worker is about to run it. */
  readonly isStarting: boolean;
  /** Number of executions of the actor that run or start. */
  readonly running: number;
  /** Number of executions of the actor that may run at the same time. */
  readonly most: number;
  /** True if all actors together run as many executions as the instance allows. */
  readonly isFull: boolean;
  /** Number of waiting messages of the actor before this one, counted up to `AHEAD_LIMIT`. */
  readonly ahead: number;
}

/** Largest number of earlier messages that is counted. */
export const AHEAD_LIMIT = 100;

const earlier = (ahead: number): string => {
  if (ahead === 0) return '';
  if (ahead === 1) return '1 message waits before this one';
  return `${ahead < AHEAD_LIMIT ? ahead : `at least ${AHEAD_LIMIT}`} messages wait before this one`;
};

const queued = ({ running, most, isFull, ahead }: Standing): string | undefined => {
  const busy =
    running >= most
      ? `${most === 1 ? 'The worker' : `All ${most} workers`} of the actor ${most === 1 ? 'is' : 'are'} busy`
      : isFull
        ? 'The daemon runs as many executions as it may at the same time'
        : '';
  const text = [busy, earlier(ahead)].filter((part) => part !== '').join(', and ');
  return text === '' ? undefined : `${text}.`;
};

/**
 * Returns why an execution has not ended yet. Undefined for a final execution, and if nothing holds it up.
 * @param disk why the disk refuses writes, without a full stop
 */
export const waitReason = (
  { status, statusMessage }: Pick<ExecutionRecord, 'status' | 'statusMessage'>,
  actor: Pick<ActorRecord, 'status' | 'statusMessage'>,
  { disk, standing }: { readonly disk: string | undefined; readonly standing: Standing },
): string | undefined => {
  if (status !== 'SUBMITTED' && status !== 'RUNNING') return undefined;
  const waits = status === 'SUBMITTED';
  if (disk !== undefined) return `${disk}. ${waits ? 'The start' : 'Recording the end'} waits until it accepts writes.`;
  if (!waits) return statusMessage ?? standing.trouble;
  if (actor.status === 'ERROR') return `The actor is in ERROR: ${actor.statusMessage || 'no reason given'}`;
  if (statusMessage !== undefined) return statusMessage;
  if (actor.statusMessage !== '') return actor.statusMessage;
  if (actor.status === 'SUBMITTED') return 'The actor is not ready yet.';
  if (!standing.isEngineKnown) return 'The engine of the actor has not responded since the start of the daemon.';
  return standing.isStarting ? undefined : queued(standing);
};
