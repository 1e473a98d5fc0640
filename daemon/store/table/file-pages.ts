// Cache of recently read parts of the store's files. Records that are read one after another are often near each other,
// because they were written one after another.

/** Reads from a place of a file until the buffer is full or the file ends. Returns the number of bytes. */
type ReadInto = (file: number, buffer: Buffer, offset: number) => number;

/** Number of remembered places outside of cached pages. */
const REMEMBERED = 32;

interface Kept {
  readonly bytes: Buffer;
  readonly file: number;
  readonly number: number;
  /** Number of bytes of the page that were read. */
  filled: number;
}

const keyOf = (file: number, number: number): number => file * 2 ** 32 + number;

/**
 * Creates the pages of a reader. A page is read when a second place of it is wanted shortly after the first, or after a
 * place of the page before: one that is wanted alone costs less.
 * @param size bytes of a page
 * @param most pages that are kept
 */
export const createPages = (readInto: ReadInto, size: number, most: number) => {
  const pages: Kept[] = [];
  let replaced = -1;
  const wanted = new Float64Array(REMEMBERED);
  let remembered = 0;

  const kept = (file: number, number: number): Kept | undefined => {
    for (const page of pages) if (page.number === number && page.file === file) return page;
    return undefined;
  };

  const isWorthKeeping = (file: number, number: number): boolean => {
    const key = keyOf(file, number);
    if (wanted.includes(key) || wanted.includes(key - 1) || kept(file, number - 1) !== undefined) return true;
    wanted[remembered] = key;
    remembered = (remembered + 1) % REMEMBERED;
    return false;
  };

  /** An empty page, which replaces an older one if there are enough. */
  const newPage = (file: number, number: number): Kept => {
    replaced = (replaced + 1) % most;
    const bytes = pages[replaced]?.bytes ?? Buffer.allocUnsafeSlow(size);
    const page = { bytes, file, number, filled: 0 };
    pages[replaced] = page;
    return page;
  };

  const fill = (page: Kept): void => {
    page.filled = 0;
    try {
      page.filled = readInto(page.file, page.bytes, page.number * size);
    } catch {
      // The requested place may be readable even though another place of the page is not.
    }
  };

  return {
    /**
     * The bytes at a place, if their page is kept, or worth keeping. They are valid until the next call, and may be other
     * ones than what is written there: what was not written yet when the page was read, or by a write that failed.
     */
    bytes(file: number, offset: number, length: number): Buffer | undefined {
      const number = Math.floor(offset / size);
      const begin = offset - number * size;
      const end = begin + length;
      if (end > size) return undefined;
      let page = kept(file, number);
      if (page === undefined && !isWorthKeeping(file, number)) return undefined;
      page ??= newPage(file, number);
      if (page.filled < end) fill(page);
      return page.filled < end ? undefined : page.bytes.subarray(begin, end);
    },
    /** Drops the page of a place whose bytes were wrong. */
    forget(file: number, offset: number): void {
      const page = kept(file, Math.floor(offset / size));
      if (page !== undefined) page.filled = 0;
    },
  };
};
