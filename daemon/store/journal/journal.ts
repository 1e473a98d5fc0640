// The journal: every decision is one sealed line, appended and synced; replayed at start.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { openNew, removeFile, syncFolder } from '../../../src/local/atomic-file.ts';
import { openExisting, readLines, writeAt } from '../durable-files.ts';
import { StoreDamaged } from '../store-errors.ts';
import { seal, unseal } from './sealed-line.ts';

/** put of a record, delete of a key, the new value of the sequence. */
export type Operation =
  | readonly ['p', collection: string, record: unknown]
  | readonly ['d', collection: string, key: string]
  | readonly ['s', value: number];

/** `operations` is the JSON of each of them, with commas between. */
export const journalLine = (decision: number, time: number, operations: string): string =>
  `${seal(`[${decision},${time},[${operations}]`)}\n`;

const NAME = /^journal-([1-9]\d*)\.ndjson$/;

export const journalPath = (folder: string, number: number): string => path.join(folder, `journal-${number}.ndjson`);

/** The numbers of the journals in a folder, ascending. */
export const listJournals = async (folder: string): Promise<number[]> =>
  (await readdir(folder))
    .flatMap((name) => NAME.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);

export interface Journal {
  readonly number: number;
  /** Bytes that are written and synced. */
  size(): number;
  /** Resolves when `text` is durable. After a rejection nothing counts as written, but `repair` must succeed before the next append. */
  append(text: string): Promise<void>;
  /** Cuts off what a failed append may have left, durably: it must not come back at a restart. */
  repair(): Promise<void>;
  /** Writes and syncs that many bytes and takes them back: whether the disk really takes them. They are NULs, which a start takes for a torn tail. */
  probe(bytes: number): Promise<void>;
  close(): Promise<void>;
}

const journalOn = (file: Awaited<ReturnType<typeof openNew>>, number: number, good: number): Journal => {
  let size = good;
  const repair = async (): Promise<void> => {
    await file.truncate(size);
    await file.datasync();
  };
  return {
    number,
    size: () => size,
    async append(text) {
      const data = Buffer.from(text);
      await writeAt(file, data, size);
      await file.datasync();
      size += data.length;
    },
    repair,
    async probe(bytes) {
      await writeAt(file, Buffer.alloc(bytes), size);
      await file.datasync();
      await repair();
    },
    close: () => file.close(),
  };
};

/** A new, empty journal whose name is durable. */
export const createJournal = async (folder: string, number: number): Promise<Journal> => {
  const file = await openNew(journalPath(folder, number));
  try {
    await syncFolder(folder);
  } catch (error) {
    await file.close();
    await removeFile(journalPath(folder, number));
    throw error;
  }
  return journalOn(file, number, 0);
};

/** A journal of which `good` bytes are whole lines; anything behind them is cut off durably. */
export const openJournal = async (folder: string, number: number, good: number): Promise<Journal> => {
  const file = await openExisting(journalPath(folder, number));
  const journal = journalOn(file, number, good);
  try {
    if ((await file.stat()).size !== good) await journal.repair();
    return journal;
  } catch (error) {
    await file.close();
    throw error;
  }
};

const isOperation = (value: unknown): value is Operation => {
  if (!Array.isArray(value)) return false;
  const [kind, first, second]: unknown[] = value;
  if (kind === 'p') return typeof first === 'string' && typeof second === 'object' && second !== null;
  if (kind === 'd') return typeof first === 'string' && typeof second === 'string';
  return kind === 's' && Number.isSafeInteger(first);
};

export interface Replayed {
  /** Number and time of the last decision; 0 when there is none. */
  readonly decision: number;
  readonly time: number;
  /** Bytes of whole lines in every journal, by number. */
  readonly sizes: ReadonlyMap<number, number>;
  /** What stands behind the last whole line of all: a write that a crash tore, and nobody was told that it was done. */
  readonly torn: { readonly number: number; readonly bytes: number } | undefined;
}

/**
 * Reads the journals from `first` on and hands over their operations in order. Changes nothing.
 * @param after number of the decision before the first line
 * @throws StoreDamaged when a line does not fit its checksum or its place, or a journal is missing
 */
export const replay = async (
  folder: string,
  first: number,
  after: number,
  apply: (operation: Operation, where: { readonly file: string; readonly line: number }) => void,
): Promise<Replayed> => {
  const numbers = (await listJournals(folder)).filter((number) => number >= first);
  const last = numbers.at(-1) ?? first;
  const sizes = new Map<number, number>();
  let decision = after;
  let time = 0;
  let torn: Replayed['torn'];
  for (let number = first; number <= last; number += 1) {
    const file = journalPath(folder, number);
    if (!numbers.includes(number)) throw new StoreDamaged(file, undefined, 'the file is missing');
    const { end, size } = await readLines(file, (bytes, line) => {
      const [found, at, operations] = unseal(bytes) ?? [];
      if (typeof at !== 'number' || !Array.isArray(operations)) {
        throw new StoreDamaged(file, line, 'the checksum does not fit');
      }
      if (found !== decision + 1) {
        throw new StoreDamaged(file, line, `decision ${decision + 1} should stand here, not ${String(found)}`);
      }
      decision += 1;
      time = Math.max(time, at);
      for (const operation of operations) {
        if (!isOperation(operation)) throw new StoreDamaged(file, line, 'it holds an operation that is not known');
        apply(operation, { file, line });
      }
    });
    sizes.set(number, end);
    // A rotation that failed may have left an empty journal behind the one that was written to until the crash.
    if (size > 0 && torn !== undefined) {
      throw new StoreDamaged(journalPath(folder, torn.number), undefined, 'its end is missing');
    }
    if (end < size) torn = { number, bytes: size - end };
  }
  return { decision, time, sizes, torn };
};
