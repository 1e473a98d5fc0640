// The executor of `file:///folder` images: runs actors as processes of this machine, which belong to a runner process
// beside the daemon. Processes run as the daemon's user and are not sandboxed; creating such an actor requires the
// admin role. Enforcing memory and process limits needs /proc. Without it (macOS) they are not enforced, and children
// that leave the run's process group are not found.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Dialect } from '../../../src/contract/dialect.ts';
import { removeTree } from '../../../src/local/folders/remove-tree.ts';
import { type Executor, ExecutorError, type Found, type RunSpec } from '../../ports/executor.ts';
import type { Logger } from '../../ports/logger.ts';
import { readOutputFiles } from '../outputs/output-files.ts';
import { errorCode } from '../read-field.ts';
import { RUN_VARIABLE } from '../runner/processes.ts';
import { executionOf, refOf } from '../runner/protocol.ts';
import { readActorFolder } from './actor-folder.ts';
import { makeFiles, makeFolder, outputsOf, SYSTEM_PATH } from './run-folder.ts';
import { createRunnerLink } from './runner-link.ts';

export interface ProcessExecutorOptions {
  /**
   * Absolute path of the runs folder, created with mode 0700 at the first run. It contains one folder per run and
   * belongs to one instance.
   */
  readonly runsFolder: string;
  /** Path of the runner's bundle, `dist/actor-runner.cjs`. */
  readonly runnerPath: string;
  /** Path of the runner's unix socket, of any length, in a folder that only this user can change. */
  readonly socketPath: string;
  /** Maximum bytes of output stored per run, well above the log size limit. Default 8 MiB. */
  readonly outputCapBytes?: number;
  /** The API's address for processes of this machine. Undefined while the API does not listen. */
  readonly apiServer: (dialect: Dialect) => string | undefined;
  readonly logger: Logger;
}

const OUTPUT_CAP_BYTES = 8 * 1024 * 1024;
const ANSWER_MS = 10_000;
/** Path of the result socket: a process, unlike a container, cannot have it at a fixed path in `/`. */
const RESULT_SOCKET = '_svc_results_socket';
const LEGACY_RESULT_SOCKET = '_abaco_results_socket';
/** Longest path in bytes at which a program can reach a socket: macOS allows 103 and a NUL character. */
const SOCKET_PATH_LIMIT = 103;

/**
 * A path of the socket that is short enough for the programs of actors. A long path is shortened through the runner's
 * working directory in /proc, because the run ends with the runner anyway. Undefined if the system has no /proc.
 */
const reachable = (socket: string, runner: number, runnerFolder: string): string | undefined => {
  if (Buffer.byteLength(socket) <= SOCKET_PATH_LIMIT) return socket;
  return process.platform === 'linux' ? `/proc/${runner}/cwd/${relative(runnerFolder, socket)}` : undefined;
};

/**
 * Converts `lost` to `start`: if the runner that got the first order does not know the run, the run was lost with an
 * earlier runner before it started.
 */
const firstStartError = (error: unknown): unknown =>
  error instanceof ExecutorError && error.kind === 'lost'
    ? new ExecutorError('start', `The run was not started: ${error.message}`, { cause: error })
    : error;

/**
 * Runs actors as processes. A run's environment is that of RunSpec, plus PATH and PWD where RunSpec does not set them;
 * the daemon's own environment is not passed on. The command runs in the image folder, next to its files (`node
 * main.js`). HOME and TMPDIR are always an empty folder that is removed with the run. Runs continue when the daemon
 * stops, and a later daemon can reattach to them; they end with the runner.
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

  const socketVariables = ({ resultSocket, dialect }: RunSpec, runner: number): Record<string, string> => {
    const file = resultSocket && reachable(resultSocket, runner, dirname(options.socketPath));
    if (file === undefined) return {};
    return { [RESULT_SOCKET]: file, ...(dialect === 'legacy' && { [LEGACY_RESULT_SOCKET]: file }) };
  };

  /** Runs whose folder is being created and which the runner may not know yet. */
  const creating = new Set<string>();
  /** Runs that the runner has and that were not ordered to start yet. */
  const created = new Set<string>();

  const runFolders = async (): Promise<string[]> => {
    try {
      return (await readdir(runsFolder)).filter((name) => executionOf(name) !== undefined);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw new ExecutorError('unavailable', `Cannot read the folder ${runsFolder}: ${String(error)}`, {
        cause: error,
      });
    }
  };
  const mayHaveRuns = async (): Promise<boolean> => (await link.reach()) || (await runFolders()).length > 0;

  /** Deletes run folders that the runner does not know. A daemon was killed while it created them. */
  const list = async (): Promise<readonly Found[]> => {
    if (!(await mayHaveRuns())) return [];
    const before = new Set(creating);
    const candidates = (await runFolders()).filter((name) => !before.has(name) && !creating.has(name));
    const found = (await link.request({ op: 'list' })).found ?? [];
    const refs = new Set(found.map(({ ref }) => ref));
    for (const ref of candidates.filter((name) => !refs.has(name)))
      await removeTree(join(runsFolder, ref)).catch((error: unknown) =>
        options.logger.warn({ ref, error }, 'cannot delete the folder of a lost run; the next start tries again'),
      );
    return found;
  };

  const requireRef = (ref: string): void => {
    if (executionOf(ref) === undefined)
      throw new ExecutorError('lost', `"${ref}" is not a run of the process executor.`);
  };

  const ensureRunner = async (): Promise<void> => {
    await mkdir(runsFolder, { recursive: true, mode: 0o700 });
    await link.ensureRunner();
  };

  /**
   * Creates the run's folder and passes the run to the runner. Waits for its response: a stored claim must not name a
   * run that only this process knows. If this process is killed before the runner has read the order, the order is
   * lost, because the runner closes the connection.
   */
  const passToRunner = async (spec: RunSpec, ref: string): Promise<void> => {
    const own = join(runsFolder, ref);
    creating.add(ref);
    try {
      const [actor, made] = await Promise.allSettled([readActorFolder(spec.image), makeFolder(own, 'work')]);
      if (actor.status === 'rejected') throw actor.reason;
      if (made.status === 'rejected') throw made.reason;
      const { folder, command } = actor.value;
      const home = made.value;
      const named = await makeFiles(own, spec);
      const { executionId, workerId } = spec;
      const { memoryBytes, pids } = spec.limits;
      // These come after the variables of the message, so that a message cannot set them: programs run what they find
      // in the home folder.
      const fixed = { ...named, HOME: home, TMPDIR: home, [RUN_VARIABLE]: executionId };
      await link.request((runner) => {
        const environment = {
          PATH: SYSTEM_PATH,
          PWD: folder,
          ...spec.environment,
          ...fixed,
          ...socketVariables(spec, runner),
        };
        const run = { ref, executionId, workerId, command, folder, environment, memoryBytes, pids };
        return { op: 'create', run };
      });
      created.add(ref);
    } catch (error) {
      await rm(own, { recursive: true, force: true });
      throw error;
    } finally {
      creating.delete(ref);
    }
  };

  return {
    takes: (image) => image.startsWith('file:'),
    leastMemoryBytes: 0,
    probe: async () =>
      existsSync(process.execPath) || (await link.reach())
        ? { available: true, description: 'processes of this machine' }
        : {
            available: false,
            reason: `${process.execPath} no longer exists: restart the daemon (actorctl daemon restart)`,
          },
    imageFault: async (image) => {
      const fault = await readActorFolder(image).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (fault === undefined || fault instanceof ExecutorError) return fault?.message;
      throw fault;
    },
    prepare: async (image) => {
      await readActorFolder(image);
    },
    apiServer: async (dialect) => options.apiServer(dialect),
    create: async (spec, signal) => {
      signal.throwIfAborted();
      const ref = refOf(spec.executionId, randomBytes(6).toString('hex'));
      if (ref === undefined) throw new ExecutorError('start', `"${spec.executionId}" is not an execution id.`);
      try {
        // The runner must be started first: at its start it deletes unknown folders as those of lost runs.
        if (!link.isConnected()) await ensureRunner();
        await passToRunner(spec, ref);
      } catch (error) {
        if (error instanceof ExecutorError) throw error;
        const why = error instanceof Error ? error.message : String(error);
        throw new ExecutorError('start', `Cannot create the folder of the run ${ref}: ${why}`, { cause: error });
      }
      return ref;
    },
    start: async (ref, sink) => {
      requireRef(ref);
      const isFirst = created.delete(ref);
      try {
        return await link.follow('start', ref, sink);
      } catch (error) {
        throw isFirst ? firstStartError(error) : error;
      }
    },
    reattach: async (ref, sink) => {
      requireRef(ref);
      return await link.follow('attach', ref, sink);
    },
    stop: async (ref, graceMs) => {
      if (executionOf(ref) === undefined || !(await mayHaveRuns())) return;
      await link.request({ op: 'stop', ref, graceMs }, graceMs + ANSWER_MS);
    },
    openShell: async ({ image, environment, files, outputs }) => {
      const { folder, command: ran } = await readActorFolder(image);
      return { ran, folder, environment: { PATH: SYSTEM_PATH, ...environment }, files, ...outputs };
    },
    outputs: (ref, limits) => readOutputFiles(outputsOf(join(runsFolder, ref)), limits),
    remove: async (ref) => {
      if (executionOf(ref) === undefined || !(await mayHaveRuns())) return;
      created.delete(ref);
      await link.request({ op: 'remove', ref });
    },
    list,
    closeWorker: async () => undefined,
    onAvailability: () => () => undefined,
    close: async ({ removeAll }) => {
      try {
        if (removeAll && (await link.reach())) await link.request({ op: 'retire' });
      } catch (error) {
        // A runner that is already stopping needs no stop request.
        if (!(error instanceof ExecutorError)) throw error;
      } finally {
        link.close();
      }
    },
  };
};
