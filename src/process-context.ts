// Collects the parts of the process that a run may use.
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { CliFailure } from './failure.ts';
import { type HelperCommand, KEYCHAIN_ARGUMENT } from './local/credentials/helper-command.ts';
import { withWholePaths } from './local/daemon/resolve-start.ts';
import { homeFolder, loginShell } from './local/folders/home-folder.ts';
import type { Sink } from './ui/sink.ts';

/** The signals that end a command. */
export type PassedSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** The parts of the process that a command may use. */
export interface ProcessContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** Looks up the program of the user's login shell. The lookup may ask a directory service. */
  readonly loginShell: () => string | undefined;
  readonly uid: number;
  readonly cwd: string;
  /**
   * Opens stdin. Only a reader of stdin may call it, because an open pipe that never closes keeps the process
   * running.
   */
  readonly openStdin: () => AsyncIterable<Buffer>;
  readonly stdinTty: boolean;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly signal: AbortSignal;
  /**
   * Hands the signals of the process to a command that passes them on to another program. From then on `signal` does
   * not fire for them.
   */
  readonly takeSignals: (take: (name: PassedSignal) => void) => void;
  readonly version: string;
  /** Command lines that start this program, its keychain helper and its daemon again. */
  readonly program: HelperCommand;
  readonly keychainHelper: HelperCommand;
  readonly daemon: HelperCommand;
  /** Folder with the pages of the documentation, beside the folder of this program. */
  readonly docsDir: string;
}

/** The parts that cannot be read from the process directly. */
type Given = Pick<ProcessContext, 'stdout' | 'stderr' | 'signal' | 'takeSignals' | 'version'>;

/** @throws CliFailure USAGE if the current folder was deleted */
const currentFolder = (): string => {
  try {
    return process.cwd();
  } catch (cause) {
    throw new CliFailure('USAGE', 'the current folder does not exist any more', {
      hint: 'change to another folder: cd',
      cause,
    });
  }
};

/** Reads the other parts from the process. */
export const processContext = (given: Given): ProcessContext => {
  const cwd = currentFolder();
  const script = realpathSync(process.argv[1] ?? '');
  const daemon = path.join(path.dirname(script), 'actorctld.cjs');
  const start = (...args: readonly string[]): HelperCommand => ({
    file: process.execPath,
    args: [...process.execArgv, ...args],
  });
  return {
    env: withWholePaths(process.env, cwd),
    platform: process.platform,
    home: homeFolder(process.env),
    loginShell: () => loginShell(process.env),
    uid: process.getuid?.() ?? -1,
    cwd,
    openStdin: () => process.stdin,
    stdinTty: process.getBuiltinModule('node:tty').isatty(0),
    ...given,
    program: start(script),
    keychainHelper: start(script, KEYCHAIN_ARGUMENT),
    daemon: start(daemon),
    docsDir: path.join(path.dirname(script), '..', 'docs'),
  };
};
