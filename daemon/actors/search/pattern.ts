// Compiles the patterns of a search. Their time is linear in the length of the text and limited in total.
import { Failure } from '../../domain/failure.ts';
import type { Pattern } from '../../domain/search/search.ts';

/** Longest pattern, in characters. */
const MAX_LENGTH = 1_000;
/** Instructions of a compiled pattern. The cost of a match grows with them. */
const MAX_PROGRAM_SIZE = 500;
/** Time (ms) for all patterns of one search together. */
const BUDGET_MS = 750;

const refuse = (key: string, words: string): Failure => new Failure('VALIDATION', `${key} ${words}`, { field: key });

export const usesPatterns = (query: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(query).some((key) => /\.n?like$/.test(key));

/** Must never be called: the search has no pattern. */
export const unexpectedPattern = (): never => {
  throw new Error('a search without patterns compiled a pattern');
};

/**
 * Makes the compiler for one search. It throws Failure VALIDATION for a pattern that is too large or not valid in RE2.
 * A compiled pattern throws the same once the patterns of the search have used their time.
 * @see https://github.com/google/re2/wiki/Syntax
 */
export const patternCompiler = async (): Promise<(pattern: string, key: string) => Pattern> => {
  // Loaded on demand: loading takes a while and most searches have no pattern.
  const { RE2JS, RE2JSException } = await import('re2js');
  let spent = 0;
  const compiled = (pattern: string, key: string) => {
    if (pattern.length > MAX_LENGTH) throw refuse(key, `must be a pattern of at most ${MAX_LENGTH} characters.`);
    try {
      return RE2JS.compile(pattern);
    } catch (error) {
      if (!(error instanceof RE2JSException)) throw error;
      const why = error.message.replace(/^error parsing regexp: /, '');
      throw refuse(
        key,
        `cannot be used as a pattern: ${why}. Patterns follow RE2: no look-around, no back-references.`,
      );
    }
  };
  return (pattern, key) => {
    const expression = compiled(pattern, key);
    if (expression.programSize() > MAX_PROGRAM_SIZE) {
      throw refuse(key, 'is too large a pattern. Use fewer and smaller repetitions.');
    }
    return (line) => {
      if (spent > BUDGET_MS) {
        throw refuse(key, 'takes too long. Simplify the pattern, or add conditions that leave fewer records.');
      }
      const begun = performance.now();
      const matches = expression.test(line);
      spent += performance.now() - begun;
      return matches;
    };
  };
};
