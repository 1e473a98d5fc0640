// Small private files: read if they exist, replaced as a whole, accessible to their owner only.
import { constants } from 'node:fs';
import { chmod, lstat, mkdir, open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { CliFailure, messageOf, systemCode } from '../failure.ts';
import { replaceFile } from './atomic-file.ts';

/**
 * The parsed JSON of a file, or undefined if there is no file. @throws CliFailure USAGE if it cannot be read or is not
 * JSON
 */
export const readJson = async (file: string): Promise<unknown> => {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined;
    throw new CliFailure('USAGE', `cannot read ${file}: ${messageOf(error)}`, { cause: error });
  }
  return parse(file, text);
};

const parse = (file: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CliFailure('USAGE', `${file} is not JSON: ${messageOf(error)}`, {
      hint: 'correct the file or move it away',
      cause: error,
    });
  }
};

/**
 * The text of a file with secrets, or undefined if there is no file.
 * @throws CliFailure USAGE if it is a link, belongs to another user, or other users may read it
 * @see docs/security.md R142, R161
 */
const readSecretText = async (file: string): Promise<string | undefined> => {
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const reason = code === 'ELOOP' ? 'it is a symbolic link' : messageOf(error);
    throw new CliFailure('USAGE', `cannot read ${file}: ${reason}`, { hint: 'move it away', cause: error });
  }
  try {
    const { mode, uid } = await handle.stat();
    const self = process.getuid?.();
    if (self !== undefined && uid !== self) {
      throw new CliFailure('USAGE', `refused to read ${file}: it belongs to another user`, { hint: 'move it away' });
    }
    if (self !== undefined && (mode & 0o077) !== 0) {
      throw new CliFailure('USAGE', `refused to read ${file}: other users may read it`, { hint: `chmod 600 ${file}` });
    }
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
};

/** The parsed JSON of a file with secrets. Throws as `readSecretText` does. */
export const readSecretJson = async (file: string): Promise<unknown> => {
  const text = await readSecretText(file);
  return text === undefined ? undefined : parse(file, text);
};

/** Creates a private folder and its parents. @throws CliFailure USAGE if it is a link or belongs to another user */
export const ownFolder = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await lstat(folder);
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
 * @see docs/security.md R140, R141, R161
 */
export const writePrivate = async (file: string, text: string): Promise<void> => {
  await ownFolder(path.dirname(file));
  await replaceFile(file, (append) => append(text));
};
