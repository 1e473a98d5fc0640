// Small private files: read if they exist, replaced as a whole, accessible to their owner only.
import { chmod, lstat, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { CliFailure, messageOf, reasonOf } from '../failure.ts';
import { replaceFile } from './atomic-file.ts';
import { readSmallFile, type SmallFile } from './small-file.ts';

/** @param secret the parser's message is left out, because it quotes the text */
const parse = (file: string, text: string, secret: boolean): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CliFailure('USAGE', `${file} is not JSON${secret ? '' : `: ${messageOf(error)}`}`, {
      hint: 'correct the file or move it away',
      ...(!secret && { cause: error }),
    });
  }
};

const readAt = async (file: string, followLinks: boolean): Promise<Exclude<SmallFile, { kind: 'refused' }>> => {
  let found: SmallFile;
  try {
    found = await readSmallFile(file, { followLinks });
  } catch (error) {
    throw new CliFailure('USAGE', `cannot read ${file}: ${reasonOf(error)}`, { cause: error });
  }
  if (found.kind !== 'refused') return found;
  throw new CliFailure('USAGE', `cannot read ${file}: ${found.reason}`, { hint: 'move it away' });
};

/**
 * The parsed JSON of a file, or undefined if there is no file.
 * @throws CliFailure USAGE if it is not a regular file of at most 4 MiB, cannot be read or is not JSON
 */
export const readJson = async (file: string): Promise<unknown> => {
  const found = await readAt(file, true);
  return found.kind === 'missing' ? undefined : parse(file, found.text, false);
};

/**
 * The text of a file with secrets, or undefined if there is no file.
 * @throws CliFailure USAGE as `readJson` does, and if it is a link, belongs to another user, or other users may read it
 * @see docs/security.md R142, R161
 */
const readSecretText = async (file: string): Promise<string | undefined> => {
  const found = await readAt(file, false);
  if (found.kind === 'missing') return undefined;
  const self = process.getuid?.();
  if (self !== undefined && found.uid !== self) {
    throw new CliFailure('USAGE', `refused to read ${file}: it belongs to another user`, { hint: 'move it away' });
  }
  if (self !== undefined && (found.mode & 0o077) !== 0) {
    throw new CliFailure('USAGE', `refused to read ${file}: other users may read it`, { hint: `chmod 600 ${file}` });
  }
  return found.text;
};

/** The parsed JSON of a file with secrets. Throws as `readSecretText` does. */
export const readSecretJson = async (file: string): Promise<unknown> => {
  const text = await readSecretText(file);
  return text === undefined ? undefined : parse(file, text, true);
};

/** The failure of a command that cannot write to a folder of its own. */
export const unwritable = (folder: string, error: unknown): CliFailure =>
  new CliFailure('USAGE', `cannot write to the folder ${folder}: ${reasonOf(error)}`, {
    hint: 'make the folder writable, or set ACTORCTL_HOME to a folder that is',
    cause: error,
  });

/**
 * Creates a private folder and its parents.
 * @throws CliFailure USAGE if it cannot be created, is a link, or belongs to another user
 */
export const ownFolder = async (folder: string): Promise<void> => {
  let found: Awaited<ReturnType<typeof lstat>>;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    found = await lstat(folder);
  } catch (error) {
    throw unwritable(folder, error);
  }
  const self = process.getuid?.();
  if (!found.isDirectory() || (self !== undefined && found.uid !== self)) {
    throw new CliFailure('USAGE', `${folder} must be a folder that belongs to you, not a link`, {
      hint: 'move it away or set ACTORCTL_HOME',
    });
  }
  if ((found.mode & 0o077) !== 0) await chmod(folder, 0o700);
};

/**
 * Replaces a private file (mode 0600) durably, and creates its folder if needed.
 * @throws CliFailure USAGE if the folder cannot be written
 * @see docs/security.md R140, R141, R161
 */
export const writePrivate = async (file: string, text: string): Promise<void> => {
  const folder = path.dirname(file);
  await ownFolder(folder);
  try {
    await replaceFile(file, (append) => append(text));
  } catch (error) {
    throw unwritable(folder, error);
  }
};
