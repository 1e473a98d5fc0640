// Writes results to stdout and everything else to stderr. No other module writes to stdout.
import type { Envelope } from '../contract/envelope.ts';
import type { Paint } from './color.ts';
import type { JqFilter } from './format/jq.ts';
import { OwnNames } from './format/names.ts';
import { checkExpressions, checkNames, renderChange, renderItem, renderRows, renderValue } from './format/render.ts';
import type { OutputFormat, RenderOptions, Selection, View } from './format/view.ts';
import type { Sink } from './sink.ts';
import type { StartProgress } from './spinner.ts';
import { stripControl } from './text.ts';
import { watchedList } from './watched-list.ts';

/** Output of commands. Control characters are removed from text before it reaches a terminal. */
export interface Output {
  /**
   * True if a program reads the output (json, ndjson, `--fields`, `--jq`). Then there are no prompts, and errors
   * are JSON.
   */
  readonly machine: boolean;
  /** True if `report` and `result` print the value, not text: for programs, `--template`, `-o yaml` and `-o env`. */
  readonly printsValue: boolean;
  /** True if `event` prints the value, not the text: for programs and `--template`. */
  readonly printsEventValue: boolean;
  readonly quiet: boolean;
  /** True with `--envelope`: the envelope of the last response is printed instead of the command's own output. */
  readonly enveloped: boolean;
  readonly format: OutputFormat;
  /**
   * The requested part of a list, so that a command can request only that part. Undefined if the command is not a list.
   */
  readonly selection: Selection | undefined;
  readonly tty: boolean;
  /** Columns of the terminal. */
  readonly width: number;
  /** True if stderr is a terminal. */
  readonly errorTty: boolean;
  readonly paint: Paint;
  readonly errorPaint: Paint;
  /** Prints a list, after `--filter`, `--sort`, `--limit`, `--offset` and `--all`. */
  readonly rows: <T>(rows: readonly T[], view: View<T>) => void;
  /**
   * Returns the function that prints a list whenever it has changed: on a terminal the whole list, in place of the
   * previous list; elsewhere one line per changed row, for programs a JSON line.
   */
  readonly watch: <T>(view: View<T>) => (rows: readonly T[], changed: readonly T[]) => void;
  readonly item: <T>(value: T, view: View<T>) => void;
  /**
   * Prints data: the text for people, the value for programs, the id or nothing with `--quiet`, `-o id`, `-o name`.
   * @param lead as for `event`
   */
  readonly report: (text: string, value: unknown, id?: string, lead?: string) => void;
  /**
   * Prints the outcome of a change, like `report`. If the output flags do not suit the value, it prints the whole
   * value and a warning, because the change was made and the value may be stored nowhere else. Returns the printed
   * text.
   */
  readonly result: (sentence: string, value: unknown, id?: string) => string;
  /**
   * Checks `--fields` and `--template` before a command changes anything or waits for events. Returns false if
   * `--fields help` was given: then the names are printed and the command is finished.
   */
  readonly allowFields: (names: readonly string[]) => boolean;
  /**
   * Prints one event of a stream: for people the text, for programs one JSON line (after `--fields` and `--jq`), with
   * `--template` its line if there is a value. The names that `--fields` allows are those of `allowFields`, else those
   * of the value. Resolves when the reader has accepted the text.
   * @param lead printed before the text with its colours; text from elsewhere in it must have no control characters
   */
  readonly event: (text: string, value: unknown, lead?: string) => Promise<void>;
  /** Writes bytes unchanged, even to a terminal. Resolves when the reader has accepted them. */
  readonly bytes: (bytes: Uint8Array) => Promise<void>;
  /** Writes text to stderr without its control characters. @param lead as for `event` */
  readonly errorText: (text: string, lead?: string) => void;
  /** Returns the sentence with the context and instance of this run added to each `actorctl …` command. */
  readonly sameTarget: (sentence: string) => string;
  /** Writes a line to stderr, after `sameTarget`. Not with `--quiet`, and for programs only with `--verbose`. */
  readonly note: (line: string) => void;
  /** Writes a line to stderr that starts with `warning:`, after `sameTarget`. */
  readonly warn: (line: string) => void;
  /** Writes a dim `Next: …` line to stderr, after `sameTarget`, only if stdout and stderr are terminals. */
  readonly next: (line: string) => void;
  /** Writes a line to stderr, only with `--verbose`. */
  readonly verbose: (line: string) => void;
  /** Cancels the command as soon as the reader of stdout closes the pipe, even if there is nothing to write. */
  readonly watchReader: () => void;
  readonly progress: StartProgress;
  /** Stores the envelope of the last response, for `--envelope`. */
  readonly received: (envelope: Envelope<unknown>) => void;
  /** Replaces the result in the stored envelope, if the real result must not be printed. */
  readonly redact: (result: unknown) => void;
}

export interface OutputInput {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly format: OutputFormat;
  readonly fields?: readonly string[];
  readonly jq?: JqFilter;
  readonly raw: boolean;
  readonly template?: string;
  readonly headers: boolean;
  readonly envelope: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly selection?: Selection;
  readonly paint: Paint;
  readonly errorPaint: Paint;
  readonly progress: StartProgress;
  readonly sameTarget: Output['sameTarget'];
  readonly now: () => number;
}

type Render = (value: unknown, options: RenderOptions) => string;

/** @throws CliFailure USAGE for an invalid `--jq` or `--template`, because the result could not be printed */
export const createOutput = (input: OutputInput): Output => {
  const { stdout, stderr, format, errorPaint, sameTarget } = input;
  checkExpressions(input);
  const [tty, errorTty, width] = [stdout.isTTY === true, stderr.isTTY === true, stdout.columns ?? 80];
  const machine = format === 'json' || format === 'ndjson' || input.jq !== undefined || input.fields !== undefined;
  const printsEventValue = machine || input.template !== undefined;
  const printsValue = printsEventValue || format === 'yaml' || format === 'env';
  let envelope: Envelope<unknown> | undefined;
  let allowed: readonly string[] | undefined;

  const options = (): RenderOptions => ({
    format: input.quiet && format === 'table' ? 'id' : format,
    fields: input.fields,
    jq: input.jq,
    template: input.template,
    selection: input.selection,
    raw: input.raw,
    headers: input.headers,
    tty,
    width,
    paint: input.paint,
    now: input.now(),
  });
  const line = (text: string): string => {
    if (text !== '') stdout.write(text.endsWith('\n') ? text : `${text}\n`);
    return text;
  };
  const errorLine = (text: string): void => {
    stderr.startLine?.();
    stderr.write(`${text}\n`);
  };
  const writing = (chunk: string | Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      stdout.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
  const warn = (text: string): void => errorLine(`${errorPaint.yellow('warning:')} ${stripControl(sameTarget(text))}`);
  /** Prints the envelope with `--envelope`, and returns its text. */
  const printEnvelope = (render: Render = renderValue): string | undefined => {
    if (!input.envelope || !envelope) return undefined;
    const own = format === 'yaml' ? 'yaml' : 'json';
    return line(render(new OwnNames(envelope), { ...options(), format: own }));
  };
  const print = (sentence: string, value: unknown, id: string | undefined, render: Render, lead = ''): string => {
    const enveloped = printEnvelope(render);
    if (enveloped !== undefined) return enveloped;
    if (printsValue) return line(render(value, options()));
    if (input.quiet || format === 'id' || format === 'name') return line(id ?? '');
    return line(lead + stripControl(sentence));
  };

  return {
    machine,
    printsValue,
    printsEventValue,
    quiet: input.quiet,
    enveloped: input.envelope,
    format,
    selection: input.selection,
    tty,
    width,
    errorTty,
    paint: input.paint,
    errorPaint,
    rows: (rows, view) => {
      if (printEnvelope() !== undefined) return;
      let isCut = false;
      const onCut = () => {
        isCut = true;
      };
      line(renderRows(rows, view, { ...options(), onCut }));
      if (isCut)
        warn(
          `only ${input.selection?.limit} rows are shown. To see all rows: --all. To see other rows: --limit, --offset`,
        );
    },
    watch: (view) => {
      const drawn = tty && !machine && (format === 'table' || format === 'wide');
      return watchedList(view, { stdout, drawn, machine, options, line });
    },
    item: (value, view) => {
      if (printEnvelope() === undefined) line(renderItem(value, view, options()));
    },
    report: (text, value, id, lead) => {
      print(text, value, id, renderValue, lead);
    },
    result: (sentence, value, id) =>
      print(sentence, value, id, (each, own) => {
        const { text, problem } = renderChange(each, own, allowed);
        if (problem !== undefined) warn(problem);
        return text;
      }),
    allowFields: (names) => {
      // With `--envelope` the valid fields are those of the envelope.
      if (input.envelope) return true;
      allowed = names;
      const list = checkNames(input, names);
      if (list !== undefined) line(list);
      return list === undefined;
    },
    event: async (text, value, lead = '') => {
      const asText = !printsEventValue || (!machine && value === null);
      if (asText) return writing(lead + (tty ? stripControl(text) : text));
      const line = renderValue(value, { ...options(), format: 'ndjson' }, allowed);
      // If a `select` in `--jq` drops the event, nothing is printed, not even an empty line.
      if (line !== '') await writing(`${line}\n`);
    },
    bytes: writing,
    errorText: (text, lead = '') => {
      stderr.write(lead + (errorTty ? stripControl(text) : text));
    },
    sameTarget,
    note: (text) => {
      // A program may read stderr, which must contain at most one error object.
      if (!input.quiet && (!machine || input.verbose)) errorLine(stripControl(sameTarget(text)));
    },
    warn,
    next: (text) => {
      if (!input.quiet && !machine && tty && errorTty)
        errorLine(errorPaint.dim(`Next: ${stripControl(sameTarget(text))}`));
    },
    verbose: (text) => {
      if (input.verbose) errorLine(errorPaint.dim(stripControl(text)));
    },
    watchReader: () => stdout.watchReader?.(),
    progress: input.progress,
    received: (value) => {
      envelope = value;
    },
    redact: (result) => {
      if (envelope) envelope = { ...envelope, result };
    },
  };
};
