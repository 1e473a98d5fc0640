// Notes of a command about its connection to the service.

const seconds = (ms: number): number => Math.round(ms / 1_000);

export type ConnectionNotes = ReturnType<typeof createConnectionNotes>;

/**
 * Writes one note when the connection is lost and one when it is back. All streams and calls of a command share the
 * notes, so that each interruption is reported once.
 */
export const createConnectionNotes = (note: (line: string) => void) => {
  let isLost = false;
  return {
    /** @param reconnectMs milliseconds until the command fails */
    lost: (reconnectMs: number): void => {
      if (isLost) return;
      isLost = true;
      note(`-- connection lost, retrying${Number.isFinite(reconnectMs) ? ` for ${seconds(reconnectMs)} s` : ''} --`);
    },
    /** @param addition text at the end of the note */
    back: (goneMs: number, addition = ''): void => {
      if (!isLost) return;
      isLost = false;
      note(`-- reconnected after ${seconds(goneMs)} s${addition} --`);
    },
  };
};
