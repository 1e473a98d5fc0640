// `actorctl events tail` as a process that goes on in the background.
import type { ChildProcess } from 'node:child_process';
import type { Home } from '../daemon/home.ts';
import { startProcess } from '../daemon/run-program.ts';

export interface BackgroundTail {
  readonly child: ChildProcess;
  /** Its exit code, once all that it wrote is read. */
  readonly closed: Promise<number>;
  out(): string;
  err(): string;
}

/** Starts one; whoever starts it ends it. */
export const backgroundTail = (home: Home, ...args: readonly string[]): BackgroundTail => {
  const { child, ended, out, err } = startProcess(['events', 'tail', ...args], { env: home.env });
  return { child, closed: ended.then(({ code }) => code), out, err };
};
