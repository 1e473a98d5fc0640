// What of the process a run may use, gathered in one place.
import { realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import tty from 'node:tty';
import { type HelperCommand, KEYCHAIN_ARGUMENT } from './local/credentials/keychain.ts';
import type { Sink } from './ui/sink.ts';

/** What of the process a run may use. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly tmp: string;
  readonly uid: number;
  readonly cwd: string;
  /** Opened by whoever reads it, and by nothing else. */
  readonly stdin: AsyncIterable<Buffer>;
  readonly stdinTty: boolean;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly signal: AbortSignal;
  readonly version: string;
  /** How this program and its daemon are started again. */
  readonly keychainHelper: HelperCommand;
  readonly daemon: HelperCommand;
}

/** Reads the process. */
export const surroundings = (signal: AbortSignal, version: string): Surroundings => {
  const script = realpathSync(process.argv[1] ?? '');
  const daemon = path.join(path.dirname(script), script.endsWith('.ts') ? 'actorctld.ts' : 'actorctld.mjs');
  const start = (...args: readonly string[]): HelperCommand => ({
    file: process.execPath,
    args: [...process.execArgv, ...args],
  });
  const home = process.env['ACTORCTL_HOME'];
  return {
    // The daemon works in another folder, where a relative path would be another one.
    env: home ? { ...process.env, ACTORCTL_HOME: path.resolve(home) } : process.env,
    platform: process.platform,
    home: os.homedir(),
    tmp: os.tmpdir(),
    uid: process.getuid?.() ?? -1,
    cwd: process.cwd(),
    // Merely touching process.stdin opens it, which can hang on a pipe that nobody closes (cli.md R12).
    get stdin() {
      return process.stdin;
    },
    stdinTty: tty.isatty(0),
    stdout: process.stdout,
    stderr: process.stderr,
    signal,
    version,
    keychainHelper: start(script, KEYCHAIN_ARGUMENT),
    daemon: start(daemon),
  };
};
