// Summarizes the executions of the last hour: ends and failures per minute, and messages per actor.
import { ACTIVITY_MINUTES, ACTIVITY_PARTS } from '../../../src/contract/actors/activity.ts';
import type { ExecutionRecord } from '../records/actor-records.ts';

const MINUTE = 60_000;
const HOUR = ACTIVITY_MINUTES * MINUTE;
const PART = HOUR / ACTIVITY_PARTS;

type Ended = Pick<ExecutionRecord, 'status' | 'exitCode' | 'reason'>;

/** True for an execution that could not run, or whose exit code is not 0 and that no user halted. */
export const hasFailed = ({ status, exitCode, reason }: Ended): boolean =>
  status === 'ERROR' || (status === 'COMPLETE' && reason !== 'halted' && exitCode !== undefined && exitCode !== 0);

interface ActorHour {
  /** Number of received messages in each part of the hour. */
  readonly recent: number[];
  ended: number;
  failed: number;
}

export interface Hour {
  readonly minutes: readonly { readonly at: number; ended: number; failed: number }[];
  readonly actors: ReadonlyMap<string, ActorHour>;
  add(execution: ExecutionRecord): void;
  isBefore(time: number): boolean;
}

/** The hour ends with the current minute. */
export const hourUntil = (now: number): Hour => {
  const end = (Math.floor(now / MINUTE) + 1) * MINUTE;
  const begin = end - HOUR;
  const minutes = Array.from({ length: ACTIVITY_MINUTES }, (_, at) => ({
    at: begin + at * MINUTE,
    ended: 0,
    failed: 0,
  }));
  const actors = new Map<string, ActorHour>();
  const hourOf = (actorId: string): ActorHour => {
    const known = actors.get(actorId);
    if (known !== undefined) return known;
    const made = { recent: Array.from({ length: ACTIVITY_PARTS }, () => 0), ended: 0, failed: 0 };
    actors.set(actorId, made);
    return made;
  };
  return {
    minutes,
    actors,
    isBefore: (time) => time < begin,
    add: (execution) => {
      const { actorId, receivedAt, finishedAt } = execution;
      if (receivedAt >= begin) {
        const { recent } = hourOf(actorId);
        const part = Math.min(ACTIVITY_PARTS - 1, Math.floor((receivedAt - begin) / PART));
        recent[part] = (recent[part] ?? 0) + 1;
      }
      const minute = finishedAt === undefined ? undefined : minutes[Math.floor((finishedAt - begin) / MINUTE)];
      if (minute === undefined) return;
      for (const counts of [minute, hourOf(actorId)]) {
        counts.ended += 1;
        if (hasFailed(execution)) counts.failed += 1;
      }
    },
  };
};
