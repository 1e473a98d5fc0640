// Runs the command line for tests: as the built program in a process of its own, or in this process over the same sources.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { runCommandLine } from '../../../src/command-line.ts';
import { KEYCHAIN_ARGUMENT } from '../../../src/local/credentials/helper-command.ts';
import { withWholePaths } from '../../../src/local/daemon/resolve-start.ts';
import { loginShell } from '../../../src/local/folders/home-folder.ts';
import type { ProcessContext } from '../../../src/process-context.ts';
import { preloads } from '../preloads/preloads.ts';

const inRepository = (name: string): string => fileURLToPath(new URL(`../../../${name}`, import.meta.url));

/** The built command line. */
export const program = inRepository('dist/actorctl.cjs');

/** The built daemon. */
export const daemonProgram = inRepository('dist/actorctld.cjs');

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** The whole environment. */
  readonly env: NodeJS.ProcessEnv;
  /** All of stdin. */
  readonly input?: string | Buffer;
  readonly cwd?: string;
  /** Time in which completion may read names; only in this process. */
  readonly completionMs?: number;
}

/** A command that was started. */
export interface Running {
  /** Its stdout so far. */
  out(): string;
  /** Its stderr so far. */
  err(): string;
  /** Settles with its exit code and all of its output; never rejects for an exit code. */
  readonly ended: Promise<Ended>;
  /** Interrupts it like Ctrl-C. */
  interrupt(): void;
}

/** Starts a command. */
export type Start = (args: readonly string[], options: RunOptions) => Running;

/** Collects text that arrives in pieces, even if a piece ends inside a character. */
const collect = () => {
  const pieces: Buffer[] = [];
  return {
    add: (piece: string | Uint8Array): void => {
      pieces.push(Buffer.from(piece as Uint8Array));
    },
    text: () => Buffer.concat(pieces).toString('utf8'),
  };
};

/** @throws Error if Node wrote a warning to the stderr of a command */
export const refuseWarnings = (args: readonly string[], stderr: string): void => {
  if (/^\(node:\d+\) /m.test(stderr)) throw new Error(`actorctl ${args.join(' ')} ended with a warning: ${stderr}`);
};

/** The built program in a process of its own. */
export const startProcess = (
  args: readonly string[],
  { env, input, cwd }: RunOptions,
): Running & { readonly child: ChildProcess } => {
  const child = spawn(process.execPath, [...preloads, program, ...args], {
    env,
    ...(cwd !== undefined && { cwd }),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const [out, err] = [collect(), collect()];
  child.stdout.on('data', out.add);
  child.stderr.on('data', err.add);
  child.stdin.on('error', () => child.stdin.destroy());
  child.stdin.end(input ?? '');
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      try {
        refuseWarnings(args, err.text());
        resolve({ code: code ?? 128, stdout: out.text(), stderr: err.text() });
      } catch (error) {
        reject(error);
      }
    });
  });
  return { child, out: out.text, err: err.text, ended, interrupt: () => void child.kill('SIGINT') };
};

const { version } = JSON.parse(readFileSync(inRepository('package.json'), 'utf8')) as { readonly version: string };

/** A stream that keeps what is written to it; it is no terminal. */
const sink = () => {
  const { add, text } = collect();
  const write: ProcessContext['stdout']['write'] = (chunk, done) => {
    add(chunk);
    // As a pipe does it: never before the writer has returned.
    if (done) setImmediate(done);
    return true;
  };
  return { text, write };
};

/** The same command line in this process: about 100 times cheaper. The daemon that it starts is a process all the same. */
export const startInProcess: Start = (args, { env, input = '', cwd = process.cwd(), completionMs = 20_000 }) => {
  const interruption = new AbortController();
  const [stdout, stderr] = [sink(), sink()];
  const around: ProcessContext = {
    env: withWholePaths(env, cwd),
    platform: process.platform,
    home: env['HOME'] ?? os.homedir(),
    loginShell: () => loginShell(env),
    uid: process.getuid?.() ?? -1,
    cwd,
    openStdin: async function* () {
      if (input.length > 0) yield Buffer.from(input as Buffer);
    },
    stdinTty: false,
    stdout,
    stderr,
    signal: interruption.signal,
    takeSignals: () => undefined,
    version,
    program: { file: process.execPath, args: [...preloads, program] },
    keychainHelper: { file: process.execPath, args: [program, KEYCHAIN_ARGUMENT] },
    docsDir: inRepository('docs'),
    daemon: { file: process.execPath, args: [...preloads, daemonProgram] },
  };
  const ended = runCommandLine(args, {
    env: around.env,
    stdout,
    stderr,
    processContext: async () => around,
    signalExit: () => (interruption.signal.aborted ? 130 : undefined),
    completionMs: () => completionMs,
  }).then((code) => ({ code, stdout: stdout.text(), stderr: stderr.text() }));
  return { out: stdout.text, err: stderr.text, ended, interrupt: () => interruption.abort() };
};
