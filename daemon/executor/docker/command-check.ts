// Checks that an image contains its own command, and the interpreter of a script. Without this check, the engine's init
// program or the runtime would hide a missing program behind an exit code.
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { interpreterOf, type ProgramFile, programFault } from '../../domain/executions/start-fault.ts';
import { ExecutorError } from '../../ports/executor.ts';
import type { Connection } from '../engine/connection.ts';
import { statusOf } from '../engine/engine-error.ts';
import { parseJson, readField } from '../read-field.ts';
import type { ImageFacts } from './images.ts';
import { closeStream } from './log-stream.ts';
import { firstFileIn } from './tar.ts';

const EXECUTABLE = 0o111;
/** Bit of Go's file mode for a folder. */
const FOLDER = 2 ** 31;
/** Size in bytes above which a program is not read: scripts are smaller. */
const SCRIPT_LIMIT = 256 * 1024;
const MAX_LINKS = 8;
const READ_MS = 10_000;

const hasBit = (mode: number, bit: number): boolean => Math.floor(mode / bit) % 2 === 1;

interface Stat {
  readonly mode: number;
  readonly size: number;
  readonly linkTarget: string;
}

export const createCommandCheck = (connection: Connection) => {
  const checked = new Set<string>();

  /** Describes a path of a container. Undefined if the engine has none, and `unknown` if it does not describe it. */
  const statOf = async (ref: string, file: string): Promise<Stat | 'unknown' | undefined> => {
    try {
      const answer: unknown = await connection.call((docker) => docker.getContainer(ref).infoArchive({ path: file }));
      const told = readField(answer, 'headers', 'x-docker-container-path-stat');
      const stat = parseJson(Buffer.from(String(told), 'base64').toString());
      const discard = readField(answer, 'resume');
      if (typeof discard === 'function') discard.call(answer);
      const mode = readField(stat, 'mode');
      if (typeof mode !== 'number') return 'unknown';
      return {
        mode,
        size: Number(readField(stat, 'size') ?? 0),
        linkTarget: String(readField(stat, 'linkTarget') ?? ''),
      };
    } catch (error) {
      if (statusOf(error) === 404) return undefined;
      throw error;
    }
  };

  const headOf = async (ref: string, file: string): Promise<string> => {
    const limit = AbortSignal.timeout(READ_MS);
    const stream = await connection.call((docker) => docker.getContainer(ref).getArchive({ path: file }));
    const stop = () => closeStream(stream);
    limit.addEventListener('abort', stop, { once: true });
    try {
      return (await firstFileIn(await buffer(stream))).toString('latin1');
    } finally {
      limit.removeEventListener('abort', stop);
    }
  };

  /** Undefined if the engine does not describe the file. */
  const lookAt = async (ref: string, file: string, workingFolder: string): Promise<ProgramFile | undefined> => {
    let at = file;
    let stat = await statOf(ref, at);
    for (let links = 0; stat !== 'unknown' && stat?.linkTarget && links < MAX_LINKS; links += 1) {
      at = path.posix.resolve(path.posix.dirname(at), stat.linkTarget);
      stat = await statOf(ref, at);
    }
    if (stat === 'unknown') return undefined;
    if (stat === undefined) return { state: 'missing', path: at };
    if (hasBit(stat.mode, FOLDER)) return { state: 'folder', path: at };
    if ((stat.mode & EXECUTABLE) === 0) return { state: 'not executable', path: at };
    if (stat.size > SCRIPT_LIMIT) return { state: 'executable', path: at };
    const head = await headOf(ref, at);
    const interpreter = interpreterOf(head);
    const hasInterpreter =
      interpreter === undefined || (await statOf(ref, path.posix.resolve(workingFolder, interpreter))) !== undefined;
    return { state: 'executable', path: at, head, hasInterpreter };
  };

  /**
   * @param reference the name of the image, for the message
   * @param searchPath the variable PATH of the run, if it replaces that of the image
   * @throws ExecutorError never when the image does not contain its command
   */
  return async (ref: string, image: ImageFacts, reference: string, searchPath?: string): Promise<void> => {
    const [name] = image.command;
    const key = `${image.id} ${searchPath}`;
    if (name === undefined || checked.has(key)) return;
    const folders = searchPath?.split(':') ?? image.searchPath;
    const files = name.includes('/')
      ? [path.posix.resolve(image.workingFolder, name)]
      : folders.map((folder) => path.posix.resolve(image.workingFolder, folder, name));
    let last: ProgramFile = { state: 'missing', path: name };
    for (const file of files) {
      const found = await lookAt(ref, file, image.workingFolder);
      if (found === undefined) return;
      if (found.state !== 'missing') last = found;
      if (found.state === 'executable') break;
    }
    const fault = programFault(name, last, {
      owner: `the image ${reference}`,
      field: 'CMD or ENTRYPOINT of the image',
      afterwards: 'build the image again',
    });
    if (fault !== undefined) throw new ExecutorError('never', fault);
    checked.add(key);
  };
};
