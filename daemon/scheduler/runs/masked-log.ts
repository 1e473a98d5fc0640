// Hides the secrets that an actor receives: from the logs of its executions, and from responses to its webhook.

import type { ResponseBody } from '../../domain/events/response-text.ts';
import type { LastLine } from '../../domain/executions/last-line.ts';
import { type MaskedStream, maskOf } from '../../domain/executions/mask.ts';
import type { LogWriter } from '../../ports/logs.ts';

type Mask = ReturnType<typeof maskOf>;

/** Executions of one actor have the same secrets. A mask may have some megabytes. */
const MOST_MASKS = 4;
const masks = new Map<string, Mask>();

const maskFor = (secrets: readonly string[]): Mask => {
  if (secrets.length === 0) return undefined;
  const key = JSON.stringify(secrets);
  const mask = masks.has(key) ? masks.get(key) : maskOf(secrets);
  masks.delete(key);
  masks.set(key, mask);
  for (const oldest of [...masks.keys()].slice(0, -MOST_MASKS)) masks.delete(oldest);
  return mask;
};

/** The body with the strings of these JSON texts replaced. */
export const maskedBody = (body: ResponseBody, secrets: readonly string[]): ResponseBody => {
  const mask = maskFor(secrets)?.();
  return mask === undefined ? body : { ...body, bytes: Buffer.concat([mask.write(body.bytes), mask.end()]) };
};

/** Notes the end of stderr, of which a later writer gets all again. */
const notingStderr = (log: LogWriter, lastLine: LastLine): LogWriter => {
  lastLine.clear();
  return {
    write(stream, data, leftOut) {
      if (stream === 'stderr') lastLine.add(data);
      log.write(stream, data, leftOut);
    },
    notice: (text) => log.notice(text),
    close: (end) => log.close(end),
  };
};

/**
 * @param secrets JSON texts whose strings are replaced
 * @param lastLine gets stderr as it is stored
 */
export const maskedLog = (written: LogWriter, secrets: readonly string[], lastLine?: LastLine): LogWriter => {
  const log = lastLine === undefined ? written : notingStderr(written, lastLine);
  const mask = maskFor(secrets);
  if (mask === undefined) return log;
  const streams: Record<'stdout' | 'stderr', MaskedStream> = { stdout: mask(), stderr: mask() };
  const endAll = (): void => {
    for (const stream of ['stdout', 'stderr'] as const) {
      const rest = streams[stream].end();
      if (rest.length > 0) log.write(stream, rest);
    }
  };
  return {
    write(stream, data, leftOut = 0) {
      // What follows the gap does not continue what is held back.
      if (leftOut > 0) endAll();
      const shown = streams[stream].write(data);
      if (shown.length > 0 || leftOut > 0) log.write(stream, shown, leftOut);
    },
    notice(text) {
      endAll();
      log.notice(text);
    },
    close(end) {
      // A later writer gets all output again.
      if (end !== 'continues') endAll();
      return log.close(end);
    },
  };
};
