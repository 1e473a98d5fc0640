// Port of message bodies that are too large for a record: one durable file each.

/** Larger bodies (in bytes) are stored in a file instead of the message record. */
export const INLINE_BODY_LIMIT = 64 * 1024;

export interface Bodies {
  /**
   * Writes the bytes durably (file and folder synced) and returns the new name of the body. @throws Failure
   * STORE_UNAVAILABLE
   */
  put(bytes: Uint8Array): Promise<string>;
  /** Absolute path of a body. */
  path(name: string): string;
  read(name: string): Promise<Buffer>;
  /** Removes a body; an unknown name is ignored. */
  delete(name: string): Promise<void>;
  /** Removes every body that is not in `used`: files whose record was never written because of a crash. */
  sweep(used: ReadonlySet<string>): Promise<void>;
}
