// A value and how it is looked at → the text that stdout gets, in any of the output formats.
import { usage } from '../../failure.ts';
import { stripControl } from '../text.ts';
import { writeEnv } from './env.ts';
import { parseFields, pickFields } from './fields.ts';
import { parseJq } from './jq.ts';
import { escapeUnsafe, isList, isObject, type Json, readPath, toJson, writeJson } from './json.ts';
import { keptText, prettyJson } from './json-text.ts';
import { selectRows } from './select.ts';
import { writeDetails, writeTable } from './table.ts';
import { parseTemplate } from './template.ts';
import type { CellValue, Column, OutputFormat, RenderOptions, View } from './view.ts';
import { oneLine } from './width.ts';
import { writeYaml } from './yaml.ts';

const itemsOf = (value: Json): readonly Json[] => (isList(value) ? value : [value]);

/** The fields there are: as the view states them, else whatever the rows have. */
const knownFields = <T>(view: View<T>, rows: readonly unknown[]): readonly string[] =>
  view.fields ?? [...new Set(rows.flatMap((row) => (typeof row === 'object' && row !== null ? Object.keys(row) : [])))];

const cellOf = (value: Json | undefined): CellValue =>
  isObject(value) || isList(value) ? JSON.stringify(value) : value;

const byPath = (paths: readonly (readonly string[])[]): readonly Column<Json>[] =>
  paths.map((path) => ({ header: path.join('.').toUpperCase(), value: (row) => cellOf(readPath(row, path)) }));

const writeData = (value: Json, format: OutputFormat): string => {
  if (format === 'ndjson') {
    return itemsOf(value)
      .map((item) => writeJson(item, 0))
      .join('\n');
  }
  if (format === 'yaml') return writeYaml(value);
  return format === 'env' ? writeEnv(value) : writeJson(value);
};

/** The whole of a value as data. What came as JSON text goes out as that text where the format is JSON. */
const writeWhole = (value: unknown, format: OutputFormat): string => {
  if (format === 'yaml' || format === 'env') return writeData(toJson(value), format);
  const lines = format === 'ndjson' && Array.isArray(value) ? value : [value];
  const texts = lines.map((each) => escapeUnsafe(keptText(each) ?? 'null'));
  return format === 'ndjson' ? texts.join('\n') : prettyJson(texts.join());
};

const writeResult = (value: Json, { format, raw, tty }: RenderOptions): string => {
  if (raw && typeof value === 'string') return tty ? stripControl(value) : value;
  return writeJson(value, format === 'ndjson' || raw ? 0 : 2);
};

/** The result of `--jq` or `--template`, or nothing when neither was given. */
const computed = (data: Json, known: readonly string[], options: RenderOptions): string | undefined => {
  if (options.jq !== undefined && options.template !== undefined) {
    throw usage('--jq and --template exclude each other', 'leave one of them out');
  }
  if (options.jq !== undefined) {
    return parseJq(options.jq)(data)
      .map((result) => writeResult(result, options))
      .join('\n');
  }
  if (options.template === undefined) return undefined;
  const template = parseTemplate(options.template, known);
  const text = itemsOf(data)
    .map((item) => template(item, options.now))
    .join('\n');
  return options.tty ? stripControl(text) : text;
};

const isTable = (format: OutputFormat): boolean => format === 'table' || format === 'wide';

/**
 * Writes any value that no view is for: as data, in a format for data (JSON where a table was asked for).
 * @param fields names of the top-level fields that there can be; those of the value when left out
 * @throws USAGE on an expression or template that is not understood
 */
export const renderValue = (value: unknown, options: RenderOptions, fields?: readonly string[]): string => {
  const json = toJson(value);
  const known = fields ?? (isObject(json) ? Object.keys(json) : []);
  const choice = options.fields === undefined ? undefined : parseFields(options.fields, known);
  if (choice?.kind === 'help') return known.join('\n');
  const data = choice === undefined ? json : pickFields(json, choice.paths);
  return (
    computed(data, known, options) ??
    (choice === undefined ? writeWhole(value, options.format) : writeData(data, options.format))
  );
};

/**
 * Writes a list: selected, then in the form that was asked for.
 * @throws USAGE on a field, filter, expression or template that is not understood
 */
export const renderRows = <T>(rows: readonly T[], view: View<T>, options: RenderOptions): string => {
  const { format } = options;
  const known = knownFields(view, rows);
  const choice = options.fields === undefined ? undefined : parseFields(options.fields, known);
  if (choice?.kind === 'help') return known.join('\n');
  const shown = options.selection === undefined ? rows : selectRows(rows, options.selection, known, options.now);
  const json = itemsOf(toJson(shown));
  const data = choice === undefined ? json : pickFields(json, choice.paths);
  const text = computed(data, known, options);
  if (text !== undefined) return text;
  if (format === 'id') return shown.map((row) => oneLine(view.id(row))).join('\n');
  if (format === 'name') return shown.map((row) => oneLine(view.name?.(row) || view.id(row))).join('\n');
  if (!isTable(format)) return choice === undefined ? writeWhole(shown, format) : writeData(data, format);
  if (choice !== undefined) return writeTable(json, byPath(choice.paths), options);
  return writeTable(
    shown,
    view.columns.filter(({ wide }) => wide !== true || format === 'wide'),
    options,
  );
};

/**
 * Writes one thing.
 * @throws USAGE on a field, expression or template that is not understood
 */
export const renderItem = <T>(thing: T, view: View<T>, options: RenderOptions): string => {
  const { format } = options;
  const known = knownFields(view, [thing]);
  const choice = options.fields === undefined ? undefined : parseFields(options.fields, known);
  if (choice?.kind === 'help') return known.join('\n');
  const json = toJson(thing);
  const data = choice === undefined ? json : pickFields(json, choice.paths);
  const text = computed(data, known, options);
  if (text !== undefined) return text;
  if (format === 'id') return oneLine(view.id(thing));
  if (format === 'name') return oneLine(view.name?.(thing) || view.id(thing));
  if (!isTable(format)) return choice === undefined ? writeWhole(thing, format) : writeData(data, format);
  return choice === undefined
    ? writeDetails(thing, view.columns, options)
    : writeDetails(json, byPath(choice.paths), options);
};
