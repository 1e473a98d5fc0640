// The logs of executions: one file each, followed while it grows by readers that hold no memory of their own.
import path from 'node:path';
import type { LogLine } from '../../../src/contract/actors/executions.ts';
import { removeFile } from '../../../src/local/atomic-file.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Logs } from '../../ports/logs.ts';
import { prepareFolder } from '../private-folder.ts';
import { readPiece } from './log-file.ts';
import { createLogWriter, type OpenLog } from './log-writer.ts';

export interface LogsOptions {
  /** The data folder of the instance; the files stand in `logs` below it. */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Characters of output kept per execution; 1 000 000 unless told. */
  readonly cap?: number;
}

/** ms after which a reader asks again whether an execution may still begin: nobody tells when it cannot any more. */
const ASK_AGAIN = 250;

const ID = /^[A-Za-z0-9]{1,64}$/;

const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** A cursor is the offset behind a line; what is none begins at the beginning. */
const positionOf = (cursor: string | undefined): number =>
  cursor !== undefined && /^\d{1,15}$/.test(cursor) ? Number(cursor) : 0;

/**
 * Opens the folder of logs below a data folder; makes it if it is not there. Of two writers of one execution the later counts.
 * @throws FolderRefused, StoreUnwritable
 */
export const openLogs = async (options: LogsOptions): Promise<Logs> => {
  const { clock, logger, cap = 1_000_000 } = options;
  const folder = path.join(options.folder, 'logs');
  await prepareFolder(options.folder);
  await prepareFolder(folder);
  const writers = new Map<string, OpenLog>();
  const listeners = new Map<string, Set<() => void>>();

  const fileOf = (executionId: string): string => {
    if (!ID.test(executionId)) throw new Error('That is not the id of an execution.');
    return path.join(folder, `${executionId}.ndjson`);
  };

  const tell = (executionId: string): void => {
    for (const listener of [...(listeners.get(executionId) ?? [])]) listener();
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
      // Looked at before the file: without a writer now, what the file has is all there is.
      const writer = writers.get(executionId);
      const written = writer?.written();
      const piece = await readPiece(file, position, written ?? NO_LIMIT);
      for (const line of piece.lines) {
        if (signal.aborted) return;
        yield line;
      }
      wasOpen ||= writer !== undefined;
      if (piece.position !== position) {
        position = piece.position;
        continue;
      }
      if (writers.get(executionId) !== writer || writer?.written() !== written) continue;
      if (writer === undefined && (wasOpen || !waitForStart())) return;
      if (!signal.aborted) await change(executionId, signal, writer === undefined ? ASK_AGAIN : undefined);
    }
  };

  return {
    open(executionId) {
      const writer = createLogWriter({
        file: fileOf(executionId),
        cap,
        clock,
        logger,
        onWritten: () => tell(executionId),
        onClosed() {
          if (writers.get(executionId) === writer) writers.delete(executionId);
          tell(executionId);
        },
      });
      writers.set(executionId, writer);
      tell(executionId);
      return writer;
    },
    async read(executionId) {
      const file = fileOf(executionId);
      const limit = writers.get(executionId)?.written() ?? NO_LIMIT;
      let text = '';
      for (let position = 0; ; ) {
        const piece = await readPiece(file, position, limit);
        for (const line of piece.lines) {
          if (line.stream !== 'notice') text += line.text;
          else text += `${text === '' || text.endsWith('\n') ? '' : '\n'}${line.text}\n`;
        }
        if (piece.position === position) return text;
        position = piece.position;
      }
    },
    follow,
    async delete(executionIds) {
      for (const executionId of executionIds) await removeFile(fileOf(executionId));
    },
  };
};
