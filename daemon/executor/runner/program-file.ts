// Looks up the file of a program that could not be started, to say what is wrong with it.
import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { interpreterOf, type ProgramFile } from '../../domain/executions/start-fault.ts';

const HEAD_BYTES = 256;

/** The beginning of a file. Empty if it cannot be read: a program need not be readable. */
const headOf = (file: string): string => {
  const buffer = Buffer.alloc(HEAD_BYTES);
  let descriptor: number | undefined;
  try {
    // Without O_NONBLOCK, opening a named pipe would block forever.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    return buffer.toString('latin1', 0, readSync(descriptor, buffer, 0, HEAD_BYTES, 0));
  } catch {
    return '';
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
};

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

const lookAt = (file: string, folder: string): ProgramFile => {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return { state: 'missing', path: file };
  if (found.isDirectory()) return { state: 'folder', path: file };
  if (!isExecutable(file)) return { state: 'not executable', path: file };
  const head = headOf(file);
  const interpreter = interpreterOf(head);
  const hasInterpreter = interpreter === undefined || existsSync(path.resolve(folder, interpreter));
  return { state: 'executable', path: file, head, hasInterpreter };
};

/**
 * The file that the system runs for `name` in a folder, or the last one that it looks up. Undefined if it cannot be
 * looked up.
 */
export const findProgram = (name: string, folder: string, searchPath: string): ProgramFile | undefined => {
  try {
    if (!existsSync(folder)) return { state: 'no working folder', path: folder };
    if (name.includes('/')) return lookAt(path.resolve(folder, name), folder);
    let last: ProgramFile = { state: 'missing', path: name, isInWorkingFolder: existsSync(path.join(folder, name)) };
    for (const part of searchPath.split(path.delimiter)) {
      const file = lookAt(path.resolve(folder, part, name), folder);
      if (file.state === 'executable') return file;
      if (file.state === 'not executable') last = file;
    }
    return last;
  } catch {
    return undefined;
  }
};
