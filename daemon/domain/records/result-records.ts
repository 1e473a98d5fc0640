// Stored records of the results of executions.
import { joinKey } from './record-key.ts';

/** Bytes that an execution returned and that no client has read yet. */
export interface ResultRecord {
  readonly executionId: string;
  readonly actorId: string;
  /** Order within the instance. */
  readonly sequence: number;
  /** Bytes. */
  readonly size: number;
  /** The bytes in base64; empty when they are in a file. */
  readonly base64: string;
  readonly bodyFile: string | null;
  readonly at: number;
}

export const resultKey = ({ executionId, sequence }: Pick<ResultRecord, 'executionId' | 'sequence'>): string =>
  joinKey(executionId, String(sequence));
