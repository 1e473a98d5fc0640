// Joins the chunks of a log to lines.
import { createAnsiReader, plainLine, type Span } from './ansi.ts';

export interface LogLine {
  readonly stream: string;
  readonly time: string;
  /** Without escape sequences. */
  readonly text: string;
  readonly spans: readonly Span[];
}

/**
 * Each stream has lines and a style of its own. A notice is a whole line, and ends every line before it: output may be
 * left out there.
 */
export const createLogLines = () => {
  const lines: LogLine[] = [];
  const open = new Map<string, { readonly at: number; readonly raw: string }>();
  const readers = new Map<string, ReturnType<typeof createAnsiReader>>();

  return {
    lines,
    add: (stream: string, time: string, piece: string): void => {
      if (stream === 'notice') {
        open.clear();
        lines.push({ stream, time, text: plainLine(piece), spans: [{ text: plainLine(piece), style: '' }] });
        return;
      }
      const reader = readers.get(stream) ?? createAnsiReader();
      readers.set(stream, reader);
      const before = open.get(stream);
      const parts = `${before?.raw ?? ''}${piece}`.split('\n');
      parts.forEach((raw, index) => {
        const isLast = index === parts.length - 1;
        if (isLast && raw === '') {
          open.delete(stream);
          return;
        }
        const at = index === 0 && before !== undefined ? before.at : lines.length;
        // An incomplete line is shown, and parsed again when more of it arrives.
        const spans = isLast ? [{ text: plainLine(raw), style: '' }] : reader.read(raw);
        lines[at] = { stream, time, text: plainLine(raw), spans };
        // Text that a carriage return has overwritten is dropped; otherwise a progress bar would grow as long as it
        // runs.
        if (isLast) open.set(stream, { at, raw: raw.slice(raw.lastIndexOf('\r', raw.length - 2) + 1) });
        else open.delete(stream);
      });
    },
  };
};
