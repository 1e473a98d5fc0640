// A result of an execution that the page has taken. Taking removes it from the service.

export interface Taken {
  readonly bytes: ArrayBuffer;
  /** Absent if the bytes are not UTF-8. */
  readonly text?: string;
}

/** Returns the result in a response. Undefined if the response is empty, because the execution has no result. */
export const takenOf = (bytes: ArrayBuffer): Taken | undefined => {
  if (bytes.byteLength === 0) return undefined;
  try {
    return { bytes, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { bytes };
  }
};
