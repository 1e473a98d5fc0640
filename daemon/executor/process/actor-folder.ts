// Reads the folder that a `file:` image names: its actor.json says which command to run. @see wire.md "Actors"
import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExecutorError } from '../../ports/executor.ts';
import { errorCode } from '../read-field.ts';

/** What to run, and where. */
export interface ActorFolder {
  /** Absolute path. */
  readonly folder: string;
  /** Program and arguments; never empty, no NUL in it. */
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
  if (code === 'EACCES' || code === 'EPERM') return 'the daemon may not read it';
  return error instanceof Error ? error.message : String(error);
};

const folderOf = (image: string): string => {
  const advice = 'Write it as file:///absolute/folder.';
  if (!image.startsWith('file:///')) return refuse(`The image "${image}" names no absolute folder. ${advice}`);
  if (/[?#]/.test(image)) {
    return refuse(`The image "${image}" holds "?" or "#". Write them as %3F and %23 if the folder's name has them.`);
  }
  try {
    const folder = fileURLToPath(image);
    return folder.includes('\0') ? refuse(`The image "${image}" holds a NUL. ${advice}`) : folder;
  } catch (error) {
    if (error instanceof ExecutorError) throw error;
    return refuse(`The image "${image}" is no valid address: ${wordsOf(error)}. ${advice}`, error);
  }
};

const readBounded = async (file: FileHandle, path: string): Promise<string> => {
  if (!(await file.stat()).isFile()) return refuse(`${path} is not a regular file. Make it one that holds ${EXAMPLE}.`);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES + 1), 0, MAX_BYTES + 1, 0);
  if (bytesRead > MAX_BYTES) {
    return refuse(`${path} is larger than 64 KB. It should hold the command to run and nothing else, like ${EXAMPLE}.`);
  }
  return buffer.toString('utf8', 0, bytesRead);
};

const commandOf = (text: string, path: string): readonly string[] => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refuse(`${path} is not JSON: ${wordsOf(error)}. It should look like ${EXAMPLE}.`, error);
  }
  const command = typeof value === 'object' && value !== null && 'command' in value ? value.command : undefined;
  if (!Array.isArray(command) || command.length === 0) {
    return refuse(`${path} has no "command". It should look like ${EXAMPLE}.`);
  }
  return command.map((part: unknown, index) => {
    if (typeof part !== 'string') return refuse(`"command" in ${path} holds something that is no text. Quote it.`);
    if (part.includes('\0')) return refuse(`"command" in ${path} holds a NUL. Take it out.`);
    if (index === 0 && part === '') return refuse(`"command" in ${path} begins with an empty text. Name a program.`);
    return part;
  });
};

/**
 * Checks the folder and reads its command.
 * @throws ExecutorError image, saying what is wrong and what to do
 */
export const readActorFolder = async (image: string): Promise<ActorFolder> => {
  const folder = folderOf(image);
  try {
    if (!(await stat(folder)).isDirectory())
      refuse(`The image ${folder} is not a folder. Name the folder that holds actor.json.`);
  } catch (error) {
    if (error instanceof ExecutorError) throw error;
    refuse(`The folder ${folder} cannot be used: ${wordsOf(error)}. Correct the image, or make the folder.`, error);
  }
  const path = join(folder, 'actor.json');
  let file: FileHandle;
  try {
    // Not blocking: a pipe of that name would hold us up for ever.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    return refuse(
      `${path} cannot be read: ${wordsOf(error)}. It should hold the command to run, like ${EXAMPLE}.`,
      error,
    );
  }
  try {
    return { folder, command: commandOf(await readBounded(file, path), path) };
  } finally {
    await file.close();
  }
};
