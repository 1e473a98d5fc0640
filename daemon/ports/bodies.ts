// Port of message bodies that are too large for a record: one durable file each.

/** Larger bodies (in bytes) are stored in a file instead of the message record. */
export const INLINE_BODY_LIMIT = 64 * 1024;

export interface StoredBody {
  readonly name: string;
  readonly size: number;
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly sha256: string;
}

/** A body that is being written piece by piece. A crash leaves a file that `sweep` removes. */
export interface BodyWriter {
  readonly name: string;
  /** Appends bytes. Only one call at a time. @throws Failure STORE_UNAVAILABLE */
  write(bytes: Uint8Array): Promise<void>;
  /** Makes the body durable (file and folder synced). Call it once. @throws Failure STORE_UNAVAILABLE */
  finish(): Promise<StoredBody>;
  /** Removes the body, even after `finish`. Never fails: the next start removes what remains. */
  discard(): Promise<void>;
}

export interface OpenBody {
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Ends the reading. Needed unless all pieces were read. */
  close(): void;
}

export interface Bodies {
  /** Creates an empty body. @throws Failure STORE_UNAVAILABLE */
  begin(): Promise<BodyWriter>;
  /** Stores the bytes durably and returns the new name of the body. @throws Failure STORE_UNAVAILABLE */
  put(bytes: Uint8Array): Promise<string>;
  /** Absolute path of a body. */
  path(name: string): string;
  read(name: string): Promise<Buffer>;
  /** Opens a body to be read piece by piece, even if it is deleted meanwhile. */
  open(name: string): Promise<OpenBody>;
  /** Removes a body; an unknown name is ignored. */
  delete(name: string): Promise<void>;
  /** Removes every body that is not in `used`: files whose record was never written because of a crash. */
  sweep(used: ReadonlySet<string>): Promise<void>;
}
