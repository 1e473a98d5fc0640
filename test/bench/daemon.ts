// The built daemon in a temporary home for benchmarks, with a logged-in admin, and calls to it over keep-alive
// connections.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import * as http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { daemonProgram } from '../support/daemon/home.ts';

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A token of the admin, and a client. */
export interface Credentials {
  readonly token: string;
  readonly client: { readonly id: string; readonly secret: string };
}

export interface BenchDaemon extends Credentials {
  readonly pid: number;
  readonly baseUrl: string;
  /** The `result` of one call with the admin's token. Throws if the call is refused. */
  call<T = Record<string, string>>(method: string, path: string, body?: unknown): Promise<T>;
  /**
   * Sends a message, reads its log as a stream until its end and then its final record, as `actorctl run` does, and
   * returns the log.
   */
  execute(actorId: string): Promise<string>;
  /** Resolves when the actor has this status. */
  until(actorId: string, status: string): Promise<void>;
  /** Ends the daemon and keeps its home. */
  leave(): Promise<void>;
  /** Ends the daemon and deletes its home. */
  stop(): Promise<void>;
}

/** The admin user of every benchmark daemon. */
export const ADMIN = { username: 'bench', password: 'correct horse battery' };

/** The environment of both sides: without settings of this machine that would slow down only one side. */
export const plainEnvironment = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !name.startsWith('ACTORCTL_') && name !== 'NODE_EXTRA_CA_CERTS' && name !== 'NODE_OPTIONS',
    ),
  ),
  NODE_ENV: 'production',
});

/** Sends one request and reads its complete response. */
const send = (
  target: http.RequestOptions,
  body: string | undefined,
  headers: http.OutgoingHttpHeaders,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const request = http.request({ ...target, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });

/** Starts only the daemon process, as the command line does. Resolves with the ready message of the daemon. */
export const spawnDaemon = async (
  home: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<{ readonly child: ChildProcess; readonly baseUrl: string }> => {
  const args = [daemonProgram, '--port', 'auto', '--ready-fd', '3'];
  const child = spawn(process.execPath, args, {
    env: { ...plainEnvironment(), ACTORCTL_HOME: home, ...environment },
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  const [line] = (await once(createInterface(child.stdio[3] as Readable), 'line')) as [string];
  const { ready, baseUrl, error } = JSON.parse(line) as { ready: boolean; baseUrl: string; error?: unknown };
  if (!ready) throw new Error(`the daemon did not start: ${JSON.stringify(error)}`);
  return { child, baseUrl };
};

/** Ends the process with a signal and waits for its exit. */
export const endDaemon = async (child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
};

export interface TemporaryHome {
  readonly folder: string;
  readonly remove: () => void;
}

/** A temporary home, deleted by `remove`. */
export const temporaryHome = (): TemporaryHome => {
  const folder = mkdtempSync(path.join(tmpdir(), 'actorctl-bench-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
};

/** Creates the admin user, a client and a token, unless an earlier daemon of this home created the known ones. */
const loggedIn = async (
  home: TemporaryHome,
  { child, baseUrl }: Awaited<ReturnType<typeof spawnDaemon>>,
  known?: Credentials,
): Promise<BenchDaemon> => {
  const { hostname, port } = new URL(baseUrl);
  const agent = new http.Agent({ keepAlive: true });
  const daemonFile = path.join(home.folder, 'state', 'default', 'daemon.json');
  const { socket } = JSON.parse(await readFile(daemonFile, 'utf8')) as { socket: string };

  const manage = async (action: string, input: unknown): Promise<Record<string, string>> => {
    const target = { socketPath: socket, method: 'POST', path: `/manage/daemon/${action}` };
    const { status, text } = await send(target, JSON.stringify(input), { 'content-type': 'application/json' });
    if (status !== 200) throw new Error(`${action} was answered ${status}: ${text}`);
    return (JSON.parse(text) as { result: Record<string, string> }).result;
  };
  const logIn = async (): Promise<Credentials> => {
    await manage('bootstrap', ADMIN);
    const { client_id: id = '', client_secret: secret = '' } = await manage('client', {});
    const form = new URLSearchParams({ grant_type: 'password', scope: 'PRODUCTION', ...ADMIN }).toString();
    const granted = await send({ hostname, port, agent, method: 'POST', path: '/token' }, form, {
      authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    });
    if (granted.status !== 200) throw new Error(`/token answered ${granted.status}: ${granted.text}`);
    const { access_token: token = '' } = JSON.parse(granted.text) as Record<string, string>;
    return { token, client: { id, secret } };
  };
  const { token, client } = known ?? (await logIn());

  const request = async (method: string, where: string, body?: unknown, accept = 'application/json') => {
    const answer = await send(
      { hostname, port, agent, method, path: where },
      body === undefined ? undefined : JSON.stringify(body),
      {
        authorization: `Bearer ${token}`,
        accept,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
    );
    if (answer.status !== 200) throw new Error(`${method} ${where} was answered ${answer.status}: ${answer.text}`);
    return answer.text;
  };

  const daemon: BenchDaemon = {
    pid: child.pid ?? 0,
    baseUrl,
    token,
    client,
    async call<T>(method: string, where: string, body?: unknown): Promise<T> {
      return (JSON.parse(await request(method, where, body)) as { result: T }).result;
    },
    async execute(actorId) {
      const { executionId } = await daemon.call('POST', `/actors/v2/${actorId}/messages`, { message: 'hello' });
      const execution = `/actors/v2/${actorId}/executions/${executionId}`;
      const stream = await request('GET', `${execution}/logs`, undefined, 'text/event-stream');
      const { status, exitCode } = await daemon.call<{ status: string; exitCode: number }>('GET', execution);
      if (status !== 'COMPLETE' || exitCode !== 0) throw new Error(`execution ${executionId} ended ${status}`);
      return textOf(stream);
    },
    async until(actorId, status) {
      for (;;) {
        const actor = await daemon.call('GET', `/actors/v2/${actorId}`);
        if (actor['status'] === status) return;
        if (actor['status'] === 'ERROR') throw new Error(`the actor is in ERROR: ${actor['statusMessage']}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    async leave() {
      agent.destroy();
      // After a plain signal the daemon would leave its pause containers in the engine for the next start.
      await manage('stop', { graceMs: 1_000, haltExecutions: true });
      if (child.exitCode === null) await once(child, 'exit');
    },
    async stop() {
      await daemon.leave();
      home.remove();
    },
  };
  return daemon;
};

/** The text of the events of a log. */
const textOf = (stream: string): string =>
  [...stream.matchAll(/^event: log\n(?:id: .*\n)?data: (.*)$/gm)]
    .map(([, data = '']) => (JSON.parse(data) as { text: string }).text)
    .join('');

export interface StartOptions {
  readonly home?: TemporaryHome;
  readonly credentials?: Credentials;
}

/** Starts a daemon and logs in. */
export const startDaemon = async (
  environment: NodeJS.ProcessEnv = {},
  { home = temporaryHome(), credentials }: StartOptions = {},
): Promise<BenchDaemon> => {
  const started = await spawnDaemon(home.folder, environment);
  try {
    return await loggedIn(home, started, credentials);
  } catch (error) {
    await endDaemon(started.child);
    home.remove();
    throw error;
  }
};
