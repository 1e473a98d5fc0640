// Patterns of a search: regular expressions whose time grows with the text only, and that give up when it is too much of it.
import { Failure } from '../../domain/failure.ts';
import type { Pattern } from '../../domain/search/search.ts';

/** Characters of a pattern. */
const MAX_LENGTH = 1_000;
/** Instructions of a compiled pattern: each may be at work on each character. */
const MAX_PROGRAM_SIZE = 500;
/** Milliseconds that the patterns of one search may take in all. */
const BUDGET_MS = 750;

const refuse = (key: string, words: string): Failure => new Failure('VALIDATION', `${key} ${words}`, { field: key });

/** Whether a search with these parameters has a pattern. */
export const usesPatterns = (query: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(query).some((key) => /\.n?like$/.test(key));

/** Stands in where there is none. */
export const unexpectedPattern = (): never => {
  throw new Error('a search without patterns has met one');
};

/**
 * Makes the compiler of one search; it refuses with Failure VALIDATION what is too much or unknown to RE2. What it makes
 * throws the same once the patterns of the search have taken three quarters of a second.
 * @see https://github.com/google/re2/wiki/Syntax
 */
export const patternCompiler = async (): Promise<(pattern: string, key: string) => Pattern> => {
  // It takes a while to load, and most searches need none.
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
        `cannot be used as a pattern: ${why}. It takes those of RE2: no look-around, no back-references.`,
      );
    }
  };
  return (pattern, key) => {
    const expression = compiled(pattern, key);
    if (expression.programSize() > MAX_PROGRAM_SIZE) {
      throw refuse(key, 'is too large a pattern. Write it with fewer and smaller repetitions.');
    }
    return (line) => {
      if (spent > BUDGET_MS) {
        throw refuse(key, 'takes too long. Make the pattern simpler, or add conditions that leave fewer records.');
      }
      const begun = performance.now();
      const matches = expression.test(line);
      spent += performance.now() - begun;
      return matches;
    };
  };
};
