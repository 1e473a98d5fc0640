// Runs a TypeScript file of the tests as a separate process, and reads its output line by line.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { failOnWarning } from '../preloads/preloads.ts';

export interface ChildLines {
  readonly process: ChildProcessWithoutNullStreams;
  /** Complete lines of standard output so far. */
  lines(): string[];
  /** The text on standard error so far. */
  errors(): string;
  /** Resolves when the process has ended and all its output was read. */
  readonly closed: Promise<unknown>;
}

const bundles = new Map<string, string>();

/** Bundles the file at its first use: a process that has nothing to translate starts ten times as fast. */
const bundleOf = (file: string): string => {
  const known = bundles.get(file);
  if (known !== undefined) return known;
  // The setup of the run removes it: a worker of vitest is killed at its end.
  const folder = mkdtempSync(join(process.env['ACTORCTL_TEST_KEPT'] ?? tmpdir(), 'bundle-'));
  const outfile = join(folder, 'child.mjs');
  buildSync({
    entryPoints: [fileURLToPath(new URL(`../${file}`, import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    logLevel: 'error',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  bundles.set(file, outfile);
  return outfile;
};

/**
 * @param file path of a file below test/support
 * @param under a command with its arguments that runs the process, such as `unshare`
 */
export const runLines = (file: string, args: readonly string[], under: readonly string[] = []): ChildLines => {
  const [program = process.execPath, ...rest] = [...under, process.execPath, ...failOnWarning, bundleOf(file), ...args];
  const child = spawn(program, rest, { stdio: 'pipe' });
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
