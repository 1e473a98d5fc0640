// A temporary ACTORCTL_HOME for the built programs: runs the command line in it, and removes everything afterwards.
import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identityOf, type ProcessIdentity } from '../../../src/local/process-identity.ts';
import { type Ended, type Running, type RunOptions, type Start, startInProcess, startProcess } from './run-program.ts';

export { daemonProgram, type Ended, program } from './run-program.ts';

export interface Home {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Runs `actorctl` with these arguments and waits for it. A non-zero exit code is no error. */
  cli(args: readonly string[], options?: Partial<RunOptions>): Promise<Ended>;
  /** Starts `actorctl` and does not wait for it. */
  start(args: readonly string[], options?: Partial<RunOptions>): Running;
  /** Runs a command that must succeed, and returns its JSON output. */
  json<T = Record<string, unknown>>(...args: string[]): Promise<T>;
  /** Starts the daemon on a free port and logs in as its admin user `dev`. */
  up(...flags: string[]): Promise<{ readonly baseUrl: string; readonly pid: number }>;
  /** The pid in daemon.json, or undefined if there is none. */
  pid(): number | undefined;
  /** Kills the daemon and waits until it is gone. */
  kill(): Promise<void>;
  /** Stops everything that runs and deletes the folder. */
  remove(): Promise<void>;
}

export const ADMIN = { username: 'dev', password: 'correct horse battery' } as const;

/** Resolves when the process is gone, and its threads with it. Another process may get its id meanwhile. */
const gone = async ({ pid, processStart }: ProcessIdentity): Promise<void> => {
  while (processStart !== '' && identityOf(pid).processStart === processStart)
    await new Promise((resolve) => setTimeout(resolve, 10));
};

/** A command that runs for longer hangs, unless a test ends it. */
const LONG_MS = 15_000;

const makeHome = (
  env: NodeJS.ProcessEnv,
  start: Start,
  folder = mkdtempSync(join(tmpdir(), 'actorctl-test-')),
): Home => {
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !name.startsWith('ACTORCTL_') &&
        !name.startsWith('VITEST') &&
        !['NODE_EXTRA_CA_CERTS', 'FORCE_COLOR'].includes(name),
    ),
  );
  const full: NodeJS.ProcessEnv = {
    ...inherited,
    NODE_ENV: 'production',
    ACTORCTL_HOME: folder,
    ACTORCTL_CREDENTIAL_STORE: 'file',
    ACTORCTL_ADMIN_USER: ADMIN.username,
    ACTORCTL_ADMIN_PASSWORD: ADMIN.password,
    NO_COLOR: '1',
    ...env,
  };
  const running = new Map<Running, { readonly args: readonly string[]; readonly since: number }>();
  /** Says which commands hang: the error of a test that times out does not. */
  const tellHanging = (): void => {
    for (const [command, { args, since }] of running) {
      const ms = Math.round(performance.now() - since);
      if (ms > LONG_MS) console.error(`actorctl ${args.join(' ')} runs for ${ms} ms and has said: ${command.err()}`);
    }
  };
  const home: Home = {
    folder,
    env: full,
    start: (args, options = {}) => {
      const command = start(args, { ...options, env: { ...full, ...options.env } });
      running.set(command, { args, since: performance.now() });
      const forget = (): void => void running.delete(command);
      command.ended.then(forget, forget);
      return command;
    },
    cli: (args, options) => home.start(args, options).ended,
    async json<T>(...args: string[]): Promise<T> {
      const { code, stdout, stderr } = await home.cli([...args, '--json']);
      if (code !== 0) throw new Error(`actorctl ${args.join(' ')} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout) as T;
    },
    async up(...flags) {
      const { base_url, pid } = await home.json<{ base_url: string; pid: number }>(
        'up',
        '--port',
        'auto',
        '--login',
        ...flags,
      );
      return { baseUrl: base_url, pid };
    },
    pid() {
      try {
        const file = join(folder, 'state', full['ACTORCTL_INSTANCE'] ?? 'default', 'daemon.json');
        return (JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid;
      } catch {
        return undefined;
      }
    },
    async kill() {
      const pid = home.pid();
      if (pid === undefined) return;
      const daemon = identityOf(pid);
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        return;
      }
      await gone(daemon);
    },
    async remove() {
      tellHanging();
      const pid = home.pid();
      const daemon = pid === undefined ? undefined : identityOf(pid);
      // In this process in any case: the end of a test needs no program of its own.
      await startInProcess(['down', '--halt-executions'], { env: full }).ended;
      if (daemon !== undefined) await gone(daemon);
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
  return home;
};

/** Creates an empty home. `env` is added to the environment of every program that runs in it. */
export const createHome = (env: NodeJS.ProcessEnv = {}): Home => makeHome(env, startProcess);

/** A home whose commands run in this process; its daemon is a process all the same. */
export const inProcessHome = (env: NodeJS.ProcessEnv = {}): Home => makeHome(env, startInProcess);

/** The same in a folder that is there. */
export const homeIn = (folder: string, env: NodeJS.ProcessEnv = {}): Home => makeHome(env, startInProcess, folder);

/** A home of the built programs in this folder. */
export const builtHomeIn = (folder: string, env: NodeJS.ProcessEnv = {}): Home => makeHome(env, startProcess, folder);
