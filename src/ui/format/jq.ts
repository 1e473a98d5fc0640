// Parses the part of jq that `--jq` supports: paths, `[]`, select, map, length, keys, sort_by, first, not, `|`, `,`,
// `//`, comparisons.
import { numberOf } from '../../contract/exact-json.ts';
import { usage } from '../../failure.ts';
import {
  alternative,
  comparisons,
  type Filter,
  index,
  iterate,
  pairs,
  pipe,
  tolerant,
  truthy,
  withArgument,
  withoutArgument,
} from './jq-functions.ts';
import { type Token, tokenize, unsupported } from './jq-tokens.ts';
import { compareJson } from './json.ts';

const readString = (token: Token): string => {
  try {
    return String(JSON.parse(token.text));
  } catch {
    throw unsupported(`the text ${token.text}`, token.at);
  }
};

const readNumber = (text: string, sign = '') => numberOf(sign + text.replace(/^0+(?=\d)/, ''));

/** Deepest nesting of parentheses, because the parser recurses as deep. */
const DEPTH_LIMIT = 50;

/** Functions whose argument is applied to entries of the input, not to the input itself. */
const ofEntries: ReadonlySet<string> = new Set(['map', 'sort_by']);

/**
 * One function per precedence level, lowest first. `read` receives the name of each field that is read from the
 * input itself.
 */
const parser = (tokens: readonly Token[], end: number, read: (name: string) => void) => {
  let next = 0;
  let depth = 0;
  /** True while the parsed part applies to the input itself. */
  let isOfInput = true;
  const peek = (text: string): boolean => tokens[next]?.text === text && tokens[next]?.kind !== 'string';
  const take = (text: string): boolean => {
    const found = peek(text);
    if (found) next += 1;
    return found;
  };
  const expect = (text: string): void => {
    if (!take(text)) throw stray();
  };
  const stray = () => {
    const token = tokens[next];
    return token === undefined
      ? usage('--jq: the expression ends too early')
      : unsupported(`"${token.text}"`, token.at);
  };

  const piped = (): Filter => {
    depth += 1;
    if (depth > DEPTH_LIMIT)
      throw usage(`--jq: an expression may be at most ${DEPTH_LIMIT} levels deep`, 'pipe `-o json` into jq');
    const outer = isOfInput;
    let left = commas();
    while (take('|')) {
      isOfInput = false;
      left = pipe(left, commas());
    }
    isOfInput = outer;
    depth -= 1;
    return left;
  };
  const commas = (): Filter => {
    let left = alternatives();
    while (take(',')) {
      const [first, second] = [left, alternatives()];
      left = (value) => [...first(value), ...second(value)];
    }
    return left;
  };
  const alternatives = (): Filter => {
    const left = either();
    return take('//') ? alternative(left, alternatives()) : left;
  };
  const either = (): Filter => {
    let left = both();
    while (take('or')) {
      const [first, second] = [left, both()];
      left = (value) => first(value).flatMap((a) => (truthy(a) ? [true] : second(value).map(truthy)));
    }
    return left;
  };
  const both = (): Filter => {
    let left = compared();
    while (take('and')) {
      const [first, second] = [left, compared()];
      left = (value) => first(value).flatMap((a) => (truthy(a) ? second(value).map(truthy) : [false]));
    }
    return left;
  };
  const compared = (): Filter => {
    const left = term();
    const sign = tokens[next];
    const compare = sign?.kind === 'sign' ? comparisons[sign.text] : undefined;
    if (compare === undefined) return left;
    next += 1;
    return pairs(left, term(), (a, b) => compare(compareJson(a, b)));
  };
  const term = (): Filter => {
    let filter = primary();
    for (;;) {
      const token = tokens[next];
      const quoted = tokens[next + 1];
      const target = filter;
      if (token?.kind === 'field') {
        next += 1;
        filter = pipe(target, (value) => [index(value, token.text.slice(1))]);
      } else if (take('[')) filter = pipe(target, bracket());
      else if (take('?')) filter = tolerant(target);
      else if (peek('.') && quoted?.kind === 'string') {
        next += 2;
        const key = readString(quoted);
        filter = pipe(target, (value) => [index(value, key)]);
      } else if (peek('.') && quoted?.text === '[') next += 1;
      else return filter;
    }
  };
  const leading = (name: string): Filter => {
    if (isOfInput) read(name);
    return (value) => [index(value, name)];
  };
  const bracket = (): Filter => {
    if (take(']')) return iterate;
    const negative = take('-');
    const token = tokens[next];
    if (token?.kind !== 'number' && (token?.kind !== 'string' || negative)) throw stray();
    next += 1;
    expect(']');
    const key = token.kind === 'number' ? Number(token.text) * (negative ? -1 : 1) : readString(token);
    return (value) => [index(value, key)];
  };
  const primary = (): Filter => {
    const token = tokens[next];
    if (token === undefined) throw stray();
    next += 1;
    if (token.kind === 'field') return leading(token.text.slice(1));
    if (token.kind === 'number') {
      const amount = readNumber(token.text);
      return () => [amount];
    }
    if (token.kind === 'string') {
      const text = readString(token);
      return () => [text];
    }
    if (token.kind === 'word') return call(token);
    if (token.text === '(') {
      const inside = piped();
      expect(')');
      return inside;
    }
    if (token.text === '-' && tokens[next]?.kind === 'number') {
      const amount = readNumber(tokens[next]?.text ?? '', '-');
      next += 1;
      return () => [amount];
    }
    if (token.text === '.') {
      const quoted = tokens[next];
      if (quoted?.kind !== 'string') return (value) => [value];
      next += 1;
      return leading(readString(quoted));
    }
    next -= 1;
    throw stray();
  };
  const call = (token: Token): Filter => {
    if (take('(')) {
      const make = Object.hasOwn(withArgument, token.text) ? withArgument[token.text] : undefined;
      if (make === undefined) throw unsupported(`"${token.text}(…)"`, token.at);
      const outer = isOfInput;
      if (ofEntries.has(token.text)) isOfInput = false;
      const argument = piped();
      isOfInput = outer;
      expect(')');
      return make(argument);
    }
    const filter = Object.hasOwn(withoutArgument, token.text) ? withoutArgument[token.text] : undefined;
    if (filter === undefined) throw unsupported(`"${token.text}"`, token.at);
    return filter;
  };

  const whole = piped();
  if (next < end) throw stray();
  return whole;
};

export const parseJq = (source: string): Filter => {
  const tokens = tokenize(source);
  if (tokens.length === 0) return (value) => [value];
  return parser(tokens, tokens.length, () => undefined);
};

/** The fields that an expression reads from its input itself: `status` and `message` for `.status == .message.text`. */
export const inputFields = (source: string): readonly string[] => {
  const tokens = tokenize(source);
  const names = new Set<string>();
  if (tokens.length > 0) parser(tokens, tokens.length, (name) => names.add(name));
  return [...names];
};
