// Reads the folder that a `file:` image names: its actor.json contains the command to run. @see docs/http-api.md#actors

import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jsonProblem, withoutMark } from '../../../src/local/written-json.ts';
import { ExecutorError } from '../../ports/executor.ts';
import { errorCode } from '../read-field.ts';

export interface ActorFolder {
  /** Absolute path. */
  readonly folder: string;
  /** Program and arguments. Never empty, and without NUL characters. */
  readonly command: readonly string[];
}

const MAX_BYTES = 64 * 1024;
const EXAMPLE = '{"command": ["node", "main.js"]}';

const refuse = (message: string, cause?: unknown): never => {
  throw new ExecutorError('image', message, cause === undefined ? {} : { cause });
};

const wordsOf = (error: unknown): string => {
  const code = errorCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'it does not exist';
  if (code === 'EACCES' || code === 'EPERM') return 'the daemon is not allowed to read it';
  return error instanceof Error ? error.message : String(error);
};

const folderOf = (image: string): string => {
  const advice = 'Write it as file:///absolute/folder.';
  if (!image.startsWith('file:///')) return refuse(`The image "${image}" does not name an absolute folder. ${advice}`);
  if (/[?#]/.test(image)) {
    return refuse(
      `The image "${image}" contains "?" or "#". Write them as %3F and %23 if the folder's name contains them.`,
    );
  }
  try {
    const folder = fileURLToPath(image);
    return folder.includes('\0') ? refuse(`The image "${image}" contains a NUL character. ${advice}`) : folder;
  } catch (error) {
    if (error instanceof ExecutorError) throw error;
    return refuse(`The image "${image}" is not a valid address: ${wordsOf(error)}. ${advice}`, error);
  }
};

const readBounded = async (file: FileHandle, path: string): Promise<string> => {
  let buffer = Buffer.alloc(0);
  let bytesRead = 0;
  let failure: unknown;
  try {
    ({ buffer, bytesRead } = await file.read(Buffer.allocUnsafe(MAX_BYTES + 1), 0, MAX_BYTES + 1, 0));
  } catch (error) {
    failure = error;
  }
  // Checked again for every run, because every run reads the file.
  if (bytesRead === 0 && !(await file.stat()).isFile())
    return refuse(`${path} is not a regular file. Replace it with a file that contains ${EXAMPLE}.`);
  if (failure !== undefined) throw failure;
  if (bytesRead > MAX_BYTES) {
    return refuse(`${path} is larger than 64 KB. It should contain only the command to run, like ${EXAMPLE}.`);
  }
  return buffer.toString('utf8', 0, bytesRead);
};

const commandOf = (text: string, path: string): readonly string[] => {
  const problem = jsonProblem(text);
  if (problem !== undefined) return refuse(`${path}:${problem}. The file should look like ${EXAMPLE}.`);
  const value: unknown = JSON.parse(withoutMark(text));
  const command = typeof value === 'object' && value !== null && 'command' in value ? value.command : undefined;
  if (typeof command === 'string') {
    const list = JSON.stringify({ command: command.trim().split(/\s+/) });
    return refuse(`"command" in ${path} is a string, not a list of strings. Write it as ${list}.`);
  }
  if (!Array.isArray(command) || command.length === 0) {
    return refuse(`${path} has no "command". It should look like ${EXAMPLE}.`);
  }
  return command.map((part: unknown, index) => {
    if (typeof part !== 'string')
      return refuse(`"command" in ${path} contains a value that is not a string. Put it in quotes.`);
    if (part.includes('\0')) return refuse(`"command" in ${path} contains a NUL character. Remove it.`);
    if (index === 0 && part === '') return refuse(`"command" in ${path} begins with an empty string. Name a program.`);
    return part;
  });
};

const requireFolder = async (folder: string): Promise<void> => {
  try {
    if (!(await stat(folder)).isDirectory())
      refuse(`The image ${folder} is not a folder. Name the folder that contains actor.json.`);
  } catch (error) {
    if (error instanceof ExecutorError) throw error;
    refuse(`Cannot use the folder ${folder}: ${wordsOf(error)}. Correct the image, or create the folder.`, error);
  }
};

export const readActorFolder = async (image: string): Promise<ActorFolder> => {
  const folder = folderOf(image);
  const path = join(folder, 'actor.json');
  let file: FileHandle;
  try {
    // Without O_NONBLOCK, opening a named pipe would block forever.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    await requireFolder(folder);
    return refuse(
      `Cannot read ${path}: ${wordsOf(error)}. It should contain the command to run, like ${EXAMPLE}.`,
      error,
    );
  }
  try {
    return { folder, command: commandOf(await readBounded(file, path), path) };
  } finally {
    void file.close().catch(() => undefined);
  }
};
