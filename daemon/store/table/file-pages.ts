// Parts of the files of the store that were read lately: the records that are read after each other are often near each
// other, because they were written after each other.

export interface FilePages {
  /**
   * The bytes at a place, if their page is kept, or worth keeping. They are valid until the next call, and may be other
   * ones than what is written there: what was not written yet when the page was read, or by a write that failed.
   */
  bytes(file: number, offset: number, length: number): Buffer | undefined;
  /** Drops the page of a place whose bytes were other ones. */
  forget(file: number, offset: number): void;
}

/** Fills a buffer from a place of a file, as far as the file has bytes. Returns the number of bytes. */
export type ReadInto = (file: number, buffer: Buffer, offset: number) => number;

/** Bytes of a page. */
const PAGE = 32 * 1024;
/** Places outside of kept pages that are remembered. */
const REMEMBERED = 32;

interface Kept {
  readonly bytes: Buffer;
  file: number;
  number: number;
  filled: number;
}

/** One number for a page of a file. */
const keyOf = (file: number, number: number): number => file * 2 ** 32 + number;

/**
 * Creates the pages of a reader. A page is read when a second place of it is wanted shortly after the first, or after a
 * place of the page before: one that is wanted alone costs less.
 * @param most pages that are kept
 */
export const createPages = (readInto: ReadInto, most: number): FilePages => {
  const pages: Kept[] = [];
  let replaced = 0;
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

  const newPage = (): Kept => {
    if (pages.length < most) {
      const page = { bytes: Buffer.allocUnsafeSlow(PAGE), file: 0, number: 0, filled: 0 };
      pages.push(page);
      return page;
    }
    replaced = (replaced + 1) % most;
    return pages[replaced] as Kept;
  };

  const fill = (page: Kept, file: number, number: number): void => {
    page.filled = 0;
    page.file = file;
    page.number = number;
    try {
      page.filled = readInto(file, page.bytes, number * PAGE);
    } catch {
      // The place that is wanted can be readable although another one of the page is not.
    }
  };

  return {
    bytes(file, offset, length) {
      const number = Math.floor(offset / PAGE);
      const begin = offset - number * PAGE;
      const end = begin + length;
      if (end > PAGE) return undefined;
      let page = kept(file, number);
      if (page === undefined && !isWorthKeeping(file, number)) return undefined;
      page ??= newPage();
      if (page.file !== file || page.number !== number || page.filled < end) fill(page, file, number);
      return page.filled < end ? undefined : page.bytes.subarray(begin, end);
    },
    forget(file, offset) {
      const page = kept(file, Math.floor(offset / PAGE));
      if (page !== undefined) page.filled = 0;
    },
  };
};
