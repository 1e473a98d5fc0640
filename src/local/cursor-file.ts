// A file that remembers how far a tail of events has come, rewritten whole after each of them.
import { readFile, realpath } from 'node:fs/promises';
import { CliFailure, messageOf, systemCode } from '../failure.ts';
import { replaceFile } from './atomic-file.ts';

export interface CursorFile {
  /**
   * The cursor that is in it; undefined when there is no such file.
   * @throws CliFailure USAGE when it holds anything else: to begin anew without a word would miss events
   */
  readonly read: () => Promise<string | undefined>;
  /**
   * Resolves when the file holds the cursor. Whoever is killed in between leaves the old one or the new one.
   * @throws CliFailure USAGE when it cannot be written
   */
  readonly keep: (cursor: string) => Promise<void>;
}

const content = /^(\d{1,15})\s*$/;

/** Replaces what a link leads to, not the link. */
const behindLinks = async (file: string): Promise<string> => {
  try {
    return await realpath(file);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return file;
    throw error;
  }
};

/** @param file absolute path */
export const cursorFile = (file: string): CursorFile => {
  let kept: string | undefined;
  return {
    read: async () => {
      let text: string;
      try {
        text = await readFile(file, 'utf8');
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return undefined;
        throw new CliFailure('USAGE', `${file} cannot be read: ${messageOf(error)}`, { cause: error });
      }
      kept = content.exec(text)?.[1];
      if (kept !== undefined) return kept;
      throw new CliFailure('USAGE', `${file} holds no cursor of events`, {
        hint: 'name another file, or remove this one to begin with what happens from now on',
      });
    },
    keep: async (cursor) => {
      if (cursor === kept) return;
      try {
        const place = await behindLinks(file);
        await replaceFile(place, (append) => append(`${cursor}\n`), { durable: false, mode: 0o666 });
      } catch (error) {
        throw new CliFailure('USAGE', `${file} cannot be written: ${messageOf(error)}`, { cause: error });
      }
      kept = cursor;
    },
  };
};
