// Starts the relay through which containers of an engine without root reach the daemon, and checks that it still works.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineNamespace } from '../engine/engine-namespace.ts';

/** The first line of a relay: the port at which it listens, or the system's error code. */
export type Opening = { readonly port: number } | { readonly problem: string };

export interface Relay {
  readonly port: number;
  /** False if containers that start now do not reach the relay, so that a new one must be opened. Never throws. */
  isCurrent(): Promise<boolean>;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  close(): void;
}

export class RelayFailure extends Error {
  override readonly name = 'RelayFailure';
  /** True if the address does not exist in the namespace. */
  readonly hasNoAddress: boolean;

  constructor(problem: string) {
    super(`the relay in the network namespace of the engine cannot be opened: ${problem}`);
    this.hasNoAddress = problem === 'EADDRNOTAVAIL';
  }
}

/** Time in which the relay must start, and in which it must reply. */
const START_MS = 30_000;
const REPLY_MS = 5_000;
/** How much of the error output of a relay that failed is reported. */
const MOST_ERROR = 500;

/** Resolves with undefined after `ms` milliseconds. */
const within = async <T>(ms: number, work: Promise<T>): Promise<T | undefined> => {
  const done = new AbortController();
  const late = sleep(ms, undefined, { signal: done.signal }).catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
  }
};

/**
 * Starts a relay and resolves when it listens.
 * @param inputs.program path of the relay's bundle
 * @param inputs.socket path of the socket to which the relay passes connections
 * @param inputs.ports the ports to try, in this order; 0 is any free one
 * @throws RelayFailure; a system error if the engine has no process
 */
export const openRelay = async (inputs: {
  readonly namespace: EngineNamespace;
  readonly program: string;
  readonly address: string;
  readonly socket: string;
  readonly ports: readonly number[];
}): Promise<Relay> => {
  const { namespace, program, address, socket, ports } = inputs;
  const generation = namespace.generation();
  const [command = '', ...words] = namespace.enter();
  const args = [process.execPath, program, address, path.basename(socket), ...ports.map(String)];
  const child = spawn(command, [...words, ...args], {
    // Systems limit the path of a socket to about 100 bytes.
    cwd: path.dirname(socket),
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...namespace.env },
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-MOST_ERROR);
  });
  child.stdin.on('error', () => undefined);
  let isEnded = false;
  const ended = new Promise<void>((resolve) => {
    const end = (error?: unknown): void => {
      if (error instanceof Error) errors = error.message;
      isEnded = true;
      waiting?.(undefined);
      resolve();
    };
    child.once('error', end);
    child.once('close', () => end());
  });
  let waiting: ((line: string | undefined) => void) | undefined;
  createInterface({ input: child.stdout }).on('line', (line) => waiting?.(line));
  const nextLine = (ms: number): Promise<string | undefined> =>
    isEnded
      ? Promise.resolve(undefined)
      : within(
          ms,
          new Promise<string | undefined>((resolve) => {
            waiting = resolve;
          }),
        );
  const close = (): void => {
    child.stdin.end();
  };

  const first = await nextLine(START_MS);
  if (first === undefined) {
    child.kill('SIGKILL');
    throw new RelayFailure(errors.trim() || `${command} does not respond`);
  }
  const opening: Opening = JSON.parse(first);
  if ('problem' in opening) throw new RelayFailure(opening.problem);

  let checking: Promise<boolean> | undefined;
  const check = async (): Promise<boolean> => {
    if (isEnded || namespace.generation() !== generation) return false;
    const reply = nextLine(REPLY_MS);
    child.stdin.write('\n');
    return (await reply) === JSON.stringify({ here: true });
  };
  return {
    port: opening.port,
    ended,
    close,
    isCurrent: () => {
      checking ??= check().finally(() => {
        checking = undefined;
      });
      return checking;
    },
  };
};
