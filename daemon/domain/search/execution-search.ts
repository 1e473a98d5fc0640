// The place at which a search of executions continues, and how much one request examines.
import { hasOutcome, readOutcome, statusOfOutcome } from '../../../src/contract/outcome.ts';
import { Failure } from '../failure.ts';
import type { ExecutionRecord } from '../records/actor-records.ts';

/**
 * What one request may examine, in bytes. A record and a log have a cost of their own, so that many short ones end a
 * request as well. The last log is read to its end, which the size limit of logs bounds.
 */
const MOST = 4 * 1024 * 1024;
const RECORD = 1_024;
const LOG = 4_096;

export const createAllowance = () => {
  let left = MOST;
  return {
    isUsedUp: (): boolean => left <= 0,
    examineRecord(): void {
      left -= RECORD;
    },
    openLog(): void {
      left -= LOG;
    },
    readLog(bytes: number): void {
      left -= bytes;
    },
  };
};

/**
 * The last examined execution. Its time says where the search continues if it was deleted. The sequence number stands
 * in no cursor, because it counts the changes of all tenants.
 */
interface Cursor {
  readonly at: number;
  readonly id: string;
}

const CURSOR = /^(\d{1,15})\.([A-Za-z0-9]{1,64})$/;

export const writeSearchCursor = ({ receivedAt, id }: Pick<ExecutionRecord, 'receivedAt' | 'id'>): string =>
  `${receivedAt}.${id}`;

/** @throws Failure VALIDATION */
export const readSearchCursor = (text: string): Cursor => {
  const [, at, id] = CURSOR.exec(text) ?? [];
  if (at === undefined || id === undefined)
    throw new Failure('VALIDATION', 'after must be the value of next in an earlier response. Leave it out to start.', {
      field: 'after',
    });
  return { at: Number(at), id };
};

interface Bounds {
  readonly isNewestFirst: boolean;
  /** Milliseconds since the epoch, both included. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly cursor?: Cursor | undefined;
  /** Sequence number of the execution of the cursor, if it still exists. */
  readonly cursorSequence?: number | undefined;
}

type Placed = Pick<ExecutionRecord, 'receivedAt' | 'sequence'>;

/**
 * Returns whether an execution lies before the first one of the search, in the order of their times. The search begins
 * there with `asc`, and right before that place with `desc`. If the execution of the cursor was deleted, those of the
 * same millisecond are examined again.
 */
export const isBeforeStart =
  ({ isNewestFirst, since, until, cursor, cursorSequence }: Bounds) =>
  ({ receivedAt, sequence }: Placed): boolean => {
    if (isNewestFirst) {
      if (until !== undefined && receivedAt > until) return false;
      if (cursorSequence !== undefined) return sequence < cursorSequence;
      return cursor === undefined || receivedAt <= cursor.at;
    }
    if (since !== undefined && receivedAt < since) return true;
    if (cursorSequence !== undefined) return sequence <= cursorSequence;
    return cursor !== undefined && receivedAt < cursor.at;
  };

export const isPastEnd =
  ({ isNewestFirst, since, until }: Bounds) =>
  ({ receivedAt }: Placed): boolean =>
    isNewestFirst ? since !== undefined && receivedAt < since : until !== undefined && receivedAt > until;

/** The statuses and the check of some outcomes. Undefined without outcomes. */
export const outcomeFilter = (words: readonly string[]) => {
  const wanted = words.flatMap((word) => readOutcome(word) ?? []);
  if (wanted.length === 0) return undefined;
  return {
    statuses: [...new Set(wanted.map(statusOfOutcome))],
    has: (execution: ExecutionRecord): boolean => wanted.some((each) => hasOutcome(execution, each)),
  };
};
