// Checks that an image contains its own command. Without this check, the engine's init program would hide a missing
// command behind exit code 127.
import path from 'node:path';
import { ExecutorError } from '../../ports/executor.ts';
import type { Connection } from '../engine/connection.ts';
import { statusOf } from '../engine/engine-error.ts';
import { parseJson, readField } from '../read-field.ts';
import type { ImageFacts } from './images.ts';

const EXECUTABLE = 0o111;
/** Bit of Go's file mode for a folder. */
const FOLDER = 2 ** 31;

const hasBit = (mode: number, bit: number): boolean => Math.floor(mode / bit) % 2 === 1;

/** Needed only for a run with an init program: there, a missing command would look like exit code 127. */
export const createCommandCheck = (connection: Connection) => {
  const checkedImages = new Set<string>();

  const whyNotExecutable = async (ref: string, file: string): Promise<string | undefined> => {
    try {
      const answer: unknown = await connection.call((docker) => docker.getContainer(ref).infoArchive({ path: file }));
      const told = readField(answer, 'headers', 'x-docker-container-path-stat');
      const stat = parseJson(Buffer.from(String(told), 'base64').toString());
      const discard = readField(answer, 'resume');
      if (typeof discard === 'function') discard.call(answer);
      const mode = readField(stat, 'mode');
      if (readField(stat, 'linkTarget') || typeof mode !== 'number') return undefined;
      return hasBit(mode, FOLDER) || (mode & EXECUTABLE) === 0 ? 'permission denied' : undefined;
    } catch (error) {
      if (statusOf(error) === 404) return 'no such file or directory';
      throw error;
    }
  };

  /** @throws ExecutorError start when the image does not contain its command */
  return async (ref: string, image: ImageFacts): Promise<void> => {
    const name = image.command[0];
    if (name === undefined || checkedImages.has(image.id)) return;
    const files = name.includes('/')
      ? [path.posix.resolve(image.workingFolder, name)]
      : image.searchPath.map((folder) => path.posix.join(folder, name));
    let fault: string | undefined;
    for (const file of files) {
      fault = await whyNotExecutable(ref, file);
      if (fault === undefined) {
        checkedImages.add(image.id);
        return;
      }
    }
    const why = name.includes('/') ? fault : 'executable file not found in $PATH';
    throw new ExecutorError('start', `cannot run the image: exec "${name}": ${why}`);
  };
};
