// Starts the command of one run in its own session and reports its output and its end.
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import path from 'node:path';
import { systemStartFault } from '../../domain/executions/start-fault.ts';
import { ExecutorError } from '../../ports/executor.ts';
import { errorCode } from '../read-field.ts';
import type { Stream } from './output.ts';
import { killAll, signalGroup } from './processes.ts';
import { findProgram } from './program-file.ts';
import type { RunOrder } from './protocol.ts';

export interface Exit {
  /** Exit code. 128 + n if signal n killed the process. */
  readonly exitCode: number;
  readonly signal: NodeJS.Signals | undefined;
  readonly finishedAt: number;
}

export interface Child {
  readonly pid: number;
  readonly startedAt: number;
  /** Resolves when the first process has ended and all output has been passed on. Never rejects. */
  readonly over: Promise<Exit>;
}

/** Time after the end of the first process after which child processes that still hold its pipes are killed. */
const LINGER_MS = 20;
/** Time after which the run ends even though a process still holds the pipes. */
const GIVE_UP_MS = 3000;

const startError = ({ command, folder, environment }: RunOrder, error: unknown): ExecutorError => {
  const [name = ''] = command;
  const file = findProgram(name, folder, environment['PATH'] ?? '');
  const source = { owner: `the folder ${folder}`, field: `"command" in ${path.join(folder, 'actor.json')}` };
  const said = error instanceof Error ? error.message : String(error);
  const code = errorCode(error);
  const { kind, message } = systemStartFault(
    { code: code === undefined ? code : String(code), said },
    name,
    file,
    source,
  );
  return new ExecutorError(kind, message, { cause: error });
};

const spawnCommand = (order: RunOrder): ChildProcess => {
  const [program, ...args] = order.command;
  try {
    return spawn(program ?? '', args, {
      cwd: order.folder,
      env: { ...order.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
  } catch (error) {
    throw startError(order, error);
  }
};

/** @throws ExecutorError start, never, size */
export const spawnRun = async (order: RunOrder, onOutput: (stream: Stream, data: Buffer) => void): Promise<Child> => {
  const startedAt = Date.now();
  const begun = performance.now();
  const child = spawnCommand(order);
  const { pid } = child;
  if (pid === undefined) {
    const error = await new Promise<unknown>((resolve) => child.once('error', resolve));
    throw startError(order, error);
  }
  child.stdout?.on('data', (data: Buffer) => onOutput('stdout', data));
  child.stderr?.on('data', (data: Buffer) => onOutput('stderr', data));
  const over = new Promise<Exit>((resolve) => {
    let exit: Exit | undefined;
    let lingering: NodeJS.Timeout | undefined;
    let givingUp: NodeJS.Timeout | undefined;
    child.once('exit', (code, signal) => {
      const exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
      // Measured with the monotonic clock: if the system clock is set back, the run must not end before its start.
      const finishedAt = startedAt + Math.round(performance.now() - begun);
      exit = { exitCode, signal: signal ?? undefined, finishedAt };
      signalGroup(pid, 'SIGKILL');
      lingering = setTimeout(() => void killAll([{ executionId: order.executionId, session: pid }]), LINGER_MS);
      // A process that cannot be traced to the run still holds the pipes. It is not killed, but the run ends without
      // it.
      givingUp = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, GIVE_UP_MS);
    });
    child.once('close', () => {
      clearTimeout(lingering);
      clearTimeout(givingUp);
      if (exit !== undefined) resolve(exit);
    });
  });
  return { pid, startedAt, over };
};
