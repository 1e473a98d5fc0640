// Writes a log to stdout and stderr: raw as the actor wrote it, or line by line with times and prefixes.
import type { CommandContext } from '../../context.ts';
import { createLineJoiner, type LogPiece, type WholeLine } from './log-reader.ts';

/** What of a log is shown, and how. */
export interface LogStyle {
  /** Only the last so many of the lines that were there before. */
  readonly tail?: number;
  /** Milliseconds since the epoch; earlier pieces are left out. */
  readonly since?: number;
  /** A time before each line. */
  readonly timestamps: boolean;
  /** Which of the actor's streams; both unless one is named. */
  readonly stdout: boolean;
  readonly stderr: boolean;
  /** Stands before each line. */
  readonly prefix?: string;
  readonly executionId: string;
  /** Stands first in every object, where objects of other kinds come in between. */
  readonly mark?: { readonly type: string };
}

const shown = (piece: LogPiece, { since, stdout, stderr }: LogStyle): boolean =>
  (since === undefined || Date.parse(piece.time) >= since) &&
  (piece.stream === 'stdout' ? stdout : piece.stream === 'stderr' ? stderr : true);

/** Whether lines must be put together before they can be written. */
const byLine = ({ tail, timestamps, prefix }: LogStyle, machine: boolean): boolean =>
  machine || tail !== undefined || timestamps || prefix !== undefined;

/**
 * Writes every piece as it comes. The actor's stdout goes to stdout, its stderr and our notices to stderr; to machines every
 * line is one JSON object on stdout.
 * @throws CliFailure whatever the pieces throw
 */
export const writeLog = async (
  { output }: Pick<CommandContext, 'output'>,
  pieces: AsyncIterable<LogPiece>,
  style: LogStyle,
): Promise<void> => {
  const raw = async (stream: LogPiece['stream'], text: string): Promise<void> => {
    if (stream === 'stdout') await output.event(text, null);
    else if (stream === 'stderr') output.errorText(text);
    else output.note(text.trimEnd());
  };
  const line = async ({ stream, text, time, cursor }: WholeLine): Promise<void> => {
    if (output.machine) {
      await output.event('', { ...style.mark, execution: style.executionId, time, stream, line: text, cursor });
      return;
    }
    const before = `${style.prefix ?? ''}${style.timestamps ? `${time} ` : ''}`;
    await raw(stream, `${before}${text}\n`);
  };

  if (!byLine(style, output.machine)) {
    for await (const piece of pieces) if (shown(piece, style)) await raw(piece.stream, piece.text);
    return;
  }
  const joiner = createLineJoiner();
  let held: WholeLine[] | undefined = style.tail === undefined ? undefined : [];
  const release = async (): Promise<void> => {
    const lines = held ?? [];
    held = undefined;
    for (const each of style.tail === 0 ? [] : lines.slice(-(style.tail ?? 0))) await line(each);
  };
  const put = async (each: WholeLine): Promise<void> => {
    if (held !== undefined && each.old) {
      held.push(each);
      // What can no longer be among the last lines needs no memory; cut now and then, not at each line.
      if (held.length > 2 * (style.tail ?? 0) + 1_000) held = held.slice(-(style.tail ?? 0) || held.length);
      return;
    }
    await release();
    await line(each);
  };
  for await (const piece of pieces) {
    if (!shown(piece, style)) continue;
    if (!piece.old) await release();
    for (const each of joiner.take(piece)) await put(each);
  }
  for (const each of joiner.rest()) await put(each);
  await release();
};
