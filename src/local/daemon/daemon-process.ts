// Starts the daemon as a background process and waits until the daemon reports that it is ready.
import { spawn } from 'node:child_process';
import { constants, realpathSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import * as z from 'zod/mini';
import { CliFailure, messageOf } from '../../failure.ts';
import { ownFolder } from '../files.ts';
import { unwritableAt } from '../folders/access.ts';
import { sizeOf, tail } from '../log-file.ts';
import type { Paths } from '../paths.ts';
import { otherClockFailure } from './launch.ts';
import { portFailure } from './port-holder.ts';

/**
 * A message that the daemon writes to the pipe of `--ready-fd`: the progress of a long start, or the result of the
 * start. After the result the daemon closes the pipe.
 */
const word = z.union([
  z.object({ progress: z.number() }),
  z.object({
    ready: z.literal(true),
    pid: z.number(),
    baseUrl: z.string(),
    authUrl: z.string(),
    actorBaseUrl: z.optional(z.string()),
    dataDir: z.string(),
    schemaVersion: z.number(),
    /** What the start cleaned up after a previous daemon. */
    stale: z.optional(z.string()),
    replaced: z.optional(
      z.object({
        /** Name of the snapshot of the data that were replaced. */
        snapshot: z.optional(z.string()),
        /** Folder of damaged data that were replaced. */
        kept: z.optional(z.string()),
        records: z.number(),
      }),
    ),
  }),
  z.object({
    ready: z.literal(false),
    error: z.object({
      code: z.string(),
      message: z.string(),
      detail: z.optional(z.record(z.string(), z.unknown())),
      /** True if the start failed after an import or a reset had replaced the data. */
      dataReplaced: z.optional(z.boolean()),
    }),
  }),
]);

export type Ready = Extract<z.output<typeof word>, { readonly ready: true }>;

const NO_RESULT = { code: 'INTERNAL', message: 'it ended before it was ready', dataReplaced: undefined };

export interface StartInput {
  /** Program and leading arguments: for example node and the daemon's bundle. */
  readonly daemon: { readonly file: string; readonly args: readonly string[] };
  /** Arguments for this start, without `--ready-fd`. */
  readonly args: readonly string[];
  readonly paths: Paths;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Longest wait in milliseconds. It restarts with each progress message of the daemon. */
  readonly waitMs: number;
  /** Called with the completed fraction of a long start, from 0 to 1. */
  readonly onProgress?: (part: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Variables with secrets, which the daemon and its child processes must not inherit. The credentials of the first user
 * reach the daemon through the management socket. @see docs/conformance/security.md R144
 */
const SECRETS = [
  'ACTORCTL_TOKEN',
  'ACTORCTL_NONCE',
  'ACTORCTL_CLIENT_ID',
  'ACTORCTL_CLIENT_SECRET',
  'ACTORCTL_ADMIN_USER',
  'ACTORCTL_ADMIN_PASSWORD',
];

export const childEnv = (env: StartInput['env']): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !SECRETS.includes(name)));

/** The line with the result; the whole text if it has no such line. */
const resultLine = (pipe: Readable, onProgress: (part: number) => void): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    pipe.setEncoding('utf8');
    pipe.on('data', (piece: string) => {
      const lines = (text + piece).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) {
        const said = parse(line);
        if (said !== undefined && 'progress' in said) onProgress(said.progress);
        else resolve(line);
      }
    });
    pipe.once('error', () => resolve(text));
    pipe.once('close', () => resolve(text));
  });

/** The last lines that a daemon wrote. @param since size of the log before its start */
const lastWords = async ({ daemonLog, daemonErrors }: Paths, since: number): Promise<{ log: readonly string[] }> => ({
  log: [...(await tail(daemonLog, 20, since)), ...(await tail(daemonErrors, 20))].slice(-20),
});

/** How to stop the daemon that holds the data folder. It may be one of another instance, or of another home. */
const holderHint = (holder: Readonly<Record<string, unknown>> = {}, paths: Pick<Paths, 'stateDir'>): string => {
  const { pid, instance, state_dir: stateDir, here } = holder;
  const own = realpathSync(paths.stateDir);
  if (stateDir === own) return 'actorctl status';
  if (typeof stateDir === 'string' && path.dirname(stateDir) === path.dirname(own))
    return `actorctl down --instance ${String(instance)}`;
  const stop = here === true ? `to stop that daemon: kill ${String(pid)}. Or ` : '';
  return `${stop}choose another folder with --data-dir`;
};

const refusal = async (
  { code, message, detail }: { code: string; message: string; detail?: Readonly<Record<string, unknown>> | undefined },
  paths: Paths,
  since: number,
) => {
  if (code === 'PORT_IN_USE') {
    const port = typeof detail?.['port'] === 'number' ? detail['port'] : undefined;
    const flag = typeof detail?.['flag'] === 'string' ? detail['flag'] : '--port';
    const hint = `actorctl up ${flag} auto`;
    return port === undefined
      ? new CliFailure('PORT_IN_USE', message, { hint, details: { port } })
      : portFailure(port, hint);
  }
  if (code === 'OTHER_CLOCK') return otherClockFailure(message, detail?.['has'] === 'virtual');
  if (code === 'ARCHIVE') return new CliFailure('VALIDATION', message, { hint: 'actorctl snapshot list' });
  if (code === 'NOT_EMPTY')
    return new CliFailure('ALREADY_EXISTS', message, {
      hint: 'add --replace: a snapshot of these data is taken first',
    });
  if (code === 'RUNNING') return new CliFailure('IN_USE', message, { hint: 'actorctl down --halt-executions' });
  if (code === 'CONFIG') return new CliFailure('USAGE', message, { hint: 'actorctl up --help' });
  const access = code === 'DATA_UNWRITABLE' ? unwritableAt(detail) : undefined;
  const other = code === 'DATA_UNWRITABLE' ? 'actorctl doctor' : 'actorctl daemon logs -n 50';
  const hint = code === 'LOCKED' ? holderHint(detail, paths) : (access?.fix ?? other);
  return new CliFailure('DAEMON_UNHEALTHY', `cannot start the daemon: ${access?.message ?? message}`, {
    hint,
    details: { reason: code, ...detail, ...(code === 'INTERNAL' && (await lastWords(paths, since))) },
  });
};

/**
 * Starts the daemon, detached, and resolves when it reports that it is ready.
 * @throws CliFailure PORT_IN_USE naming the process that uses the port; DAEMON_UNHEALTHY if the daemon ends or is not
 * ready in time, with its last log lines in `details.log`; CANCELLED
 */
export const startDaemon = async ({
  daemon,
  args,
  paths,
  env,
  waitMs,
  onProgress,
  signal,
}: StartInput): Promise<Ready> => {
  await ownFolder(paths.stateDir);
  const since = await sizeOf(paths.daemonLog);
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  const errors = await open(paths.daemonErrors, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
  const child = spawn(daemon.file, [...daemon.args, ...args, '--ready-fd', '3'], {
    detached: true,
    cwd: paths.stateDir,
    env: childEnv(env),
    stdio: ['ignore', errors.fd, errors.fd, 'pipe'],
    windowsHide: true,
  });
  const unstartable = new Promise<string>((resolve) => child.once('error', (error) => resolve(messageOf(error))));
  await errors.close();
  const pipe = child.stdio[3] as Readable;
  let timer: NodeJS.Timeout | undefined;
  const advance = (part: number): void => {
    timer?.refresh();
    onProgress?.(part);
  };
  let interrupt = (): void => undefined;
  const late = new Promise<undefined>((resolve) => {
    interrupt = () => resolve(undefined);
    timer = setTimeout(interrupt, waitMs);
    signal.addEventListener('abort', interrupt);
  });
  try {
    const line = await Promise.race([resultLine(pipe, advance), late, unstartable.then((reason) => ({ reason }))]);
    if (signal.aborted)
      throw new CliFailure('CANCELLED', 'interrupted: the daemon is still starting', { hint: 'actorctl status' });
    if (line === undefined) {
      throw new CliFailure(
        'DAEMON_UNHEALTHY',
        `the daemon (process ${child.pid}) is not ready after ${waitMs / 1000} s and is still starting`,
        {
          hint: 'actorctl status',
          details: await lastWords(paths, since),
        },
      );
    }
    if (typeof line === 'object') {
      throw new CliFailure('DAEMON_UNHEALTHY', `cannot start the daemon: ${line.reason}`, {
        hint: 'install actorctl again',
      });
    }
    const said = parse(line);
    if (said === undefined) {
      throw new CliFailure('DAEMON_UNHEALTHY', 'the daemon ended before it was ready', {
        hint: 'actorctl daemon logs -n 50',
        details: await lastWords(paths, since),
      });
    }
    if ('progress' in said || !said.ready) {
      const error = 'error' in said ? said.error : NO_RESULT;
      const { code, message, extras } = await refusal(error, paths, since);
      // `data_replaced` is absent if the daemon ended without a message, because it is then unknown.
      const details = {
        ...extras.details,
        ...(error.dataReplaced !== undefined && { data_replaced: error.dataReplaced }),
      };
      throw new CliFailure(code, message, { ...extras, details });
    }
    return said;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', interrupt);
    pipe.destroy();
    child.unref();
  }
};

const parse = (line: string): z.output<typeof word> | undefined => {
  try {
    return word.parse(JSON.parse(line));
  } catch {
    // The daemon wrote no line, or the line is not a message. The caller reports that.
    return undefined;
  }
};
