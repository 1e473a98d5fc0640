// Splits an expression of the jq subset into tokens.
import { type CliFailure, usage } from '../../failure.ts';

/** One token. `field` is `.name`; `word` is a function or a keyword. */
export type Token =
  | { readonly kind: 'field' | 'word'; readonly text: string; readonly at: number }
  | { readonly kind: 'string'; readonly text: string; readonly at: number }
  | { readonly kind: 'number'; readonly text: string; readonly at: number }
  | { readonly kind: 'sign'; readonly text: string; readonly at: number };

/** Longest expression in characters. Also limits the depth of the parser. */
const LIMIT = 2_000;

export const unsupported = (what: string, at: number): CliFailure =>
  usage(`--jq: ${what} at character ${at + 1} is not supported`, 'pipe `-o json` into jq');

const patterns: readonly (readonly [Token['kind'] | 'space', RegExp])[] = [
  ['space', /\s+/y],
  ['string', /"(?:[^"\\]|\\.)*"/y],
  ['number', /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y],
  ['field', /\.[A-Za-z_]\w*/y],
  ['word', /[A-Za-z_]\w*/y],
  ['sign', /\/\/|==|!=|<=|>=|\.\.|[.[\]()|,<>?:;-]/y],
];

export const tokenize = (source: string): readonly Token[] => {
  if (source.length > LIMIT)
    throw usage(`--jq: an expression may have at most ${LIMIT} characters`, 'pipe `-o json` into jq');
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    let found: Token | 'space' | undefined;
    for (const [kind, pattern] of patterns) {
      pattern.lastIndex = at;
      const text = pattern.exec(source)?.[0];
      if (text === undefined) continue;
      found = kind === 'space' ? 'space' : { kind, text, at };
      at += text.length;
      break;
    }
    if (found === undefined) throw unsupported(`"${source[at]}"`, at);
    if (found !== 'space') tokens.push(found);
  }
  return tokens;
};
