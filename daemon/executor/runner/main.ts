// The runner: a small process beside the daemon that owns the processes of `file:` actors, so that they outlive the
// daemon. Arguments: path of its socket, runs folder, output limit per run in bytes. It reads no other settings and no
// environment variables.
import { existsSync, lstatSync, unlinkSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { removeTree } from '../../../src/local/folders/remove-tree.ts';
import { answersAt, listenOwn } from '../../../src/local/own-place.ts';
import { errorCode } from '../read-field.ts';
import { readEndRecords } from './end-record.ts';
import { killAll } from './processes.ts';
import { executionOf } from './protocol.ts';
import { createRuns, type Runs } from './runs.ts';
import { serve } from './server.ts';

const TICK_MS = 500;
/** How long a runner stays alive without a daemon and without runs. Long enough for a restart of the daemon. */
const QUIET_MS = 3000;
/** How long a runner stays alive for created runs, which exist only in its memory and wait for the next daemon. */
const PLANNED_MS = 3_600_000;

const listen = (server: Server, path: string): Promise<() => void> => {
  // The socket gets the mode that this umask leaves (0600). Actors get the usual umask.
  const mask = process.umask(0o177);
  try {
    return listenOwn(server, path);
  } finally {
    process.umask(mask);
  }
};

/** Removes a socket file of a killed runner, but only if no process responds on it and it belongs to this user. */
const takeSocket = async (server: Server, path: string): Promise<() => void> => {
  try {
    return await listen(server, path);
  } catch (error) {
    if (errorCode(error) !== 'EADDRINUSE' || (await answersAt(path)) || !lstatSync(path).isSocket()) throw error;
    unlinkSync(path);
    return await listen(server, path);
  }
};

/**
 * Kills what is left of an earlier runner's runs, and deletes the folders of its lost runs. A folder that cannot be
 * deleted stays.
 */
const loadRuns = async (runsFolder: string, outputCapBytes: number): Promise<Runs> => {
  const { ended, lost } = await readEndRecords(runsFolder);
  const refs = [...ended.map(({ ref }) => ref), ...lost];
  await killAll(refs.map((ref) => ({ executionId: executionOf(ref) ?? ref })));
  for (const ref of lost)
    await removeTree(join(runsFolder, ref)).catch((error: unknown) =>
      console.error(`cannot delete the folder of the lost run ${ref}: ${String(error)}`),
    );
  return createRuns({ runsFolder, outputCapBytes, endedRuns: ended });
};

const main = async (): Promise<void> => {
  const [socketPath, runsFolder, outputCap] = process.argv.slice(2);
  if (socketPath === undefined || runsFolder === undefined || outputCap === undefined) {
    throw new Error('usage: actor-runner SOCKET RUNS_FOLDER OUTPUT_CAP_BYTES (it is started by actorctld)');
  }
  process.umask(0o022);
  let runs: Runs | undefined;
  const early: Socket[] = [];
  let connections = 0;
  let close = (): void => undefined;
  let retiring = false;
  let quietSince = performance.now();

  const server = createServer((socket) => {
    connections += 1;
    retiring = false;
    socket.once('close', () => {
      connections -= 1;
      leaveIfQuiet();
    });
    if (runs === undefined) early.push(socket);
    else serve(socket, runs, retire);
  });
  const retire = (): void => {
    retiring = true;
  };
  /** Synchronous, so that no connection can be accepted before the decision takes effect. */
  const leave = (): void => {
    close();
    process.exit(0);
  };
  const leaveIfQuiet = (): void => {
    if (runs === undefined || connections > 0 || runs.busy() > 0) {
      quietSince = performance.now();
      return;
    }
    const stayMs = retiring ? 0 : runs.planned() > 0 ? PLANNED_MS : QUIET_MS;
    if (performance.now() - quietSince >= stayMs) leave();
  };
  const killAndLeave = async (): Promise<void> => {
    await runs?.killEverything();
    leave();
  };

  // The socket is bound first: the process that holds it is the only runner and may clean up after an earlier one.
  close = await takeSocket(server, socketPath);
  runs = await loadRuns(runsFolder, Number(outputCap));
  for (const socket of early) serve(socket, runs, retire);

  setInterval(() => {
    // If the runs folder was deleted, the instance was removed and its runs must end.
    if (!existsSync(runsFolder)) void killAndLeave();
    else leaveIfQuiet();
  }, TICK_MS);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void killAndLeave());
  process.on('SIGHUP', () => undefined);
};

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
