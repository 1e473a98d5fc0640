// The runner: a small standing process beside the daemon that owns the processes of `file:` actors, so that they outlive the daemon.
// Arguments: socket path, runs folder, cap of the output of one run in bytes. It is told nothing else, and nothing by its environment.
import { existsSync, lstatSync, unlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { errorCode } from '../read-field.ts';
import { readEndRecords } from './end-record.ts';
import { killAll } from './processes.ts';
import { executionOf } from './protocol.ts';
import { createRuns, type Runs } from './runs.ts';
import { serve } from './server.ts';

const TICK_MS = 500;
/** Without a daemon and without work: long enough for a daemon to be restarted. */
const QUIET_MS = 3000;
/** Runs that were created and not started are in memory alone: what a killed daemon had planned waits so long for the next one. */
const PLANNED_MS = 3_600_000;

const listen = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    // The socket is made with the mode that the mask leaves; the actors get the usual mask.
    const mask = process.umask(0o177);
    server.listen(path, resolve);
    process.umask(mask);
  });

const answers = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = connect(path);
    probe.once('error', () => resolve(false));
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
  });

/** Takes the socket; one left by a runner that was killed is removed, but only if nobody answers on it and it is a socket of ours. */
const takeSocket = async (server: Server, path: string): Promise<void> => {
  try {
    await listen(server, path);
  } catch (error) {
    if (errorCode(error) !== 'EADDRINUSE' || (await answers(path))) throw error;
    const left = lstatSync(path);
    if (!left.isSocket() || left.uid !== process.getuid?.()) throw error;
    unlinkSync(path);
    await listen(server, path);
  }
};

/** Takes up what ended under an earlier runner, and ends what that one took down with itself. */
const takeOver = async (runsFolder: string, outputCapBytes: number): Promise<Runs> => {
  const { ended, lost } = await readEndRecords(runsFolder);
  const refs = [...ended.map(({ ref }) => ref), ...lost];
  await killAll(refs.map((ref) => ({ executionId: executionOf(ref) ?? ref })));
  for (const ref of lost) await rm(join(runsFolder, ref), { recursive: true, force: true });
  return createRuns({ runsFolder, outputCapBytes, known: ended });
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
  /** In one step, so that no connection can come in between. */
  const leave = (): void => {
    server.close();
    process.exit(0);
  };
  const leaveIfQuiet = (): void => {
    if (runs === undefined || connections > 0 || runs.busy() > 0) {
      quietSince = performance.now();
      return;
    }
    const patience = retiring ? 0 : runs.planned() > 0 ? PLANNED_MS : QUIET_MS;
    if (performance.now() - quietSince >= patience) leave();
  };
  const killAndLeave = async (): Promise<void> => {
    await runs?.killEverything();
    leave();
  };

  // The socket first: whoever holds it is the only runner, and may then judge what an earlier one left.
  await takeSocket(server, socketPath);
  runs = await takeOver(runsFolder, Number(outputCap));
  for (const socket of early) serve(socket, runs, retire);

  setInterval(() => {
    // An instance whose folder was removed has no more runs.
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
