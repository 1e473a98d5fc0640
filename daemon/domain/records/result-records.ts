// What the store keeps of the results of executions.
import { joinKey } from './record-key.ts';

/** Bytes that an execution handed out and that nobody has taken yet. */
export interface ResultRecord {
  readonly executionId: string;
  readonly actorId: string;
  /** Order within the instance. */
  readonly sequence: number;
  /** Bytes. */
  readonly size: number;
  /** The bytes themselves; empty when they stand in a file. */
  readonly base64: string;
  readonly bodyFile: string | null;
  readonly at: number;
}

/** What a result is found by. */
export const resultKey = ({ executionId, sequence }: Pick<ResultRecord, 'executionId' | 'sequence'>): string =>
  joinKey(executionId, String(sequence));
