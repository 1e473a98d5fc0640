// The daemon's own log: JSON lines written with pino; secrets are masked and control characters escaped.
import { closeSync, constants, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import pino from 'pino';
import type { Logger } from '../ports/logger.ts';

/** Maximum characters of one field; the rest is cut off. @see docs/conformance/security.md R157 */
const FIELD_LIMIT = 4_000;
const SECRET_NAME = /authorization|token|secret|password|nonce|cookie/i;
const DEPTH_LIMIT = 4;

/** JSON.stringify does not escape these, and terminals interpret some: DEL, C1 controls, Unicode line separators. */
const UNSAFE = /[\u007f-\u009f\u2028\u2029]/g;

const safeText = (text: string): string =>
  (text.length > FIELD_LIMIT ? `${text.slice(0, FIELD_LIMIT)}… (${text.length} characters)` : text).replace(
    UNSAFE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Masks fields with names of secrets, escapes control characters, limits depth and length. */
const loggable = (value: unknown, depth = 0): unknown => {
  if (typeof value === 'string') return safeText(value);
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value !== 'object') return typeof value === 'function' ? '[function]' : value;
  if (depth >= DEPTH_LIMIT) return '[deep]';
  if (value instanceof Error) {
    const code = 'code' in value ? { code: loggable(value.code, depth + 1) } : {};
    return { name: value.name, message: safeText(value.message), ...code, stack: safeText(value.stack ?? '') };
  }
  if (Array.isArray(value)) return value.slice(0, 100).map((entry) => loggable(entry, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [
      safeText(name),
      SECRET_NAME.test(name) && entry !== undefined && typeof entry !== 'boolean'
        ? '[masked]'
        : loggable(entry, depth + 1),
    ]),
  );
};

/** Opens the log file for appending, with mode 0600 when it is new; refuses a symbolic link. @see docs/conformance/security.md R142, R158 */
const openLogFile = (path: string): number =>
  openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);

const NEWLINE = 10;

/** Bytes above which the log file is renamed to `<file>.1`, so that logs never take more than twice this size. */
const ROTATE_AT = 16 * 1024 * 1024;

/**
 * The destination of log lines. Lines logged in the same turn of the event loop are written together. Lines that the
 * disk refuses are counted and dropped, because a full disk must not stop the daemon.
 */
const openDestination = (file: string | undefined) => {
  let fd = file === undefined ? 2 : openLogFile(file);
  let size = file === undefined ? 0 : fstatSync(fd).size;
  let lost = 0;
  let lines: string[] = [];
  /** True if the file ends within a line. */
  let isTorn = false;
  /**
   * The old file is closed only once there is a new one, because a closed file descriptor number is soon reused for
   * another file.
   */
  const rotate = (path: string): void => {
    try {
      renameSync(path, `${path}.1`);
    } catch {
      // The file was removed or cannot be renamed. Logging continues in it, or in a new file.
    }
    try {
      const next = openLogFile(path);
      closeSync(fd);
      fd = next;
      size = fstatSync(fd).size;
      isTorn = false;
    } catch {
      // Logging continues in the old file.
    }
  };
  const flush = (): void => {
    if (lines.length === 0) return;
    if (file !== undefined && size > ROTATE_AT) rotate(file);
    const text = Buffer.from(`${isTorn ? '\n' : ''}${lines.join('')}`);
    lines = [];
    let written = 0;
    try {
      while (written < text.length) written += writeSync(fd, text, written);
      lost = 0;
    } catch {
      lost += text.subarray(written).filter((byte) => byte === NEWLINE).length - (isTorn && written === 0 ? 1 : 0);
    }
    size += written;
    if (written > 0) isTorn = text[written - 1] !== NEWLINE;
  };
  return {
    /** Number of lines lost before the next line. */
    lost: () => (lines.length === 0 ? lost : 0),
    flush,
    write(line: string): void {
      if (lines.length === 0) setImmediate(flush);
      lines.push(line);
    },
  };
};

export interface LoggerOptions {
  /** File for the log. Standard error if absent. */
  readonly file?: string;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
}

export interface DaemonLogger extends Logger {
  /** Writes what was logged in this turn of the event loop. Must be called at the end of the process. */
  readonly flush: () => void;
}

/**
 * Warnings, errors and security events are written at once, other lines at the end of the turn.
 * @see docs/conformance/security.md R159
 */
export const createLogger = ({ file, level }: LoggerOptions): DaemonLogger => {
  const destination = openDestination(file);
  const log = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      mixin: () => (destination.lost() > 0 ? { linesLost: destination.lost() } : {}),
    },
    destination,
  );
  const write = (name: LoggerOptions['level']) => (fields: Readonly<Record<string, unknown>>, message: string) => {
    if (!log.isLevelEnabled(name)) return;
    log[name](loggable(fields), safeText(message));
    if (name === 'warn' || name === 'error' || 'event' in fields) destination.flush();
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    flush: destination.flush,
  };
};
