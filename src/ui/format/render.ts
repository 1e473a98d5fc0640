// Turns a value into the text for stdout, in every output format.
import { exactText } from '../../contract/exact-json.ts';
import { CliFailure, usage } from '../../failure.ts';
import { stripControl } from '../text.ts';
import { parseFields, pickFields } from './fields.ts';
import { escapeUnsafe, isList, isObject, type Json, jsonText, readPath, toJson, writeJson } from './json.ts';
import { prettyJson } from './json-text.ts';
import { snakeKeys, snakeName } from './names.ts';
import { selectRows } from './select.ts';
import { writeDetails, writeTable } from './table.ts';
import { parseTemplate } from './template.ts';
import type { CellValue, Column, OutputFormat, RenderOptions, View } from './view.ts';
import { oneLine } from './width.ts';
import { writeYaml } from './yaml.ts';

const nameOf = (key: string): string =>
  key
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toUpperCase();

/** Quotes a value as one shell word in which nothing is expanded. */
const quote = (text: string): string =>
  /^[A-Za-z0-9_.:/@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Writes an object as assignments: upper-case names, inner names joined by `_`, lists as JSON, null left out. */
export const writeEnv = (value: Json): string => {
  if (!isObject(value)) throw usage('"-o env" can only write one object', 'use -o json, or show a single object');
  const lines: string[] = [];
  const walk = (object: { readonly [key: string]: Json }, prefix: string): void => {
    for (const [key, item] of Object.entries(object)) {
      const name = nameOf(key);
      if (name === '' || item === null) continue;
      const whole = /^\d/.test(prefix + name) ? `_${prefix}${name}` : `${prefix}${name}`;
      if (isObject(item)) walk(item, `${whole}_`);
      else lines.push(`${whole}=${quote(stripControl(typeof item === 'string' ? item : jsonText(item)))}`);
    }
  };
  walk(value, '');
  return lines.join('\n');
};

const itemsOf = (value: Json): readonly Json[] => (isList(value) ? value : [value]);

/** The field names that a user may select: the fields of the view, else those of the rows. */
export const knownFields = <T>(view: View<T>, rows: readonly unknown[]): readonly string[] => {
  const names = view.fields ?? rows.flatMap((row) => (typeof row === 'object' && row !== null ? Object.keys(row) : []));
  return [...new Set(names.map(snakeName))];
};

const cellOf = (value: Json | undefined): CellValue =>
  typeof value === 'object' && value !== null ? jsonText(value) : value;

const byPath = (paths: readonly (readonly string[])[]): readonly Column<Json>[] =>
  paths.map((path) => ({ header: path.join('.').toUpperCase(), value: (row) => cellOf(readPath(row, path)) }));

const writeData = (value: Json, format: OutputFormat): string => {
  if (format === 'ndjson') {
    return itemsOf(value)
      .map((item) => writeJson(item, false))
      .join('\n');
  }
  if (format === 'yaml') return writeYaml(value);
  return format === 'env' ? writeEnv(value) : writeJson(value);
};

/** The whole value as data. JSON text is printed unchanged if the format is JSON. */
const writeWhole = (value: unknown, format: OutputFormat): string => {
  if (format === 'yaml' || format === 'env') return writeData(toJson(value), format);
  const lines = format === 'ndjson' && Array.isArray(value) ? value : [value];
  const texts = lines.map((each) => escapeUnsafe(exactText(each) ?? 'null'));
  return format === 'ndjson' ? texts.join('\n') : prettyJson(texts.join());
};

const writeResult = (value: Json, { format, raw, tty }: RenderOptions): string => {
  if (raw && typeof value === 'string') return tty ? stripControl(value) : value;
  return writeJson(value, format !== 'ndjson' && !raw);
};

/** Checks `--template` before the command has a value. */
export const checkExpressions = ({ jq, template }: Pick<RenderOptions, 'jq' | 'template'>): void => {
  if (jq !== undefined && template !== undefined) {
    throw usage('--jq and --template cannot be used together', 'leave one of them out');
  }
  if (template !== undefined) parseTemplate(template, []);
};

/** Checks `--fields` and `--template`. Returns the names as text if `--fields help` asks for them. */
export const checkNames = (
  { fields, template }: Pick<RenderOptions, 'fields' | 'template'>,
  names: readonly string[],
): string | undefined => {
  const known = names.map(snakeName);
  if (template !== undefined) parseTemplate(template, known);
  return fields !== undefined && parseFields(fields, known).kind === 'help' ? known.join('\n') : undefined;
};

/** The output of `--jq` or `--template`, or undefined if neither was given. */
const computed = (data: Json, known: readonly string[], options: RenderOptions): string | undefined => {
  if (options.jq !== undefined) {
    return options
      .jq(data)
      .map((result) => writeResult(result, options))
      .join('\n');
  }
  if (options.template === undefined) return undefined;
  const template = parseTemplate(options.template, known);
  // Control characters are removed even for a pipe, whose reader may be a terminal: the values are lines for people,
  // not data.
  return stripControl(
    itemsOf(data)
      .map((item) => template(item, options.now))
      .join('\n'),
  );
};

const isTable = (format: OutputFormat): boolean => format === 'table' || format === 'wide';

/**
 * Renders a value without a view in a data format (JSON if the format is a table). Keys become snake_case.
 * @param fields names of the possible top-level fields; default: those of the value
 */
export const renderValue = (given: unknown, options: RenderOptions, fields?: readonly string[]): string => {
  const value = snakeKeys(given);
  const json = toJson(value);
  const known = fields?.map(snakeName) ?? (isObject(json) ? Object.keys(json) : []);
  const choice = options.fields === undefined ? undefined : parseFields(options.fields, known);
  if (choice?.kind === 'help') return known.join('\n');
  const data = choice === undefined ? json : pickFields(json, choice.paths);
  return (
    computed(data, known, options) ??
    (choice === undefined ? writeWhole(value, options.format) : writeData(data, options.format))
  );
};

/**
 * Renders the result of a change, which must not be lost: if the output options do not suit the value, returns the
 * whole value, and the problem as the text of a warning.
 * @param names names of the possible top-level fields; default: those of the value
 */
export const renderChange = (
  value: unknown,
  options: RenderOptions,
  names?: readonly string[],
): { readonly text: string; readonly problem?: string } => {
  const { fields, format, headers, tty, width, paint, now } = options;
  const whole = (why: string) => ({
    // The format `env` may be the option that does not suit the value.
    text: renderValue(value, {
      format: format === 'env' ? 'json' : format,
      raw: false,
      headers,
      tty,
      width,
      paint,
      now,
    }),
    problem: `${why}; the change was made, so its whole value is printed`,
  });
  if (fields?.length === 1 && fields[0] === 'help') return whole('--fields help is for commands that change nothing');
  try {
    return { text: renderValue(value, options, names) };
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    return whole(error.message);
  }
};

/** Renders a list in the requested format, after filter, sort and limit. Keys become snake_case. */
export const renderRows = <T>(rows: readonly T[], view: View<T>, options: RenderOptions): string => {
  const { format } = options;
  const known = knownFields(view, rows);
  const choice = options.fields === undefined ? undefined : parseFields(options.fields, known);
  if (choice?.kind === 'help') return known.join('\n');
  const shown =
    options.selection === undefined ? rows : selectRows(rows, options.selection, known, options.now, options.onCut);
  const renamed = shown.map(snakeKeys);
  const json = itemsOf(toJson(renamed));
  const data = choice === undefined ? json : pickFields(json, choice.paths);
  const text = computed(data, known, options);
  if (text !== undefined) return text;
  if (format === 'id') return shown.map((row) => oneLine(view.id(row))).join('\n');
  if (format === 'name') return shown.map((row) => oneLine(view.name?.(row) || view.id(row))).join('\n');
  if (!isTable(format)) return choice === undefined ? writeWhole(renamed, format) : writeData(data, format);
  if (choice !== undefined) return writeTable(json, byPath(choice.paths), options);
  return writeTable(
    shown,
    view.columns.filter(
      ({ wide, inWords }) => (wide !== true || format === 'wide') && (inWords !== true || !options.tty),
    ),
    options,
  );
};

/** Renders one item. Keys become snake_case. */
export const renderItem = <T>(thing: T, view: View<T>, options: RenderOptions): string => {
  const { format } = options;
  const known = knownFields(view, [thing]);
  const choice = options.fields === undefined ? undefined : parseFields(options.fields, known);
  if (choice?.kind === 'help') return known.join('\n');
  const renamed = snakeKeys(thing);
  const json = toJson(renamed);
  const data = choice === undefined ? json : pickFields(json, choice.paths);
  const text = computed(data, known, options);
  if (text !== undefined) return text;
  if (format === 'id') return oneLine(view.id(thing));
  if (format === 'name') return oneLine(view.name?.(thing) || view.id(thing));
  if (!isTable(format)) return choice === undefined ? writeWhole(renamed, format) : writeData(data, format);
  return choice === undefined
    ? writeDetails(thing, view.columns, options)
    : writeDetails(json, byPath(choice.paths), options);
};
