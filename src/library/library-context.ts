// The dependencies of the libraries: those of a command that prints nothing and asks nothing.
import path from 'node:path';
import { Readable } from 'node:stream';
import { type GlobalValues, globalOptions } from '../commands/framework/flags.ts';
import type { CommandContext } from '../context.ts';
import { KEYCHAIN_ARGUMENT } from '../local/credentials/helper-command.ts';
import { withWholePaths } from '../local/daemon/resolve-start.ts';
import { homeFolder, loginShell } from '../local/folders/home-folder.ts';
import { VERSION } from '../local/version.ts';
import type { Sink } from '../ui/sink.ts';
import { createContext } from '../wiring.ts';

export interface Target {
  /** Address of the service. Needs `token`. Default: that of the command line. */
  readonly baseUrl?: string;
  readonly token?: string;
  /** Name of a context of the command line. */
  readonly context?: string;
  /** Name of a local instance. */
  readonly instance?: string;
  /** Ends everything that waits. */
  readonly signal?: AbortSignal;
}

const noFlags = Object.fromEntries(
  Object.entries(globalOptions).map(([key, option]) => [key, option.read([])]),
) as GlobalValues;

const nowhere: Sink = {
  write: (_text, done) => {
    done?.();
    return true;
  },
};

/** The folder of the built programs, beside that of the libraries. */
const programs = path.resolve(import.meta.dirname, '..');

export const libraryContext = ({
  baseUrl,
  token,
  context,
  instance,
  signal = new AbortController().signal,
}: Target): Promise<CommandContext> => {
  const cwd = process.cwd();
  const env = {
    ...process.env,
    ...(baseUrl !== undefined && { ACTORCTL_BASE_URL: baseUrl, ACTORCTL_CONTEXT: 'local' }),
    ...(token !== undefined && { ACTORCTL_TOKEN: token }),
  };
  const script = path.join(programs, 'actorctl.cjs');
  const program = (...args: readonly string[]) => ({ file: process.execPath, args });
  return createContext({ ...noFlags, context, instance, quiet: true, input: false, yes: true }, undefined, {
    env: withWholePaths(env, cwd),
    platform: process.platform,
    home: homeFolder(process.env),
    loginShell: () => loginShell(process.env),
    uid: process.getuid?.() ?? -1,
    cwd,
    openStdin: () => Readable.from([]),
    stdinTty: false,
    stdout: nowhere,
    stderr: nowhere,
    signal,
    takeSignals: () => undefined,
    version: VERSION,
    program: program(script),
    keychainHelper: program(script, KEYCHAIN_ARGUMENT),
    daemon: program(path.join(programs, 'actorctld.cjs')),
    docsDir: path.join(programs, '..', 'docs'),
  });
};
