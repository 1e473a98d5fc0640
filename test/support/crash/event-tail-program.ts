// Runs `actorctl events tail` as a background process.
import type { ChildProcess } from 'node:child_process';
import type { Home } from '../daemon/home.ts';
import { startProcess } from '../daemon/run-program.ts';

export interface BackgroundTail {
  readonly child: ChildProcess;
  /** Its exit code, once all its output was read. */
  readonly closed: Promise<number>;
  out(): string;
  err(): string;
}

/** Starts the process. The caller ends it. */
export const backgroundTail = (home: Home, ...args: readonly string[]): BackgroundTail => {
  const { child, ended, out, err } = startProcess(['events', 'tail', ...args], { env: home.env });
  return { child, closed: ended.then(({ code }) => code), out, err };
};
