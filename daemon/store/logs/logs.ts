// The logs of executions, one file each. Readers can follow a growing log without holding it in memory.
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { LogLine } from '../../../src/contract/actors/executions.ts';
import { removeFile } from '../../../src/local/atomic-file.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Logs } from '../../ports/logs.ts';
import { type HeldFile, type HeldFolder, holdDeletions } from '../archive/held-folder.ts';
import { prepareFolder } from '../private-folder.ts';
import { type Beginning, fileSize, readBeginning, readEnd, readPiece } from './log-file.ts';
import { createLogWriter, type OpenLog } from './log-writer.ts';

export interface LogsOptions {
  /** The data folder of the instance; the log files are in its subfolder `logs`. */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Maximum characters of output stored per execution. 1 000 000 by default. */
  readonly cap?: number;
}

/**
 * Interval (ms) at which a reader checks whether an execution can still start, because no notification reports that it
 * cannot.
 */
const ASK_AGAIN = 250;

/** Maximum number of ended logs whose size is remembered. */
const CLOSED = 1_000;

const ID = /^[A-Za-z0-9]{1,64}$/;

const FILE = /^([A-Za-z0-9]{1,64})\.ndjson$/;
const NEWLINE = 10;

const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** A cursor is the offset after a line; an invalid cursor means the beginning. */
const positionOf = (cursor: string | undefined): number =>
  cursor !== undefined && /^\d{1,15}$/.test(cursor) ? Number(cursor) : 0;

export interface StoredLogs extends Logs {
  /** Retains the logs of this moment until the release. For running executions, it retains the lines written so far. */
  hold(running: ReadonlySet<string>): HeldFolder;
}

/** Opens the logs of a data folder. If one execution has two writers, the later one counts. */
export const openLogs = async (options: LogsOptions): Promise<StoredLogs> => {
  const { clock, logger, cap = 1_000_000 } = options;
  const folder = path.join(options.folder, 'logs');
  await prepareFolder(options.folder);
  await prepareFolder(folder);
  const writers = new Map<string, OpenLog>();
  /**
   * Sizes in bytes of the most recently closed logs. With them, readers know without a system call that they have all
   * lines.
   */
  const closed = new Map<string, number>();
  const listeners = new Map<string, Set<() => void>>();

  const fileOf = (executionId: string): string => {
    if (!ID.test(executionId)) throw new Error('This is not the id of an execution.');
    return path.join(folder, `${executionId}.ndjson`);
  };

  const deletions = holdDeletions((executionId) => removeFile(fileOf(executionId)));
  /**
   * For each hold of an archive: the logs that were opened since the hold began, and those that were written to since.
   */
  const holds = new Set<{ readonly opened: Set<string>; readonly written: Set<string> }>();

  const tell = (executionId: string): void => {
    for (const listener of [...(listeners.get(executionId) ?? [])]) listener();
  };

  const noteClosed = (executionId: string, size: number | undefined): void => {
    if (size === undefined) return;
    closed.set(executionId, size);
    const [oldest] = closed.keys();
    if (closed.size > CLOSED && oldest !== undefined) closed.delete(oldest);
  };

  /** Resolves at the next change of a log, when the signal fires, or after `ms`. */
  const change = (executionId: string, signal: AbortSignal, ms?: number): Promise<void> =>
    new Promise((resolve) => {
      const of = listeners.get(executionId) ?? new Set();
      const timer = ms === undefined ? undefined : setTimeout(done, ms).unref();
      function done(): void {
        of.delete(done);
        if (of.size === 0) listeners.delete(executionId);
        signal.removeEventListener('abort', done);
        clearTimeout(timer);
        resolve();
      }
      listeners.set(executionId, of.add(done));
      signal.addEventListener('abort', done);
    });

  const follow = async function* (
    executionId: string,
    { after, waitForStart, signal }: Parameters<Logs['follow']>[1],
  ): AsyncGenerator<LogLine> {
    const file = fileOf(executionId);
    let position = positionOf(after);
    let wasOpen = false;
    while (!signal.aborted) {
      // The writer is looked up before the file is read: if there is no writer now, the file is complete.
      const writer = writers.get(executionId);
      const written = writer?.written();
      wasOpen ||= writer !== undefined;
      // A reader that resumes usually has all lines already. The size of the file shows that.
      const limit = written ?? closed.get(executionId) ?? (position === 0 ? NO_LIMIT : await fileSize(file));
      const piece = await readPiece(file, position, limit);
      for (const line of piece.lines) {
        if (signal.aborted) return;
        yield line;
      }
      position = piece.position;
      if (piece.more || writers.get(executionId) !== writer || writer?.written() !== written) continue;
      if (writer === undefined && (wasOpen || !waitForStart())) return;
      if (!signal.aborted) await change(executionId, signal, writer === undefined ? ASK_AGAIN : undefined);
    }
  };

  const begin = (executionId: string, beginning: Beginning): OpenLog => {
    for (const { opened } of holds) opened.add(executionId);
    const writer = createLogWriter({
      file: fileOf(executionId),
      beginning,
      cap,
      clock,
      logger,
      onWritten() {
        for (const { written } of holds) written.add(executionId);
        tell(executionId);
      },
      onClosed() {
        if (writers.get(executionId) === writer) {
          writers.delete(executionId);
          noteClosed(executionId, writer.written());
        }
        tell(executionId);
      },
    });
    writers.get(executionId)?.replace();
    writers.set(executionId, writer);
    closed.delete(executionId);
    tell(executionId);
    return writer;
  };

  const pieces = async function* (executionId: string) {
    const file = fileOf(executionId);
    const limit = writers.get(executionId)?.written() ?? NO_LIMIT;
    for (let position = 0; ; ) {
      const piece = await readPiece(file, position, limit);
      yield { lines: piece.lines, bytes: piece.position - position };
      if (!piece.more) return;
      position = piece.position;
    }
  };

  return {
    open: (executionId) => begin(executionId, { kind: 'new' }),
    resume: async (executionId) => begin(executionId, await readBeginning(fileOf(executionId))),
    async read(executionId) {
      let text = '';
      for await (const { lines } of pieces(executionId)) {
        for (const line of lines) {
          if (line.stream !== 'notice') text += line.text;
          else text += `${text === '' || text.endsWith('\n') ? '' : '\n'}${line.text}\n`;
        }
      }
      return text;
    },
    pieces,
    follow,
    async leftOut(executionId) {
      const file = fileOf(executionId);
      if (writers.get(executionId)?.isCut()) return null;
      // A log that reached its limit has at least as many bytes as characters.
      return (await fileSize(file)) < cap ? undefined : (await readEnd(file))?.leftOut;
    },
    size: async (executionId) => fileSize(fileOf(executionId)),
    async delete(executionIds) {
      for (const executionId of executionIds) {
        closed.delete(executionId);
        await deletions.delete(executionId);
      }
    },
    hold(running) {
      const since = { opened: new Set<string>(), written: new Set<string>() };
      holds.add(since);
      const limits = new Map([...writers].map(([id, writer]) => [id, writer.written()]));
      const release = deletions.hold();

      const fileAt = async (id: string): Promise<readonly HeldFile[]> => {
        const name = `${id}.ndjson`;
        if (!running.has(id)) {
          // A log that was opened after the hold began belongs to an execution that started later, so it is left out.
          return since.opened.has(id) ? [] : [{ name, size: (await stat(fileOf(id))).size }];
        }
        const content = await readFile(fileOf(id));
        // If the log had no output when the hold began, all its lines are newer and are left out.
        const isLater = since.written.has(id) || writers.get(id)?.written() !== undefined;
        const had = content.subarray(0, limits.get(id) ?? (isLater ? 0 : undefined));
        const lines = had.subarray(0, had.lastIndexOf(NEWLINE) + 1);
        return [{ name, size: lines.length, content: lines }];
      };
      return {
        async files() {
          const ids = (await readdir(folder)).flatMap((name) => FILE.exec(name)?.[1] ?? []);
          return (await Promise.all(ids.map(fileAt))).flat();
        },
        path: (name) => path.join(folder, name),
        release() {
          holds.delete(since);
          return release();
        },
      };
    },
  };
};
