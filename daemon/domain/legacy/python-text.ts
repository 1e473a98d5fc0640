// Converts JSON text to Python's text for the same value, which programs of the hosted platform expect.
import { scanJson } from '../../../src/contract/json-scanner.ts';

/**
 * Characters that Python escapes when it prints a string: control, unassigned and private characters, lone surrogates,
 * and spaces other than the ASCII space. Which characters are unassigned depends on the Unicode version.
 */
const SPECIAL = /[\\'"]|(?! )[\p{C}\p{Z}]/gu;

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escapeOf = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
};

/**
 * Python's `repr` of a string: in single quotes, or in double quotes if the string contains single but no double
 * quotes.
 */
const quoted = (value: string): string => {
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
  const inside = value.replace(SPECIAL, (character) => {
    if (character === "'" || character === '"') return character === quote ? `\\${character}` : character;
    return escapes[character] ?? escapeOf(character);
  });
  return quote + inside + quote;
};

/** Decimal exponents from which Python writes a number with an exponent. */
const [SMALL, LARGE] = [-4, 16];

/** Python's `repr` of a float: the fewest digits that give the same number, always with a point or an exponent. */
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

/** Converts a literal (true, false, null) or a number. An integer keeps all its digits. */
const literal = (token: string): string => words[token] ?? (/^-?\d+$/.test(token) ? token : float(Number(token)));

const stringOf = (token: string): string => (token.includes('\\') ? String(JSON.parse(token)) : token.slice(1, -1));

/** Where a value is written: the index of its first piece of text, and the index after its last. */
interface Range {
  readonly from: number;
  readonly to: number;
}

interface Open {
  /** For an object: where the value of each member is. */
  readonly members?: Map<string, Range>;
  /** For an object: the member whose value comes next. Undefined where a name comes next. */
  member?: string | undefined;
  /** Index of the first piece of that value. */
  from: number;
}

/** If an object repeats a member, the later value replaces the earlier one in its place, as in a Python dictionary. */
const settleMember = (pieces: string[], { members, member, from }: Open): void => {
  if (members === undefined || member === undefined) return;
  const first = members.get(member);
  if (first === undefined) {
    members.set(member, { from, to: pieces.length });
    return;
  }
  // Concatenation, unlike a join, does not copy the text again at every level of repeated members.
  const value = pieces.splice(from).reduce((before, piece) => before + piece, '');
  // Skips the comma and the name before the value.
  pieces.length -= 2;
  pieces.fill('', first.from, first.to);
  pieces[first.from] = value;
  members.set(member, { from: first.from, to: first.from + 1 });
};

/**
 * The text of a JSON value in Python: `repr(json.loads(text))`. Objects become dictionaries, integers keep all their
 * digits, and numbers beyond the range of a float become `inf`. Nesting depth is limited only by memory.
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
 * The environment variable value that the hosted platform makes from a JSON value: a string as it is, any other value
 * in Python's notation.
 * @param json valid JSON
 * @returns undefined for null, which sets no variable
 */
export const pythonText = (json: string): string | undefined => {
  const text = json.trim();
  if (text === 'null') return undefined;
  return text.startsWith('"') ? stringOf(text) : pythonRepr(text);
};
