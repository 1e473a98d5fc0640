// Reads small JSON files if they exist. A file with secrets is read only if this user owns it and no other user can
// access it.
import { CliFailure, fileFailure } from '../failure.ts';
import { readSmallFile, type SmallFile } from './small-file.ts';
import { parseWrittenJson } from './written-json.ts';

const parse = (file: string, text: string): unknown => parseWrittenJson(text, file, 'fix the file or move it away');

const readAt = (file: string, followLinks: boolean): Exclude<SmallFile, { kind: 'refused' }> => {
  let found: SmallFile;
  try {
    found = readSmallFile(file, { followLinks });
  } catch (error) {
    throw fileFailure('cannot read', file, error);
  }
  if (found.kind !== 'refused') return found;
  throw new CliFailure('USAGE', `cannot read ${file}: ${found.reason}`, { hint: 'move it away' });
};

/** True for what a power failure can leave of a file: nothing, or NUL characters in place of the text. */
export const isBlank = (text: string): boolean => /^[\s\0\ufeff]*$/.test(text);

/** Is called with the file whose content is blank. Such a file counts as absent. */
export type OnBlank = (file: string) => void;

/**
 * Reads a JSON file. Returns undefined if there is none. @throws CliFailure USAGE if it is not a regular file of at
 * most 4 MiB, or not JSON
 */
export const readJson = async (file: string, onBlank?: OnBlank): Promise<unknown> => {
  const found = readAt(file, true);
  if (found.kind === 'missing') return undefined;
  if (!isBlank(found.text)) return parse(file, found.text);
  onBlank?.(file);
  return undefined;
};

/**
 * @throws CliFailure USAGE as `readJson` does, and if it is a link, belongs to another user, or other users may read it
 * @see docs/conformance/security.md R142, R161
 */
const readSecretText = (file: string): string | undefined => {
  const found = readAt(file, false);
  if (found.kind === 'missing') return undefined;
  const self = process.getuid?.();
  if (self !== undefined && found.uid !== self) {
    throw new CliFailure(
      'USAGE',
      `refused to read ${file}: it belongs to user ${found.uid}, and you are user ${self}`,
      {
        hint: 'move it away',
        blocked: file,
      },
    );
  }
  if (self !== undefined && (found.mode & 0o077) !== 0) {
    throw new CliFailure('USAGE', `refused to read ${file}: other users may read it`, { hint: `chmod 600 ${file}` });
  }
  return found.text;
};

export const readSecretJson = async (file: string, onBlank?: OnBlank): Promise<unknown> => {
  const text = readSecretText(file);
  if (text === undefined) return undefined;
  if (!isBlank(text)) return parse(file, text);
  onBlank?.(file);
  return undefined;
};
