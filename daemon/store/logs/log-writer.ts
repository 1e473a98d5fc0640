// Writes the log of one execution in the background: decodes the output, limits its size, and syncs the file at the
// end.
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { removeFile, syncFolder } from '../../../src/local/atomic-file.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { LogWriter } from '../../ports/logs.ts';
import { openEmpty, writeAt } from '../durable-files.ts';
import { errnoOf, unavailable } from '../store-errors.ts';
import { cutNotice, head, isCut, logLine, MAX_TEXT } from './log-file.ts';

export interface OpenLog extends LogWriter {
  /** Number of bytes in the file that readers may read. Undefined until the first output has replaced an older file. */
  written(): number | undefined;
  /** Gives the file to a later writer. This writer drops what it has not written and does not touch the file again. */
  replace(): void;
}

export interface LogWriterOptions {
  readonly file: string;
  /** True to ignore an older file. */
  readonly isFirst: boolean;
  /** Maximum characters of output that are stored. */
  readonly cap: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onWritten: () => void;
  /** Called when the log has ended and is durable. */
  readonly onClosed: () => void;
}

/**
 * Lines that cannot be written stay in memory (at most `cap`) and are written again with the next output or `close`.
 */
export const createLogWriter = (options: LogWriterOptions): OpenLog => {
  const { file, isFirst, cap, clock, logger, onWritten, onClosed } = options;
  const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  let waiting: string[] = [];
  let room = cap;
  let cut = false;
  let ended = false;
  /** True if the file must not be written: a later writer has it, or it already has all the output that is stored. */
  let leaves = false;
  let handle: FileHandle | undefined;
  /** The sync that makes the name of the file durable. It begins while the execution still runs. */
  let naming: Promise<void> | undefined;
  let size = 0;
  let flushing: Promise<void> | undefined;
  let fault: unknown;
  let closing: Promise<void> | undefined;

  const nameDurably = (): Promise<void> => {
    naming ??= syncFolder(path.dirname(file)).catch((error: unknown) => {
      naming = undefined;
      throw error;
    });
    return naming;
  };

  /**
   * True if the existing file stays as it is: if a previous daemon truncated the output, the engine may no longer have
   * the beginning of that output.
   */
  const isLeft = async (): Promise<boolean> => {
    if (!leaves && !isFirst && handle === undefined && (await isCut(file))) leaves = true;
    return leaves;
  };

  const flushAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const lines = waiting;
      waiting = [];
      try {
        if (await isLeft()) break;
        handle ??= await openEmpty(file);
        // `end` tries the write again, and reports an error.
        nameDurably().catch(() => undefined);
        const data = Buffer.from(lines.join(''));
        await writeAt(handle, data, size);
        size += data.length;
        fault = undefined;
      } catch (error) {
        waiting = [...lines, ...waiting];
        if (fault === undefined) logger.error({ err: error, file }, 'cannot write the log of an execution');
        fault = error;
        break;
      }
      onWritten();
    }
    flushing = undefined;
  };

  const flush = async (): Promise<void> => {
    if (waiting.length > 0) flushing ??= flushAll();
    await flushing;
  };

  const append = (stream: 'stdout' | 'stderr' | 'notice', text: string): void => {
    const time = clock.now();
    for (let rest = text; rest !== ''; ) {
      const piece = head(rest, MAX_TEXT);
      waiting.push(logLine(time, stream, piece));
      rest = rest.slice(piece.length);
    }
    void flush();
  };

  const output = (stream: 'stdout' | 'stderr', text: string): void => {
    if (text === '' || cut) return;
    const kept = head(text, room);
    room -= kept.length;
    append(stream, kept);
    if (kept.length < text.length) {
      cut = true;
      append('notice', cutNotice(cap));
    }
  };

  const end = async (): Promise<void> => {
    try {
      await flush(); // A flush that was already running may have failed before the last lines were added.
      if (waiting.length > 0) await flush();
      if (fault !== undefined) throw fault;
      if (handle === undefined) {
        if (!(await isLeft())) await removeFile(file);
        await nameDurably();
      } else {
        await Promise.all([handle.sync(), nameDurably()]);
        // The data are already durable, so the end of the execution does not wait for the file to be closed.
        handle.close().catch((error: unknown) => logger.warn({ err: error, file }, 'cannot close a log'));
      }
    } catch (error) {
      closing = undefined;
      logger.error({ errno: errnoOf(error), file }, 'cannot make the log of an execution durable');
      throw unavailable(error);
    }
    onClosed();
  };

  return {
    written: () => (handle === undefined && !isFirst ? undefined : size),
    replace() {
      leaves = true;
    },
    write(stream, data) {
      if (!ended && !cut) output(stream, decoders[stream].write(data));
    },
    notice(text) {
      if (!ended) append('notice', text);
    },
    close() {
      if (!ended) {
        output('stdout', decoders.stdout.end());
        output('stderr', decoders.stderr.end());
        ended = true;
      }
      closing ??= end();
      return closing;
    },
  };
};
