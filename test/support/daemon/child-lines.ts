// A TypeScript file of ours as a process of its own, read line by line.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface ChildLines {
  readonly process: ChildProcessWithoutNullStreams;
  /** Whole lines of standard output so far. */
  lines(): string[];
  /** What it wrote to standard error. */
  errors(): string;
  /** Resolves when the process has ended and all its output was read. */
  readonly closed: Promise<unknown>;
}

/** @param file name of a file in test/support */
export const runLines = (file: string, args: readonly string[]): ChildLines => {
  const script = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, ...args], { stdio: 'pipe' });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  return {
    process: child,
    lines: () => output.split('\n').slice(0, -1),
    errors: () => errors,
    closed: once(child, 'close'),
  };
};
