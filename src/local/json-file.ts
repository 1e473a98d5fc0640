// Small JSON files: read if they exist, those with secrets only if they belong to the user alone.
import { CliFailure, messageOf, reasonOf } from '../failure.ts';
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

const readAt = (file: string, followLinks: boolean): Exclude<SmallFile, { kind: 'refused' }> => {
  let found: SmallFile;
  try {
    found = readSmallFile(file, { followLinks });
  } catch (error) {
    throw new CliFailure('USAGE', `cannot read ${file}: ${reasonOf(error)}`, { cause: error });
  }
  if (found.kind !== 'refused') return found;
  throw new CliFailure('USAGE', `cannot read ${file}: ${found.reason}`, { hint: 'move it away' });
};

/** Undefined without a file. @throws CliFailure USAGE if it is not a regular file of at most 4 MiB, or not JSON */
export const readJson = async (file: string): Promise<unknown> => {
  const found = readAt(file, true);
  return found.kind === 'missing' ? undefined : parse(file, found.text, false);
};

/**
 * @throws CliFailure USAGE as `readJson` does, and if it is a link, belongs to another user, or other users may read it
 * @see docs/security.md R142, R161
 */
const readSecretText = (file: string): string | undefined => {
  const found = readAt(file, false);
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

export const readSecretJson = async (file: string): Promise<unknown> => {
  const text = readSecretText(file);
  return text === undefined ? undefined : parse(file, text, true);
};
