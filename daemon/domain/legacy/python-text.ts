// Converts JSON text to the text that Python has for the same value, as programs of the hosted platform expect it.
import { scanJson } from '../../../src/contract/json-scanner.ts';

/**
 * Characters that Python does not print as they are: controls, unassigned and private ones, lone surrogates and spaces
 * other than the ASCII one. Which ones are unassigned depends on the version of Unicode.
 */
const SPECIAL = /[\\'"]|(?! )[\p{C}\p{Z}]/gu;

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escapeOf = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
};

/** `repr` of a string: in single quotes, unless it contains these and no double ones. */
const quoted = (value: string): string => {
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
  const inside = value.replace(SPECIAL, (character) => {
    if (character === "'" || character === '"') return character === quote ? `\\${character}` : character;
    return escapes[character] ?? escapeOf(character);
  });
  return quote + inside + quote;
};

/** Decimal exponents from which on Python writes a number with an exponent. */
const [SMALL, LARGE] = [-4, 16];

/** `repr` of a float: the fewest digits that give the same number, always with a point or an exponent. */
const float = (value: number): string => {
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const [mantissa = '', power = ''] = Math.abs(value).toExponential().split('e');
  const digits = mantissa.replace('.', '');
  const exponent = Number(power);
  if (exponent < SMALL || exponent >= LARGE) {
    const size = String(Math.abs(exponent)).padStart(2, '0');
    return `${sign}${mantissa}e${exponent < 0 ? '-' : '+'}${size}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`;
};

const words: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None', '-0': '0' };

/** A word or a number. An integer keeps its digits, however many there are. */
const literal = (token: string): string => words[token] ?? (/^-?\d+$/.test(token) ? token : float(Number(token)));

const stringOf = (token: string): string => (token.includes('\\') ? String(JSON.parse(token)) : token.slice(1, -1));

/** Where a value is written: the first of its pieces of text, and the one after the last. */
interface Range {
  readonly from: number;
  readonly to: number;
}

interface Open {
  /** Only of an object: where the value of each member is. */
  readonly members?: Map<string, Range>;
  /** Only of an object: the member whose value comes next; undefined where a name comes next. */
  member?: string | undefined;
  /** Place of the first piece of that value. */
  from: number;
}

/** Gives a repeated member of an object its new value in its first place, as a Python dictionary does. */
const settleMember = (pieces: string[], { members, member, from }: Open): void => {
  if (members === undefined || member === undefined) return;
  const first = members.get(member);
  if (first === undefined) {
    members.set(member, { from, to: pieces.length });
    return;
  }
  // Concatenation, unlike a join, does not copy the text again at every level of repeated members.
  const value = pieces.splice(from).reduce((before, piece) => before + piece, '');
  // The comma and the name in front of the value.
  pieces.length -= 2;
  pieces.fill('', first.from, first.to);
  pieces[first.from] = value;
  members.set(member, { from: first.from, to: first.from + 1 });
};

/**
 * The text of a JSON value in Python: `repr(json.loads(text))`. Objects become dictionaries, integers keep all their
 * digits, and numbers beyond the range of a float become `inf`. Depth is limited by memory only.
 * @param json valid JSON
 */
export const pythonRepr = (json: string): string => {
  const pieces: string[] = [];
  const open: Open[] = [];
  const endValue = (): void => {
    const around = open.at(-1);
    if (around !== undefined) settleMember(pieces, around);
  };
  scanJson(json, (first, start, end) => {
    const around = open.at(-1);
    const isName = first === '"' && around?.members !== undefined && around.member === undefined;
    if (isName) {
      around.member = stringOf(json.slice(start, end));
      around.from = pieces.push(`${quoted(around.member)}: `);
    } else if (first === '{' || first === '[') {
      pieces.push(first);
      open.push({ from: 0, ...(first === '{' && { members: new Map() }) });
    } else if (first === '}' || first === ']') {
      pieces.push(first);
      open.pop();
      endValue();
    } else if (first === ',') {
      if (around !== undefined) around.member = undefined;
      pieces.push(', ');
    } else if (first !== ':') {
      const token = json.slice(start, end);
      pieces.push(first === '"' ? quoted(stringOf(token)) : literal(token));
      endValue();
    }
    return true;
  });
  return pieces.join('');
};

/**
 * The value of an environment variable that the hosted platform makes of a JSON value: a string as it is, any other value
 * as Python writes it.
 * @param json valid JSON
 * @returns undefined for null, which sets no variable
 */
export const pythonText = (json: string): string | undefined => {
  const text = json.trim();
  if (text === 'null') return undefined;
  return text.startsWith('"') ? stringOf(text) : pythonRepr(text);
};
