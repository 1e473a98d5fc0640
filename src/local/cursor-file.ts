// A file that stores the position of `events tail` and is replaced after each event.
import { readFile } from 'node:fs/promises';
import { parseCursor } from '../contract/event-cursor.ts';
import { CliFailure, fileFailure, systemCode } from '../failure.ts';
import { behindLinks, replaceFile } from './atomic-file.ts';

export type CursorFile = ReturnType<typeof cursorFile>;

/** @param file absolute path */
export const cursorFile = (file: string) => {
  let kept: string | undefined;
  return {
    /** @throws CliFailure USAGE if the file has other content, because starting again from now would miss events */
    read: async (): Promise<string | undefined> => {
      let text: string;
      try {
        text = await readFile(file, 'utf8');
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return undefined;
        throw fileFailure('cannot read', file, error);
      }
      const cursor = text.trimEnd();
      if (parseCursor(cursor) !== undefined) {
        kept = cursor;
        return cursor;
      }
      throw new CliFailure('USAGE', `${file} does not contain an event cursor`, {
        hint: 'name another file, or remove this file to start with new events',
      });
    },
    /** Stores the cursor. If the process is killed meanwhile, the file has the old or the new cursor. */
    keep: async (cursor: string): Promise<void> => {
      if (cursor === kept) return;
      try {
        const place = await behindLinks(file);
        await replaceFile(place, (append) => append(`${cursor}\n`), { durable: false, mode: 0o666 });
      } catch (error) {
        throw fileFailure('cannot write', file, error);
      }
      kept = cursor;
    },
  };
};
