// How an actor goes from submitted to ready and on: the steps as a table.
import type { ActorRecord } from '../records/actor-records.ts';

export type ActorStatus = ActorRecord['status'];

/**
 * - `prepared`: its image is there and it has a worker
 * - `unprepared`: its image is gone and must be had anew
 * - `fail`: its image cannot be had, or its container could not be started six times in a row
 * - `revise`: an update that makes it try again
 * - `retire`: it is being deleted
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

/** The status after a step; null when the step is illegal. @see wire.md "Actors" */
export const nextActorStatus = (status: ActorStatus, step: ActorStep): ActorStatus | null =>
  table[status][step] ?? null;

/** Failed starts in a row after which an actor is in ERROR. @see wire.md "Actors" */
export const START_FAILURE_LIMIT = 6;

/** What one more failed start makes of an actor; null when its status leaves no room for it. `words` are the engine's own. */
export const startFailed = (actor: ActorRecord, words: string, retryDelayMs: number): ActorRecord | null => {
  const startFailures = actor.startFailures + 1;
  const last = startFailures >= START_FAILURE_LIMIT;
  const status = last ? nextActorStatus(actor.status, 'fail') : actor.status;
  if (status === null || actor.status === 'ERROR' || actor.status === 'SHUTTING_DOWN') return null;
  const statusMessage = last
    ? `A container could not be started ${START_FAILURE_LIMIT} times in a row: ${words}. Its messages wait; update the actor to try again.`
    : `A container could not be started (${startFailures} of ${START_FAILURE_LIMIT}; the next try follows in ${retryDelayMs / 1000} s): ${words}`;
  return { ...actor, status, startFailures, statusMessage };
};
