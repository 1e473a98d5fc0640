// Writes the log of one execution in the background: decodes the output, limits its size, adds the last part of a longer
// output at the end, and syncs the file.
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { removeFile, syncFolder } from '../../../src/local/atomic-file.ts';
import { createOutputTail, fromCharacter } from '../../domain/executions/output-tail.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { LogEnd, LogWriter } from '../../ports/logs.ts';
import { openEmpty, openUpTo, writeAt } from '../durable-files.ts';
import { errnoOf, unavailable } from '../store-errors.ts';
import {
  type Beginning,
  endLine,
  head,
  LIMIT_NOTICE,
  leftOutNotice,
  logLine,
  MAX_TEXT,
  UNKNOWN_NOTICE,
} from './log-file.ts';

export interface OpenLog extends LogWriter {
  /** Number of bytes in the file that readers may read. Undefined if readers may read the existing file. */
  written(): number | undefined;
  /** True if output is left out and its end is not stored yet. */
  isCut(): boolean;
  /** Gives the file to a later writer. This writer drops what it has not written and does not touch the file again. */
  replace(): void;
}

export interface LogWriterOptions {
  readonly file: string;
  readonly beginning: Beginning;
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
  const { file, beginning, cap, clock, logger, onWritten, onClosed } = options;
  const { kind } = beginning;
  const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  let waiting: string[] = [];
  let room = cap;
  /** Characters of output that arrive again and are in the file. */
  const stored = { stdout: 0, stderr: 0, ...(beginning.kind === 'continued' && beginning.stored) };
  /** True for a stream whose last decoded character is complete, and whose output is no longer decoded. */
  const isJoined = { stdout: false, stderr: false };
  /** The last part of the output. Undefined while the log is below its limit. */
  let tail = kind === 'continued' ? createOutputTail() : undefined;
  let ended = false;
  /** True if the file must not be written: a later writer has it, or it has its end already. */
  let leaves = kind === 'complete';
  let handle: FileHandle | undefined;
  /** The sync that makes the name of the file durable. It begins while the execution still runs. */
  let naming: Promise<void> | undefined;
  let size = beginning.kind === 'continued' ? beginning.size : 0;
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

  const flushAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const lines = waiting;
      waiting = [];
      try {
        if (leaves) break;
        handle ??= await (kind === 'continued' ? openUpTo(file, size) : openEmpty(file));
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

  const append = (stream: 'stdout' | 'stderr' | 'notice', text: string, time = clock.now()): void => {
    for (let rest = text; rest !== ''; ) {
      const piece = head(rest, MAX_TEXT);
      waiting.push(logLine(time, stream, piece));
      rest = rest.slice(piece.length);
    }
  };

  const beyondLimit = () => {
    if (tail === undefined) append('notice', LIMIT_NOTICE);
    tail ??= createOutputTail();
    return tail;
  };

  const output = (stream: 'stdout' | 'stderr', decoded: string): void => {
    const again = Math.min(stored[stream], decoded.length);
    stored[stream] -= again;
    const text = decoded.slice(again);
    if (text === '') return;
    const kept = tail === undefined ? head(text, room) : '';
    room -= kept.length;
    append(stream, kept);
    const rest = text.slice(kept.length);
    if (rest !== '') beyondLimit().add({ stream, time: clock.now(), data: Buffer.from(rest) });
  };
  /** Output of a stream whose stored part is complete. It is not decoded, because most of it will be left out. */
  const outputBeyond = (stream: 'stdout' | 'stderr', data: Uint8Array): void => {
    let rest = data;
    if (!isJoined[stream]) {
      rest = fromCharacter(data);
      output(stream, decoders[stream].write(Buffer.from(data.subarray(0, data.length - rest.length))));
      if (rest.length === 0) return;
      output(stream, decoders[stream].end());
      isJoined[stream] = true;
    }
    beyondLimit().add({ stream, time: clock.now(), data: rest });
  };
  const outputRest = (): void => {
    output('stdout', decoders.stdout.end());
    output('stderr', decoders.stderr.end());
  };

  /** Stores the last part of the output, of which nothing more arrives. */
  const appendTail = (isKnown: boolean): void => {
    if (tail === undefined) return;
    const { pieces, leftOut } = tail.end();
    if (isKnown || leftOut > 0) append('notice', leftOutNotice(leftOut, kind !== 'new'));
    const joint = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
    for (const { stream, time, data } of pieces) append(stream, joint[stream].write(Buffer.from(data)), time);
    for (const stream of ['stdout', 'stderr'] as const) append(stream, joint[stream].end());
    if (!isKnown) append('notice', UNKNOWN_NOTICE);
    waiting.push(endLine(clock.now(), isKnown ? leftOut : null));
    tail = undefined;
  };

  const end = async (how: LogEnd): Promise<void> => {
    try {
      await flush(); // A flush that was already running may have failed before the last lines were added.
      if (waiting.length > 0) await flush();
      if (fault !== undefined) throw fault;
      if (handle === undefined) {
        const isObsolete = kind === 'new' || (kind === 'replaced' && how === 'complete');
        if (isObsolete && !leaves) await removeFile(file);
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
    written: () => (kind === 'complete' || (kind === 'replaced' && handle === undefined) ? undefined : size),
    isCut: () => tail !== undefined,
    replace() {
      leaves = true;
    },
    write(stream, data, leftOut = 0) {
      if (ended || leaves) return;
      if (leftOut > 0) {
        outputRest();
        beyondLimit().skip(leftOut);
      }
      if (tail !== undefined && stored[stream] === 0) outputBeyond(stream, data);
      else output(stream, decoders[stream].write(data));
      void flush();
    },
    notice(text) {
      if (ended || leaves) return;
      append('notice', text);
      void flush();
    },
    close(how = 'complete') {
      if (!ended && !leaves) {
        outputRest();
        if (how !== 'continues') appendTail(how === 'complete');
      }
      ended = true;
      closing ??= end(how);
      return closing;
    },
  };
};
