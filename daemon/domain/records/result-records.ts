// Stored records of the results of executions.
import { joinKey } from './record-key.ts';

/** A result: bytes that an execution returned and that no client has read yet. */
export interface ResultRecord {
  readonly executionId: string;
  readonly actorId: string;
  /** Sequence number within the instance. */
  readonly sequence: number;
  /** Size in bytes. */
  readonly size: number;
  /** The bytes in base64. Empty if they are in a file. */
  readonly base64: string;
  readonly bodyFile: string | null;
  readonly at: number;
}

export const resultKey = ({ executionId, sequence }: Pick<ResultRecord, 'executionId' | 'sequence'>): string =>
  joinKey(executionId, String(sequence));
