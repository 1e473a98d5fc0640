// The built daemon in a temporary home, controlled over its HTTP API and its management socket. Tests can start, kill
// and restart it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { OwnerOperationId } from '../../../src/contract/operations.ts';
import { preloads } from '../preloads/preloads.ts';
import { type Answer, type Call, call } from '../service/call.ts';
import { ADMIN, daemonProgram } from './home.ts';
import { overSocket, textOf } from './management-call.ts';

/** The line on the ready pipe. */
export interface Word {
  readonly ready: boolean;
  readonly baseUrl?: string;
  readonly stale?: string;
  readonly error?: { readonly code: string; readonly message: string; readonly detail: Record<string, unknown> };
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

export interface BuiltDaemon {
  readonly folder: string;
  readonly dataDir: string;
  readonly stateDir: string;
  /** Origin of the running daemon. */
  baseUrl(): string;
  pid(): number;
  /** Starts the daemon, or throws an error with its message. */
  start(...flags: string[]): Promise<Word>;
  /** Starts the daemon on any free port. Resolves with its ready line, even if it cannot start. */
  launch(...flags: string[]): Promise<Word>;
  signal(name: NodeJS.Signals): void;
  /** The exit of the process that was started last. */
  exit(): Promise<Exit>;
  running(): boolean;
  /** Sends SIGKILL. Resolves when the process is gone. */
  kill(): Promise<void>;
  /** Stops the daemon over the management socket. Resolves when the process is gone. */
  stop(options?: { readonly graceMs?: number; readonly haltExecutions?: boolean }): Promise<Exit>;
  /** Calls an operation of the owner. */
  manage(id: OwnerOperationId, input?: unknown): Promise<Record<string, unknown>>;
  /** Creates the admin user if there is none, and returns a token for it. */
  admit(): Promise<string>;
  /** Sends a request with the admin's token. */
  ask(method: string, path: string, asked?: Call): Promise<Answer>;
  log(): Record<string, unknown>[];
  /** The instance id in the labels of the containers of this data folder. */
  instanceId(): string;
  /** Resident memory in bytes. */
  memory(): number;
  /** The targets of the open file descriptors. */
  handles(): string[];
  /** Stops everything that runs and deletes the folder. */
  remove(): Promise<void>;
}

export interface DaemonOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Flags that every start uses. */
  readonly flags?: readonly string[];
  /** `none`: it finds no container engine, and starts without the bridge that it would make there. */
  readonly engine?: 'none';
}

/** The environment of a machine on which no container engine responds. */
export const NO_ENGINE = { DOCKER_HOST: 'unix:///nowhere/docker.sock' } as const;

/** Creates a daemon without starting it. */
export const builtDaemon = (options: DaemonOptions = {}): BuiltDaemon => {
  const folder = mkdtempSync(join(tmpdir(), 'actorctl-daemon-'));
  const dataDir = join(folder, 'data', 'default');
  const stateDir = join(folder, 'state', 'default');
  const { PATH, HOME, DOCKER_HOST } = process.env;
  const env = {
    PATH,
    HOME,
    ...(DOCKER_HOST && { DOCKER_HOST }),
    ...(options.engine === 'none' && NO_ENGINE),
    NODE_ENV: 'production',
    ACTORCTL_HOME: folder,
    ...options.env,
  };
  let child: ChildProcess | undefined;
  let ended: Promise<Exit> | undefined;
  let word: Word = { ready: false };
  let token: string | undefined;

  const launch: BuiltDaemon['launch'] = async (...flags) => {
    const port = flags.includes('--port') ? [] : ['--port', 'auto'];
    const args = [...preloads, daemonProgram, ...port, '--ready-fd', '3', ...(options.flags ?? []), ...flags];
    const mine = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
    child = mine;
    const stderr = textOf(mine.stderr);
    ended = once(mine, 'exit').then(async ([code, signal]) => ({ code, signal, stderr: await stderr }) as Exit);
    const said = await textOf(mine.stdio[3] as Readable);
    if (child === mine) word = said === '' ? { ready: false } : (JSON.parse(said) as Word);
    return word;
  };

  const exit = async (): Promise<Exit> => (await ended) ?? { code: null, signal: null, stderr: '' };
  const running = () => child !== undefined && child.exitCode === null && child.signalCode === null;

  const daemon: BuiltDaemon = {
    folder,
    dataDir,
    stateDir,
    baseUrl: () => word.baseUrl ?? 'http://127.0.0.1:1',
    pid: () => child?.pid ?? -1,
    launch,
    start: async (...flags) => {
      const said = await launch(...flags);
      if (!said.ready) throw new Error(`the daemon does not start: ${JSON.stringify(said)} ${(await exit()).stderr}`);
      return said;
    },
    signal: (name) => {
      child?.kill(name);
    },
    exit,
    running,
    kill: async () => {
      child?.kill('SIGKILL');
      await exit();
    },
    stop: async ({ graceMs = 10_000, haltExecutions = false } = {}) => {
      await daemon.manage('daemon.stop', { graceMs, haltExecutions });
      return exit();
    },
    manage: (id, input) => overSocket(join(folder, 'state', 'default', 'daemon.sock'), id, input),
    admit: async () => {
      await daemon.manage('daemon.bootstrap', ADMIN);
      const { client_id, client_secret } = await daemon.manage('daemon.client');
      const basic = Buffer.from(`${String(client_id)}:${String(client_secret)}`).toString('base64');
      const { status, json, text } = await call(daemon.baseUrl(), 'POST', '/token', {
        form: { grant_type: 'password', scope: 'PRODUCTION', ...ADMIN },
        headers: { authorization: `Basic ${basic}` },
      });
      if (status !== 200) throw new Error(`no token: ${status} ${text}`);
      token = (json as { access_token: string }).access_token;
      return token;
    },
    ask: (method, path, asked = {}) =>
      call(daemon.baseUrl(), method, path, {
        ...asked,
        headers: { authorization: `Bearer ${token}`, ...asked.headers },
      }),
    log: () => {
      const lines = readFileSync(join(stateDir, 'daemon.log'), 'utf8').trim().split('\n');
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    instanceId: () => String(daemon.log().find((line) => line['instanceId'] !== undefined)?.['instanceId']),
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${daemon.pid()}/status`, 'utf8'))?.[1]) * 1024,
    handles: () =>
      readdirSync(`/proc/${daemon.pid()}/fd`).flatMap((fd) => {
        try {
          return [readlinkSync(`/proc/${daemon.pid()}/fd/${fd}`)];
        } catch {
          return [];
        }
      }),
    remove: async () => {
      // A killed daemon may have left runs behind. A new one finds and ends them.
      if (!running() && existsSync(join(dataDir, 'lock'))) await launch().catch(() => undefined);
      if (running() && word.ready) await daemon.stop({ graceMs: 0, haltExecutions: true }).catch(() => daemon.kill());
      else await daemon.kill();
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
  return daemon;
};

/** The longest pause of `until`. */
const LONGEST_PAUSE_MS = 400;

/**
 * Waits until `holds` is true, with no limit but the time limit of the test. A request to a daemon takes 4 ms of
 * processor time, so the pauses grow with the wait, to a fourth of it.
 */
export const until = async (holds: () => Promise<boolean> | boolean, firstPauseMs = 20): Promise<void> => {
  for (let pause = firstPauseMs; !(await holds()); pause = Math.min(pause * 1.25, LONGEST_PAUSE_MS))
    await new Promise((resolve) => setTimeout(resolve, pause));
};

/** A `file:` image that runs `text` as a shell script. It is inside the home and is deleted together with it. */
export const scriptImage = (home: { readonly folder: string }, text: string): string => {
  const actors = join(home.folder, 'actors');
  mkdirSync(actors, { recursive: true });
  const folder = mkdtempSync(join(actors, 'actor-'));
  writeFileSync(join(folder, 'actor.json'), JSON.stringify({ command: ['sh', 'main.sh'] }));
  writeFileSync(join(folder, 'main.sh'), text);
  return pathToFileURL(folder).href;
};

/** Registers an actor and returns its id. */
export const register = async (daemon: BuiltDaemon, actor: Readonly<Record<string, unknown>>): Promise<string> => {
  const { status, text, result } = await daemon.ask('POST', '/actors/v2', { json: actor });
  if (status !== 200) throw new Error(`no actor: ${status} ${text}`);
  return String(result['id']);
};

/** Sends a text message, with variables for its execution, and returns the id of the execution. */
export const send = async (
  daemon: BuiltDaemon,
  actor: string,
  asked: Call = { body: 'hello' },
  variables: Readonly<Record<string, string>> = {},
): Promise<string> => {
  const headers = { 'content-type': 'text/plain', ...asked.headers };
  const path = `/actors/v2/${actor}/messages?${new URLSearchParams(variables)}`;
  const { status, text, result } = await daemon.ask('POST', path, { ...asked, headers });
  if (status !== 200) throw new Error(`not taken: ${status} ${text}`);
  return String(result['executionId']);
};

export const show = async (daemon: BuiltDaemon, actor: string, execution?: string): Promise<Answer['result']> =>
  (await daemon.ask('GET', `/actors/v2/${actor}${execution === undefined ? '' : `/executions/${execution}`}`)).result;

export const logsOf = async (daemon: BuiltDaemon, actor: string, execution: string): Promise<string> =>
  String((await daemon.ask('GET', `/actors/v2/${actor}/executions/${execution}/logs`)).result['logs']);

/** Waits until the execution is in one of these states, and returns it. */
export const reaches = async (
  daemon: BuiltDaemon,
  actor: string,
  execution: string,
  ...statuses: readonly string[]
): Promise<Answer['result']> => {
  const wanted = statuses.length === 0 ? ['COMPLETE', 'ERROR', 'CANCELLED'] : statuses;
  let now = await show(daemon, actor, execution);
  await until(async () => {
    now = await show(daemon, actor, execution);
    return wanted.includes(String(now['status']));
  });
  return now;
};
