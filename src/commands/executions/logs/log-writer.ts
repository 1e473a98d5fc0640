// Writes a log to stdout and stderr: unchanged, or line by line with times and prefixes.
import type { CommandContext } from '../../../context.ts';
import type { Paint } from '../../../ui/color.ts';
import { stripControl } from '../../../ui/text.ts';
import { createLineJoiner, type LogPiece, type WholeLine } from './log-reader.ts';

export interface LogStyle {
  /** Number of lines to show from the end of the existing log. */
  readonly tail?: number;
  /** Start time; earlier output is left out. Milliseconds since the epoch. */
  readonly since?: number;
  readonly timestamps: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly prefix?: string;
  readonly color?: keyof Paint;
  readonly executionId: string;
  /** Fields that begin every JSON object, to tell it from objects of other kinds. */
  readonly mark?: { readonly type: string; readonly actor?: string };
}

/** The fields of a line of a log for machines, without those of `mark`. */
export const lineFields: readonly string[] = ['execution_id', 'time', 'stream', 'line', 'cursor'];

const shown = (piece: LogPiece, { since, stdout, stderr }: LogStyle): boolean =>
  (since === undefined || Date.parse(piece.time) >= since) &&
  (piece.stream === 'stdout' ? stdout : piece.stream === 'stderr' ? stderr : true);

/** True if pieces must be joined to lines before they are written. */
const byLine = ({ tail, timestamps, prefix }: LogStyle, asValues: boolean): boolean =>
  asValues || tail !== undefined || timestamps || prefix !== undefined;

/**
 * Writes every piece as it arrives. The stdout of the actor goes to stdout; its stderr and notices go to stderr. In
 * machine formats and with `--template` every line is an object on stdout.
 */
export const writeLog = async (
  { output }: Pick<CommandContext, 'output'>,
  pieces: AsyncIterable<LogPiece>,
  style: LogStyle,
): Promise<void> => {
  // Control characters are removed from the prefix, because other users choose the names in it.
  const prefix = stripControl(style.prefix ?? '');
  const painted = (paint: Paint): string => (style.color === undefined ? prefix : paint[style.color](prefix));
  const raw = async (stream: LogPiece['stream'], text: string): Promise<void> => {
    if (stream === 'stdout') await output.event(text, null, painted(output.paint));
    else if (stream === 'stderr') output.errorText(text, painted(output.errorPaint));
    else output.note(prefix + text.trimEnd());
  };
  const line = async ({ stream, text, time, cursor }: WholeLine): Promise<void> => {
    if (output.printsEventValue) {
      await output.event('', { ...style.mark, execution_id: style.executionId, time, stream, line: text, cursor });
      return;
    }
    await raw(stream, `${style.timestamps ? `${time} ` : ''}${text}\n`);
  };

  if (!byLine(style, output.printsEventValue)) {
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
      // Drops lines that can no longer be among the last lines. This is done in batches, because copying is expensive.
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
