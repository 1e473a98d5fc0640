// The one writer of stdout; whatever is not a result goes to stderr.
import type { Envelope } from '../contract/envelope.ts';
import type { Paint } from './color.ts';
import { renderItem, renderRows, renderValue } from './format/render.ts';
import type { OutputFormat, RenderOptions, Selection, View } from './format/view.ts';
import type { Sink } from './sink.ts';
import type { Progress } from './spinner.ts';
import { stripControl } from './text.ts';

/** What commands speak through. Text given to it may hold control characters: they are stripped before a terminal sees them. */
export interface Output {
  /** Whether a machine reads: formats json and ndjson, or one of `--fields`, `--jq`. No prompt, error as JSON. */
  readonly machine: boolean;
  readonly quiet: boolean;
  /** Whether the envelope of the last answer is printed instead of what a command makes of it. */
  readonly enveloped: boolean;
  readonly format: OutputFormat;
  /** What of a list is to be shown, for commands that ask the service for no more than that; undefined where it is no list. */
  readonly selection: Selection | undefined;
  /** Whether stdout is a terminal. */
  readonly tty: boolean;
  /** Colours for stdout; the identity when it has none. */
  readonly paint: Paint;
  /** Prints a list; `--filter`, `--sort`, `--limit`, `--offset` and `--all` are applied here. */
  readonly rows: <T>(rows: readonly T[], view: View<T>) => void;
  /** Prints one thing. */
  readonly item: <T>(value: T, view: View<T>) => void;
  /**
   * Prints the outcome of a change: the sentence to people, the value to machines, the id (or nothing) with `--quiet`,
   * `-o id` and `-o name`.
   */
  readonly result: (sentence: string, value: unknown, id?: string) => void;
  /**
   * Prints one event of a stream: the text as it stands to people, one JSON line to machines (after `--fields` and `--jq`), the
   * line of `--template` where there is a value. Waits for a slow reader.
   * @param fields those that `--fields` and `--template` may name; those of the value when left out
   */
  readonly event: (text: string, value: unknown, fields?: readonly string[]) => Promise<void>;
  /** Writes bytes as they are, also to a terminal. Waits for a slow reader. */
  readonly bytes: (bytes: Uint8Array) => Promise<void>;
  /** Writes text to stderr as it stands but for control characters; for the stderr of an actor. */
  readonly errorText: (text: string) => void;
  /** A line on stderr that `--quiet` leaves out, and without `--verbose` any output for machines. */
  readonly note: (line: string) => void;
  /** A line on stderr that begins with `warning:`. */
  readonly warn: (line: string) => void;
  /** A dim `Next: …` line on stderr, only for a person at a terminal. */
  readonly next: (line: string) => void;
  /** Only with `--verbose`: a line on stderr. */
  readonly verbose: (line: string) => void;
  /** Starts to show that something takes time. */
  readonly progress: (text: string) => Promise<Progress>;
  /** Remembers the envelope of the last answer, for `--envelope`. */
  readonly received: (envelope: Envelope<unknown>) => void;
  /** Puts another result into that envelope, where something of the real one must not be printed. */
  readonly redact: (result: unknown) => void;
}

export interface OutputInput {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly format: OutputFormat;
  readonly fields?: readonly string[];
  readonly jq?: string;
  readonly raw: boolean;
  readonly template?: string;
  readonly headers: boolean;
  /** Print the envelope of the service instead of its result. */
  readonly envelope: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly selection?: Selection;
  readonly paint: Paint;
  readonly errorPaint: Paint;
  readonly progress: (text: string) => Promise<Progress>;
  readonly now: () => number;
}

/** Makes the writer. */
export const createOutput = (input: OutputInput): Output => {
  const { stdout, stderr, errorPaint } = input;
  const tty = stdout.isTTY === true;
  const errorTty = stderr.isTTY === true;
  const machine =
    input.format === 'json' || input.format === 'ndjson' || input.jq !== undefined || input.fields !== undefined;
  let envelope: Envelope<unknown> | undefined;

  const options = (): RenderOptions => ({
    format: input.quiet && input.format === 'table' ? 'id' : input.format,
    ...(input.fields && { fields: input.fields }),
    ...(input.jq !== undefined && { jq: input.jq }),
    ...(input.template !== undefined && { template: input.template }),
    ...(input.selection && { selection: input.selection }),
    raw: input.raw,
    headers: input.headers,
    tty,
    width: stdout.columns ?? 80,
    paint: input.paint,
    now: input.now(),
  });
  const line = (text: string): void => {
    if (text === '') return;
    const whole = text.endsWith('\n') ? text : `${text}\n`;
    stdout.write(whole);
  };
  const errorLine = (text: string): void => {
    stderr.write(`${text}\n`);
  };
  const writing = (chunk: string | Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      stdout.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
  const printEnvelope = (): boolean => {
    if (!input.envelope || !envelope) return false;
    line(renderValue(envelope, { ...options(), format: input.format === 'yaml' ? 'yaml' : 'json' }));
    return true;
  };

  return {
    machine,
    quiet: input.quiet,
    enveloped: input.envelope,
    format: input.format,
    selection: input.selection,
    tty,
    paint: input.paint,
    rows: (rows, view) => {
      if (!printEnvelope()) line(renderRows(rows, view, options()));
    },
    item: (value, view) => {
      if (!printEnvelope()) line(renderItem(value, view, options()));
    },
    result: (sentence, value, id) => {
      if (printEnvelope()) return;
      if (machine || input.template !== undefined || input.format === 'yaml' || input.format === 'env') {
        line(renderValue(value, options()));
      } else if (input.quiet || input.format === 'id' || input.format === 'name') line(id ?? '');
      else line(stripControl(sentence));
    },
    event: async (text, value, fields) => {
      const asText = !machine && (input.template === undefined || value === null);
      if (asText) return writing(tty ? stripControl(text) : text);
      const line = renderValue(value, { ...options(), format: 'ndjson' }, fields);
      // A `select` of `--jq` that lets nothing through prints nothing, not an empty line.
      if (line !== '') await writing(`${line}\n`);
    },
    bytes: writing,
    errorText: (text) => {
      stderr.write(errorTty ? stripControl(text) : text);
    },
    note: (text) => {
      // Whoever reads stdout by program may read stderr so as well: there it finds at most one error object.
      if (!input.quiet && (!machine || input.verbose)) errorLine(stripControl(text));
    },
    warn: (text) => errorLine(`${errorPaint.yellow('warning:')} ${stripControl(text)}`),
    next: (text) => {
      if (!input.quiet && !machine && tty && errorTty) errorLine(errorPaint.dim(`Next: ${stripControl(text)}`));
    },
    verbose: (text) => {
      if (input.verbose) errorLine(errorPaint.dim(stripControl(text)));
    },
    progress: input.progress,
    received: (value) => {
      envelope = value;
    },
    redact: (result) => {
      if (envelope) envelope = { ...envelope, result };
    },
  };
};
