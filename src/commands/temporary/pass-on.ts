// Runs the program of `exec` with the streams of this process, and passes signals on to it.
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { CommandContext } from '../../context.ts';
import { CliFailure, messageOf, systemCode } from '../../failure.ts';
import { killMarked } from '../../local/marked-processes.ts';

/** Milliseconds in which several signals count as one: a terminal and npm both send the signal of one Ctrl-C. */
const SAME_SIGNAL_MS = 1_000;

/**
 * Starts a small process in the group of this process, which finds out whether a signal went to the whole group, as a
 * terminal sends it. Such a signal ends the process, and any other does not.
 */
const startWitness = () => {
  // The same name on all systems but Windows, whose terminals send Ctrl-C to all programs.
  const child = spawn('cat', [], { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = new Promise<boolean>((resolve) => child.once('exit', (_code, signal) => resolve(signal !== null)));
  child.once('error', () => undefined);
  child.stdin.on('error', () => undefined);
  return {
    /** True if the group got the signal. A process with a pending signal ends before it can answer. */
    sawSignal: (): Promise<boolean> => {
      if (child.pid === undefined) return Promise.resolve(process.platform === 'win32');
      const answered = new Promise<boolean>((resolve) => child.stdout.once('data', () => resolve(false)));
      child.stdin.write('?');
      return Promise.race([ended, answered]);
    },
    end: (): void => void child.stdin.end(),
  };
};

const startFailure = (program: string, error: Error): CliFailure => {
  const code = systemCode(error);
  if (code === 'ENOENT')
    return new CliFailure('COMMAND_NOT_FOUND', `cannot start "${program}": no such program`, {
      hint: 'check the name and PATH. For a shell command: actorctl exec -- sh -c COMMAND',
      cause: error,
    });
  const why = code === 'EACCES' ? 'permission denied' : messageOf(error);
  return new CliFailure('COMMAND_NOT_STARTED', `cannot start "${program}": ${why}`, {
    hint: 'name a program that you may execute',
    cause: error,
  });
};

const outcomeOf = (child: ChildProcess, program: string): Promise<number> =>
  new Promise((resolve, reject) => {
    child.once('error', (error) => reject(startFailure(program, error)));
    // Not `close`: a process that the program left behind may hold its streams for long.
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });

export interface Program {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Name of the temporary home, which marks all processes of the program. */
  readonly mark: string;
}

/**
 * Runs the program and returns its exit code; for a program that a signal has ended, 128 and the number of the signal.
 * The first signal is passed on. A later one ends the program and its descendants, and the one after that this process.
 * @throws CliFailure COMMAND_NOT_FOUND, COMMAND_NOT_STARTED
 */
export const runProgram = async (
  { takeSignals }: Pick<CommandContext, 'takeSignals'>,
  { command: [name = '', ...args], env, cwd, mark }: Program,
): Promise<number> => {
  const child = spawn(name, args, { stdio: 'inherit', env, cwd });
  const witness = startWitness();
  let signals = 0;
  let last = 0;
  takeSignals((signal) => {
    const now = performance.now();
    if (signals > 0 && now - last <= SAME_SIGNAL_MS) return;
    last = now;
    signals += 1;
    if (signals > 2) process.exit(128 + constants.signals[signal]);
    if (signals === 2) {
      killMarked(mark);
      child.kill('SIGKILL');
    } else void witness.sawSignal().then((isForAll) => isForAll || child.kill(signal));
  });
  try {
    return await outcomeOf(child, name);
  } finally {
    witness.end();
    // A program that was interrupted may end before its own children.
    if (signals > 0) killMarked(mark);
  }
};
