// `actorctl events tail` as a process that goes on in the background.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Home, program } from '../daemon/home.ts';

export interface BackgroundTail {
  readonly child: ChildProcess;
  /** Its exit code, once all that it wrote is read. */
  readonly closed: Promise<number>;
  out(): string;
  err(): string;
}

/** Starts one; whoever starts it ends it. */
export const backgroundTail = (home: Home, ...args: readonly string[]): BackgroundTail => {
  const child = spawn(process.execPath, [program, 'events', 'tail', ...args], {
    env: home.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const closed = once(child, 'close').then(([code]) => Number(code));
  return { child, closed, out: () => stdout, err: () => stderr };
};
