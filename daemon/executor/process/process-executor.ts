// The executor of `file:///folder` images: plain processes of this machine, owned by a standing runner beside the daemon.
// They run as the daemon's user and are no sandbox; registering them takes the admin role. Limits of memory and processes need /proc:
// where there is none (macOS), they are not held, and children that leave the run's process group are not found.
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import { type Executor, ExecutorError, type Found, type RunFile, type RunSpec } from '../../ports/executor.ts';
import type { Logger } from '../../ports/logger.ts';
import { errorCode } from '../read-field.ts';
import { MARK } from '../runner/processes.ts';
import { executionOf, refOf } from '../runner/protocol.ts';
import { type ActorFolder, readActorFolder } from './actor-folder.ts';
import { createRunnerLink } from './runner-link.ts';

export interface ProcessExecutorOptions {
  /** Absolute; made (0700) at the first run. One folder per run below it, removed with the run. Belongs to one instance. */
  readonly runsFolder: string;
  /** The bundled runner, `dist/actor-runner.cjs`. */
  readonly runnerPath: string;
  /** The runner's own unix socket, in a folder of mode 0700 that exists; at most about 100 bytes. */
  readonly socketPath: string;
  /** Bytes kept of the output of one run, well above the cap of its log. Default 8 MiB. */
  readonly outputCapBytes?: number;
  /** The address of the daemon's API for processes of this machine; undefined while it does not listen. */
  readonly apiServer: () => string | undefined;
  readonly logger: Logger;
}

const OUTPUT_CAP_BYTES = 8 * 1024 * 1024;
const ANSWER_MS = 10_000;
/** Names the socket for results to a run, which cannot have it at `/`. */
const RESULT_SOCKET = '_svc_results_socket';
/** The node that runs the daemon comes first, so that `node main.js` is found wherever node was installed. */
const SYSTEM_PATH = [
  dirname(process.execPath),
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
];

const place = async (file: RunFile, folder: string): Promise<string> => {
  const path = join(folder, basename(file.path));
  if ('bytes' in file.source) await writeFile(path, file.source.bytes, { mode: 0o400, flag: 'wx' });
  else {
    // A copy, not a link: the run must not be able to change the daemon's own file. Where the file system can, it shares the blocks.
    await copyFile(file.source.file, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    await chmod(path, 0o400);
  }
  return path;
};

/**
 * Runs actors as processes. The environment of a run is what RunSpec says, plus PATH, HOME, TMPDIR and PWD where it says nothing;
 * nothing of the daemon's. The command runs in the image folder, because its own files are there (`node main.js`); HOME and TMPDIR are
 * an empty folder of the run, removed with it. Runs go on when the daemon goes, and are taken up again; they end with the runner.
 */
export const createProcessExecutor = (options: ProcessExecutorOptions): Executor => {
  const { runsFolder } = options;
  const link = createRunnerLink({
    runnerPath: options.runnerPath,
    socketPath: options.socketPath,
    runsFolder,
    runnerLog: join(runsFolder, 'runner.log'),
    outputCapBytes: options.outputCapBytes ?? OUTPUT_CAP_BYTES,
    logger: options.logger,
  });

  /** Runs whose folder is being made and that the runner may not know yet. */
  const making = new Set<string>();

  const folders = async (): Promise<string[]> => {
    try {
      return (await readdir(runsFolder)).filter((name) => executionOf(name) !== undefined);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw new ExecutorError('unavailable', `The folder ${runsFolder} cannot be read: ${String(error)}`, {
        cause: error,
      });
    }
  };
  /** Whether there is anything that a runner, present or past, could know of. */
  const anything = async (): Promise<boolean> => (await link.reach()) || (await folders()).length > 0;

  /** The runs of the runner. Folders that it never heard of are what a daemon left that was killed while it made them. */
  const list = async (): Promise<readonly Found[]> => {
    if (!(await anything())) return [];
    const before = new Set(making);
    const candidates = (await folders()).filter((name) => !before.has(name) && !making.has(name));
    const found = (await link.ask({ op: 'list' })).found ?? [];
    const refs = new Set(found.map(({ ref }) => ref));
    for (const ref of candidates.filter((name) => !refs.has(name)))
      await rm(join(runsFolder, ref), { recursive: true, force: true });
    return found;
  };

  const known = (ref: string): void => {
    if (executionOf(ref) === undefined)
      throw new ExecutorError('lost', `"${ref}" is not a run of the process executor.`);
  };

  const runnerUp = async (): Promise<void> => {
    await mkdir(runsFolder, { recursive: true, mode: 0o700 });
    await link.up();
  };

  /** Makes the run's folder and hands the run to the runner. */
  const hand = async (spec: RunSpec, ref: string, { folder, command }: ActorFolder): Promise<void> => {
    const own = join(runsFolder, ref);
    making.add(ref);
    try {
      await mkdir(own, { mode: 0o700 });
      const home = join(own, 'work');
      await mkdir(home, { mode: 0o700 });
      const named: Record<string, string> = {};
      if (spec.files.length > 0) {
        const shelf = join(own, 'files');
        await mkdir(shelf, { mode: 0o700 });
        for (const file of spec.files) named[file.variable] = await place(file, shelf);
      }
      const PATH = [...new Set(SYSTEM_PATH)].join(delimiter);
      const { executionId, workerId } = spec;
      const { memoryBytes, pids } = spec.limits;
      const defaults = { PATH, HOME: home, TMPDIR: home, PWD: folder };
      const socket = spec.resultSocket === undefined ? {} : { [RESULT_SOCKET]: spec.resultSocket };
      const environment = { ...defaults, ...spec.environment, ...named, ...socket, [MARK]: executionId };
      await link.ask({
        op: 'create',
        run: { ref, executionId, workerId, command, folder, environment, memoryBytes, pids },
      });
    } catch (error) {
      await rm(own, { recursive: true, force: true });
      throw error;
    } finally {
      making.delete(ref);
    }
  };

  return {
    takes: (image) => image.startsWith('file:'),
    probe: async () => ({ available: true, description: 'processes of this machine' }),
    prepare: async (image) => {
      await readActorFolder(image);
    },
    apiServer: async () => options.apiServer(),
    create: async (spec, signal) => {
      signal.throwIfAborted();
      const ref = refOf(spec.executionId, randomBytes(6).toString('hex'));
      if (ref === undefined) throw new ExecutorError('start', `"${spec.executionId}" is not an execution id.`);
      try {
        // The runner comes first: when it starts, it takes folders that it does not know for those of lost runs.
        const [actor] = await Promise.all([readActorFolder(spec.image), runnerUp()]);
        await hand(spec, ref, actor);
      } catch (error) {
        if (error instanceof ExecutorError) throw error;
        const why = error instanceof Error ? error.message : String(error);
        throw new ExecutorError('start', `The folder of the run ${ref} cannot be made: ${why}`, { cause: error });
      }
      return ref;
    },
    start: async (ref, sink) => {
      known(ref);
      return await link.follow('start', ref, sink);
    },
    reattach: async (ref, sink) => {
      known(ref);
      return await link.follow('attach', ref, sink);
    },
    stop: async (ref, graceMs) => {
      if (executionOf(ref) === undefined || !(await anything())) return;
      await link.ask({ op: 'stop', ref, graceMs }, graceMs + ANSWER_MS);
    },
    remove: async (ref) => {
      if (executionOf(ref) === undefined || !(await anything())) return;
      await link.ask({ op: 'remove', ref });
    },
    list,
    closeWorker: async () => undefined,
    onAvailability: () => () => undefined,
    close: async ({ removeAll }) => {
      try {
        if (removeAll && (await link.reach())) await link.ask({ op: 'retire' });
      } catch (error) {
        // A runner that is going already does what was asked of it.
        if (!(error instanceof ExecutorError)) throw error;
      } finally {
        link.close();
      }
    },
  };
};
