// Private files: replaced as a whole, accessible to their owner only.
import { chmod, lstat, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CliFailure, reasonOf, systemCode } from '../failure.ts';
import { replaceFile } from './atomic-file.ts';
import { makeFolders } from './folders/make-folders.ts';

/** The hint if nothing gives access to the folders of this program. */
const elsewhere = (): string => `to use other folders: export ACTORCTL_HOME='${path.join(tmpdir(), 'actorctl')}'`;

export const unwritable = (folder: string, error: unknown): CliFailure =>
  new CliFailure('USAGE', `cannot write to the folder ${folder}: ${reasonOf(error)}`, {
    hint: elsewhere(),
    cause: error,
    blocked: folder,
  });

export const temporaryFolder = async (prefix: string): Promise<string> => {
  const parent = tmpdir();
  try {
    return await mkdtemp(path.join(parent, prefix));
  } catch (error) {
    const reason = systemCode(error) === 'ENOENT' ? 'there is no such folder' : reasonOf(error);
    throw new CliFailure('USAGE', `cannot create a folder for temporary files in ${parent}: ${reason}`, {
      hint: 'set TMPDIR to a folder that you can write to',
      cause: error,
    });
  }
};

/**
 * Creates a private folder. @throws CliFailure USAGE if that fails, or if the folder is a link or belongs to
 * another user
 */
export const ownFolder = async (folder: string): Promise<void> => {
  let found: Awaited<ReturnType<typeof lstat>>;
  try {
    await makeFolders(folder);
    found = await lstat(folder);
  } catch (error) {
    throw unwritable(folder, error);
  }
  const self = process.getuid?.();
  if (!found.isDirectory()) {
    throw new CliFailure('USAGE', `${folder} must be a folder, not a link`, {
      hint: 'move it away or set ACTORCTL_HOME',
    });
  }
  if (self !== undefined && found.uid !== self) {
    const why = `it belongs to user ${found.uid}, and you are user ${self}`;
    throw new CliFailure('USAGE', `refused to use ${folder}: ${why}`, { hint: elsewhere(), blocked: folder });
  }
  if ((found.mode & 0o077) !== 0) await chmod(folder, 0o700);
};

/**
 * Replaces a private file (mode 0600) durably; creates its folder. @see docs/conformance/security.md R140, R141,
 * R161
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
