// The baseline for durable writes: lines are appended to a file, with one sync for all waiting writers.
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A line about as long as what one message adds to the journal: its own record and its execution. */
export const MESSAGE_LINE = `${'x'.repeat(760)}\n`;

export interface BareJournal {
  /** Resolves when the line is on disk. */
  append(line: string): Promise<void>;
  close(): Promise<void>;
}

export const openBareJournal = async (): Promise<BareJournal> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'actorctl-bench-journal-'));
  const name = path.join(folder, 'journal');
  closeSync(openSync(name, 'wx', 0o600));
  const file = await open(name, 'a');
  let waiting: { readonly line: string; readonly done: () => void }[] = [];
  let writing: Promise<void> | undefined;

  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await file.write(batch.map(({ line }) => line).join(''));
      await file.datasync();
      for (const { done } of batch) done();
      // Lets the writers that were just resolved add their next line.
      await new Promise((resolve) => setImmediate(resolve));
    }
    writing = undefined;
  };

  return {
    append: (line) =>
      new Promise((done) => {
        waiting.push({ line, done });
        writing ??= write();
      }),
    async close() {
      await writing;
      await file.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
