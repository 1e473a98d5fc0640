// The status of an actor: the allowed transitions as a table, and the effect of a failed start.
import type { ActorRecord } from '../records/actor-records.ts';
import { isFolderImage } from './image-reference.ts';

export type ActorStatus = ActorRecord['status'];

/**
 * - `prepared`: the image is present and the actor has a worker
 * - `unprepared`: the image was removed and must be pulled again
 * - `fail`: the image cannot be pulled, the actor can never start, or six starts in a row failed
 * - `revise`: an update starts the actor again
 * - `retire`: the actor is being deleted
 */
export type ActorStep = 'prepared' | 'unprepared' | 'fail' | 'revise' | 'retire';

const table: Readonly<Record<ActorStatus, Partial<Readonly<Record<ActorStep, ActorStatus>>>>> = {
  SUBMITTED: { prepared: 'READY', fail: 'ERROR', revise: 'SUBMITTED', retire: 'SHUTTING_DOWN' },
  READY: {
    prepared: 'READY',
    unprepared: 'SUBMITTED',
    fail: 'ERROR',
    revise: 'SUBMITTED',
    retire: 'SHUTTING_DOWN',
  },
  ERROR: { revise: 'SUBMITTED', retire: 'SHUTTING_DOWN' },
  SHUTTING_DOWN: {},
};

/** The status after a transition. Null if the current status does not allow it. @see docs/http-api.md#actors */
export const nextActorStatus = (status: ActorStatus, step: ActorStep): ActorStatus | null =>
  table[status][step] ?? null;

/** Consecutive failed starts after which an actor enters ERROR. @see docs/http-api.md#actors */
export const START_FAILURE_LIMIT = 6;

const WAITING = 'Messages wait in the mailbox. Update the actor to try again.';

/**
 * The actor after a failed start. Null if the actor is in ERROR or is being deleted.
 * @param reason error message of the executor
 * @param retryDelayMs time until the next attempt. Undefined if no attempt can succeed
 */
export const startFailed = (
  actor: ActorRecord,
  reason: string,
  retryDelayMs: number | undefined,
): ActorRecord | null => {
  const startFailures = actor.startFailures + 1;
  const isLast = retryDelayMs === undefined || startFailures >= START_FAILURE_LIMIT;
  const status = isLast ? nextActorStatus(actor.status, 'fail') : actor.status;
  if (status === null || actor.status === 'ERROR' || actor.status === 'SHUTTING_DOWN') return null;
  const what = isFolderImage(actor.image) ? 'process' : 'container';
  const why = reason.replace(/\.$/, '');
  const statusMessage =
    retryDelayMs === undefined
      ? `The ${what} cannot start: ${why}. ${WAITING}`
      : isLast
        ? `The ${what} failed to start ${START_FAILURE_LIMIT} times in a row: ${why}. ${WAITING}`
        : `The ${what} failed to start (${startFailures} of ${START_FAILURE_LIMIT}; the next attempt follows in ${retryDelayMs / 1000} s): ${why}`;
  return { ...actor, status, startFailures, statusMessage };
};

export const waitsForRoom = (actor: ActorRecord, reason: string): ActorRecord | null =>
  actor.status === 'READY' ? { ...actor, statusMessage: reason } : null;
