// The port of message bodies that are too large for a record: one durable file each.

/** Bodies of more bytes than this stand in a file, not in the message record. */
export const INLINE_BODY_LIMIT = 64 * 1024;

export interface Bodies {
  /** Writes the bytes durably (file and folder synced) under a new name and returns the name. @throws Failure STORE_UNAVAILABLE */
  put(bytes: Uint8Array): Promise<string>;
  /** Absolute path of a body. */
  path(name: string): string;
  read(name: string): Promise<Buffer>;
  /** Removes a body; unknown: nothing. */
  delete(name: string): Promise<void>;
  /** Removes every body that `used` does not name: what a crash left between the file and its record. */
  sweep(used: ReadonlySet<string>): Promise<void>;
}
