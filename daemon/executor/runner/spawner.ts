// Starts processes by a helper in Python, where there is one: that takes a third of the time that Node.js takes (ADR 29).
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { createFrameReader, type Frame } from '../frames.ts';
import type { Stream } from './output.ts';
import type { RunOrder } from './protocol.ts';
import { spawnerCommand } from './spawner-program.ts';

/** How the first process of a run has ended: with a code or by a signal. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The first process of a run, which was started in a session of its own. */
export interface RunProcess {
  readonly pid: number;
  readonly ended: Promise<ProcessEnd>;
  /** Resolves when the process has ended, its pipes are closed, and all output was passed on. */
  readonly closed: Promise<void>;
  /** Closes its pipes, which another process may hold. */
  abandon(): void;
}

/** Receives the output of a process. */
export type OnOutput = (stream: Stream, data: Buffer) => void;

export interface Spawner {
  /** Starts a process. Undefined if it was not started: then Node.js can say why, or start what Python does not. */
  spawn(order: RunOrder, onOutput: OnOutput): Promise<RunProcess | undefined>;
  /** Ends the spawner and the processes that it has started. */
  close(): void;
}

/** A start that was ordered, and its process. */
interface Task {
  readonly onOutput: OnOutput;
  readonly began: (pid: number | undefined) => void;
  readonly ended: (end: ProcessEnd) => void;
  readonly closed: () => void;
}

const signalNames = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name as NodeJS.Signals]),
);

const endOf = (bytes: Buffer): ProcessEnd => {
  const status = Number(bytes.toString('latin1'));
  return status < 0 ? { code: null, signal: signalNames.get(-status) ?? 'SIGKILL' } : { code: status, signal: null };
};

/**
 * Starts the spawner.
 * @param onLost called if it ends later without being closed. Its processes have ended, or cannot be followed any more.
 * @returns undefined if it does not run on this machine
 */
export const startSpawner = (
  onLost: () => void,
  [command, ...args]: readonly [string, ...string[]] = spawnerCommand,
): Promise<Spawner | undefined> =>
  new Promise((resolve) => {
    const child = spawn(command, args, {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { PATH: '/usr/bin:/bin:/usr/local/bin' },
    });
    const tasks = new Map<string, Task>();
    let count = 0;
    let isReady = false;
    let isClosing = false;
    const send = (order: object): void =>
      void (child.stdin.writable && child.stdin.write(`${JSON.stringify(order)}\n`));
    const spawner: Spawner = {
      spawn: (order, onOutput) =>
        new Promise((started) => {
          count += 1;
          const id = count;
          let ended: Task['ended'] = () => undefined;
          let closed: Task['closed'] = () => undefined;
          const process = {
            ended: new Promise<ProcessEnd>((resolve) => {
              ended = resolve;
            }),
            closed: new Promise<void>((resolve) => {
              closed = resolve;
            }),
            abandon: () => send({ id, abandon: true }),
          };
          const began = (pid: number | undefined) => started(pid === undefined ? undefined : { pid, ...process });
          tasks.set(String(id), { onOutput, began, ended, closed });
          const { command, folder, environment } = order;
          send({ id, command, folder, environment });
        }),
      close: () => {
        isClosing = true;
        child.stdin.end();
      },
    };
    const take = ({ kind, id, bytes }: Frame): void => {
      const task = tasks.get(id);
      if (kind === 'r') {
        isReady = true;
        resolve(spawner);
      } else if (kind === '1') task?.onOutput('stdout', bytes);
      else if (kind === '2') task?.onOutput('stderr', bytes);
      else if (kind === 's') task?.began(Number(bytes.toString('latin1')));
      else if (kind === 'x') task?.ended(endOf(bytes));
      else {
        tasks.delete(id);
        if (kind === 'e') task?.began(undefined);
        else task?.closed();
      }
    };
    const read = createFrameReader();
    child.stdout.on('data', (piece: Buffer) => {
      // A program that says anything else first is no spawner.
      if (!isReady && piece.toString('latin1', 0, 1) !== 'r') child.kill('SIGKILL');
      for (const frame of read(piece)) take(frame);
    });
    // Writing to a spawner that is ending fails; `close` reports the end.
    child.stdin.on('error', () => undefined);
    const over = (): void => {
      resolve(undefined);
      if (isReady && !isClosing) onLost();
    };
    child.once('error', over);
    child.once('close', over);
  });
