// Cache of recently read parts of the store's files. Records that are read one after another are often near each other,
// because they were written one after another.

/** Reads from a place of a file until the buffer is full or the file ends. Returns the number of bytes. */
type ReadInto = (file: number, buffer: Buffer, offset: number) => number;

/** Number of pages outside of the cache that are remembered as requested. */
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
 * Creates the page cache of a reader. A page is read as a whole only if that page or the one before it was requested
 * recently, because reading a single record costs less.
 * @param size bytes of a page
 * @param most maximum number of cached pages
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

  /** Adds an empty page. It replaces an older page if the cache is full. */
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
     * The bytes at a place, if their page is cached or worth caching. They are valid until the next call. They may
     * differ from the content of the file: the page may have been read before these bytes were written, or after a
     * write that failed.
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
