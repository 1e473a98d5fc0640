// Result sockets that are open before a run needs one: a run would wait for the receiver, which is another process.

/** An open socket without a run. */
export interface SpareSocket {
  /** Its name for the receiver. */
  readonly name: string;
  readonly path: string;
}

export interface SpareSockets {
  /** Takes the socket with this mode and opens the next one. Returns undefined if none is open yet. */
  take(mode: number): SpareSocket | undefined;
  /** Forgets all sockets, because the receiver has ended. */
  forget(): void;
}

/**
 * Keeps at most one socket of each mode, from the first run on.
 * @param open opens a socket; resolves with false if that fails, or if the answer is late
 * @param discard deletes a socket whether it is open or not
 */
export const createSpareSockets = (
  pathOf: (name: string) => string,
  open: (name: string, place: { readonly path: string; readonly mode: number }) => Promise<boolean>,
  discard: (name: string, path: string) => void,
): SpareSockets => {
  const spares = new Map<number, SpareSocket & { isOpen: boolean }>();
  let count = 0;

  const prepare = async (mode: number): Promise<void> => {
    count += 1;
    const name = `spare-${count.toString(36)}`;
    const spare = { name, path: pathOf(name), isOpen: false };
    spares.set(mode, spare);
    spare.isOpen = await open(name, { path: spare.path, mode });
    if (spare.isOpen) return;
    discard(name, spare.path);
    if (spares.get(mode) === spare) spares.delete(mode);
  };

  return {
    take(mode) {
      const spare = spares.get(mode);
      if (spare !== undefined && !spare.isOpen) return undefined;
      void prepare(mode);
      return spare;
    },
    forget: () => spares.clear(),
  };
};
