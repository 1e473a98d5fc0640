// Parses the text of a project file, YAML 1.2 or JSON, and knows the line and column of every value.
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';
import { numberOf, parseExact } from '../../contract/exact-json.ts';
import { type CliFailure, usage } from '../../failure.ts';

/** Most references to anchors (`*name`) that a file may expand to. */
const ALIAS_LIMIT = 100;
/** Deepest nesting of lists and mappings. */
const DEPTH_LIMIT = 60;

/**
 * Nesting level above which the file is not parsed at all. Brackets in quotes count too, so this limit is much higher
 * than `DEPTH_LIMIT`.
 */
const UNPARSED_DEPTH = 1_000;

export type Path = readonly PropertyKey[];

export type ProjectText = ReturnType<typeof parseProjectText>;

const DUPLICATE = ['this key appears twice', 'remove one of the two'] as const;

/** Messages that replace those of the library, by its error codes. */
const words: Readonly<Record<string, readonly [message: string, hint?: string]>> = {
  TAB_AS_INDENT: ['a tab indents this line', 'indent YAML with spaces'],
  MULTIPLE_DOCS: ['the file contains several documents', 'put all of the project into one document, without ---'],
  NON_STRING_KEY: ['a key must be a text'],
  TAG_RESOLVE_FAILED: ['tags (!name) are not allowed', 'write the plain value'],
};

const keyOf = (key: unknown): string => (isScalar(key) ? String(key.value) : String(key));

/** The pairs of a mapping by key, created on first use for speed: a file may have as many keys as lines. */
const indexes = new WeakMap<YAMLMap, ReadonlyMap<string, YAMLMap['items'][number]>>();
const pairOf = (map: YAMLMap, key: string): YAMLMap['items'][number] | undefined => {
  const index = indexes.get(map) ?? new Map(map.items.map((pair) => [keyOf(pair.key), pair]));
  indexes.set(map, index);
  return index.get(key);
};

/** The node at a path, or the last one on the way that exists. */
const nodeAt = (document: Document, path: Path, wantKey: boolean): Node | undefined => {
  let node: Node | undefined = (document.contents as Node | null) ?? undefined;
  for (const [index, part] of path.entries()) {
    const target: unknown = isAlias(node) ? node.resolve(document) : node;
    if (isMap(target)) {
      const pair = pairOf(target, String(part));
      if (pair === undefined) return node;
      node = ((wantKey && index === path.length - 1 ? pair.key : (pair.value ?? pair.key)) as Node | null) ?? node;
    } else if (isSeq(target)) node = (target.items[Number(part)] as Node | undefined) ?? node;
    else return node;
  }
  return node;
};

const isBottomless = (text: string): boolean => {
  let depth = 0;
  for (const letter of text) {
    if (letter === '[' || letter === '{') depth += 1;
    else if ((letter === ']' || letter === '}') && depth > 0) depth -= 1;
    if (depth > UNPARSED_DEPTH) return true;
  }
  return /(?:[-?][ \t]+){1000}/.test(text);
};

/**
 * True for nesting beyond the limit. Stops at the first such place, because a list may contain itself several
 * times.
 */
const isTooDeep = (value: unknown, depth = 0): boolean =>
  depth > DEPTH_LIMIT ||
  (typeof value === 'object' && value !== null && Object.values(value).some((each) => isTooDeep(each, depth + 1)));

/** The JSON text of a finite number in YAML 1.2, which also allows 0x1f, 0o17, +1, 007, .5 and 1. */
const jsonNumber = (source: string): string =>
  /^0[xo]/.test(source)
    ? String(BigInt(source))
    : source
        .replace(/^\+/, '')
        .replace(/^(-?)(?=\.)/, (sign) => `${sign}0`)
        .replace(/^(-?)0+(?=\d)/, '$1')
        .replace(/\.(?=e|$)/i, '');

/** Gives every number in the document the value that `parseExact` gives it. Infinity and NaN stay. */
const keepNumbers = (document: Document): void => {
  visit(document, {
    Scalar: (_key, node) => {
      const { value, source = '' } = node;
      if (typeof value === 'number' && !/^[-+]?\.(?:inf|nan)$/i.test(source)) node.value = numberOf(jsonNumber(source));
    },
  });
};

/** Refuses valid YAML 1.2 syntax that no project needs. */
const refuseOddities = (
  document: Document,
  refuse: (offset: number, message: string, hint?: string) => never,
): void => {
  if (document.directives?.yaml.explicit === true && document.directives.yaml.version !== '1.2')
    refuse(0, `the file is YAML ${document.directives.yaml.version}`, 'remove the line %YAML: the file is YAML 1.2');
  let aliases = 0;
  visit(document, {
    // The library would compare each key with all others, which is slow.
    Map: (_key, { items }) => {
      const seen = new Set<string>();
      for (const { key } of items) {
        if (seen.has(keyOf(key))) refuse((key as Node | null)?.range?.[0] ?? 0, ...DUPLICATE);
        seen.add(keyOf(key));
      }
    },
    Alias: (_key, node) => {
      aliases += 1;
      if (aliases > ALIAS_LIMIT)
        refuse(node.range?.[0] ?? 0, `more than ${ALIAS_LIMIT} references to anchors`, 'write the values out');
    },
    Pair: (_key, { key }) => {
      const offset = (key as Node | null)?.range?.[0] ?? 0;
      if (keyOf(key) === '__proto__') refuse(offset, 'nothing may be named "__proto__"');
      if (keyOf(key) === '<<') refuse(offset, 'merge keys (<<) are not YAML 1.2', 'write the fields out');
    },
  });
};

/**
 * YAML reads some JSON files differently, for example with a long key, so the syntax of a JSON file is checked by a
 * JSON parser.
 */
const jsonOf = (text: string, refuse: (offset: number, message: string) => never): unknown => {
  try {
    return parseExact(text.replace(/^\ufeff/, ''));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const offset = /at position (\d+)/.exec(error.message)?.[1];
    return refuse(offset === undefined ? text.length : Number(offset), 'the file is not JSON');
  }
};

/**
 * Parses a project file. Every text stays as written: `no`, `2026-01-01` and `1.10` become texts or numbers as
 * YAML 1.2 says, never dates or booleans.
 * @param file name of the file for messages; a name that ends with .json is read as JSON
 */
export const parseProjectText = (file: string, text: string) => {
  const counter = new LineCounter();
  const isJson = file.endsWith('.json');
  const place = (offset: number): string => {
    const { line, col } = counter.linePos(offset);
    return `${file}:${Math.max(1, line)}:${Math.max(1, col)}`;
  };
  const refuse = (offset: number, message: string, hint?: string): never => {
    throw usage(`${place(offset)}: ${message}`, hint);
  };
  const tooDeep = (): CliFailure =>
    usage(`${file}: lists and mappings are nested more than ${DEPTH_LIMIT} levels deep`);
  if (isBottomless(text)) throw tooDeep();
  let document: Document;
  try {
    document = parseDocument(text, {
      version: '1.2',
      schema: 'core',
      stringKeys: true,
      uniqueKeys: false,
      prettyErrors: false,
      lineCounter: counter,
      logLevel: 'error',
    });
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep();
    throw error;
  }
  const whole = isJson ? jsonOf(text, refuse) : undefined;
  const wrong = isJson ? undefined : [...document.errors, ...document.warnings][0];
  if (wrong !== undefined) {
    const [message, hint] = words[wrong.code] ?? [wrong.message];
    refuse(wrong.pos[0], message, hint);
  }
  refuseOddities(document, refuse);
  keepNumbers(document);
  let value: unknown;
  try {
    value = isJson ? whole : document.toJS({ maxAliasCount: ALIAS_LIMIT });
    if (isTooDeep(value)) throw tooDeep();
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep();
    if (!(error instanceof ReferenceError)) throw error;
    throw usage(
      `${file}: the anchors of the file expand to more than ${ALIAS_LIMIT} copies, or one refers to itself`,
      'write the values out',
    );
  }
  const offsetAt = (path: Path, wantKey: boolean): number => nodeAt(document, path, wantKey)?.range?.[0] ?? 0;
  return {
    value,
    /** True if the file is JSON, and not YAML. */
    isJson,
    /** Where a value begins: `actorctl.yaml:3:5`. A value that is missing is at its parent. */
    at: (path: Path): string => place(offsetAt(path, false)),
    atKey: (path: Path): string => place(offsetAt(path, true)),
    /** The text of a plain value as it is written in the file. */
    written: (path: Path): string | undefined => {
      const node = nodeAt(document, path, false);
      return isScalar(node) && typeof node.source === 'string' ? node.source : undefined;
    },
  };
};
