// The journal: each transaction is one line with a checksum, appended and synced, and replayed at start.
import { type FileHandle, readdir } from 'node:fs/promises';
import path from 'node:path';
import { removeFile, syncFolder } from '../../../src/local/atomic-file.ts';
import { createDurable, openDurable, readLines, writeDurably } from '../durable-files.ts';
import { StoreDamaged } from '../store-errors.ts';
import { type Line, type Operation, parseLine } from './journal-line.ts';

const NAME = /^journal-([1-9]\d*)\.ndjson$/;

export const journalPath = (folder: string, number: number): string => path.join(folder, `journal-${number}.ndjson`);

/** Numbers of the journals in a folder, ascending. */
export const listJournals = async (folder: string): Promise<number[]> =>
  (await readdir(folder))
    .flatMap((name) => NAME.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);

export type Journal = ReturnType<typeof journalOn>;

/** Size in bytes of the buffer that a journal reuses. A longer append gets its own buffer. */
const BUFFER = 512 * 1024;

const journalOn = (file: FileHandle, number: number, good: number) => {
  let size = good;
  /** The buffer is reused for each append: while V8 marks a large heap, a new buffer costs a step of 5 to 10 ms. */
  const shared = Buffer.allocUnsafeSlow(BUFFER);
  /** Each line is encoded separately: one text of all lines would be a large string, which takes long to collect. */
  const encode = (lines: readonly Line[]): Buffer => {
    const length = lines.reduce((sum, { bytes }) => sum + bytes, 0);
    const buffer = length > BUFFER ? Buffer.allocUnsafeSlow(length) : shared;
    let end = 0;
    for (const { line } of lines) end += buffer.write(line, end);
    // The places of records are computed from the announced lengths, so a different length would make them wrong.
    if (end !== length) throw new Error(`The lines of a transaction have ${end} bytes instead of ${length}.`);
    return buffer.subarray(0, end);
  };
  const repair = async (): Promise<void> => {
    await file.truncate(size);
    await file.datasync();
  };
  return {
    number,
    /** Bytes that are written and synced. */
    size: (): number => size,
    /**
     * Resolves when the lines are durable. After a rejection nothing counts as written, and `repair` must succeed before
     * the next append. The caller must wait for each append before the next, because they share a buffer.
     */
    async append(lines: readonly Line[]): Promise<void> {
      const data = encode(lines);
      await writeDurably(file, data, size);
      size += data.length;
    },
    /** Truncates what a failed append may have left, durably, so that it does not reappear after a restart. */
    repair,
    /** Writes, syncs and removes this many NUL bytes. After a crash, the start drops them like an incomplete line. */
    async probe(bytes: number): Promise<void> {
      await writeDurably(file, Buffer.alloc(bytes), size);
      await repair();
    },
    close: (): Promise<void> => file.close(),
  };
};

/** Creates an empty journal whose name is durable. */
export const createJournal = async (folder: string, number: number): Promise<Journal> => {
  const file = await createDurable(journalPath(folder, number));
  try {
    await syncFolder(folder);
  } catch (error) {
    await file.close();
    await removeFile(journalPath(folder, number));
    throw error;
  }
  return journalOn(file, number, 0);
};

/** Opens a journal of which the first `good` bytes are complete lines; truncates the rest durably. */
export const openJournal = async (folder: string, number: number, good: number): Promise<Journal> => {
  const file = await openDurable(journalPath(folder, number));
  const journal = journalOn(file, number, good);
  try {
    if ((await file.stat()).size !== good) await journal.repair();
    return journal;
  } catch (error) {
    await file.close();
    throw error;
  }
};

export interface Replayed {
  /** Number and time of the last transaction. 0 if there is none. */
  readonly decision: number;
  readonly time: number;
  /** Bytes of complete lines in every journal, by journal number. */
  readonly sizes: ReadonlyMap<number, number>;
  /** A line cut short by a crash at the end of the last journal with content. It was never confirmed to its caller. */
  readonly torn: { readonly number: number; readonly bytes: number } | undefined;
}

export interface Origin {
  readonly journal: number;
  readonly file: string;
  readonly line: number;
}

/** Receives an operation. The offset of a record is counted from the beginning of the journal. */
export type Apply = (operation: Operation, origin: Origin) => void;

/**
 * Reads the journals from number `first` on and passes their operations to `apply` in order. Writes nothing.
 * @param after number of the transaction before the first line
 * @throws StoreDamaged when a checksum does not match, a transaction is out of sequence, or a journal is missing
 */
export const replay = async (folder: string, first: number, after: number, apply: Apply): Promise<Replayed> => {
  const numbers = (await listJournals(folder)).filter((number) => number >= first);
  const last = numbers.at(-1) ?? first;
  const sizes = new Map<number, number>();
  let decision = after;
  let time = 0;
  let torn: Replayed['torn'];
  for (let number = first; number <= last; number += 1) {
    const file = journalPath(folder, number);
    if (!numbers.includes(number)) throw new StoreDamaged(file, undefined, 'the file is missing');
    const { end, size } = await readLines(file, (bytes, line, start) => {
      const found = parseLine(bytes);
      if (found === undefined) throw new StoreDamaged(file, line, 'the checksum does not match');
      if (found.decision !== decision + 1) {
        throw new StoreDamaged(file, line, `expected transaction ${decision + 1}, found ${String(found.decision)}`);
      }
      decision += 1;
      time = Math.max(time, found.time);
      for (const operation of found.operations(start)) {
        if (operation === undefined) throw new StoreDamaged(file, line, 'it contains an unknown operation');
        apply(operation, { journal: number, file, line });
      }
    });
    sizes.set(number, end);
    // A failed rotation may have left an empty journal after the one that was written to until the crash.
    if (size > 0 && torn !== undefined) {
      throw new StoreDamaged(journalPath(folder, torn.number), undefined, 'its end is missing');
    }
    if (end < size) torn = { number, bytes: size - end };
  }
  return { decision, time, sizes, torn };
};
