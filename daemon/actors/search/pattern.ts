// Patterns of a search: regular expressions whose time grows with the text only, and that give up when it is too much of it.
import { RE2JS, RE2JSException } from 're2js';
import { Failure } from '../../domain/failure.ts';
import type { Pattern } from '../../domain/search.ts';

/** Characters of a pattern. */
const LONGEST = 1_000;
/** Instructions of a compiled pattern: each may be at work on each character. */
const LARGEST = 500;
/** Milliseconds that the patterns of one search may take in all. */
const BUDGET_MS = 750;

const refuse = (key: string, words: string): Failure => new Failure('VALIDATION', `${key} ${words}`, { field: key });

const compiled = (pattern: string, key: string): RE2JS => {
  if (pattern.length > LONGEST) throw refuse(key, `must be a pattern of at most ${LONGEST} characters.`);
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw refuse(
      key,
      `is no pattern that can be used here: ${error.message}. Patterns are those of RE2: no look-around, no back-references.`,
    );
  }
};

/**
 * Makes the compiler of one search. What it makes throws Failure VALIDATION once the patterns of the search have taken
 * three quarters of a second.
 * @see https://github.com/google/re2/wiki/Syntax
 */
export const patternCompiler = (): ((pattern: string, key: string) => Pattern) => {
  let spent = 0;
  return (pattern, key) => {
    const expression = compiled(pattern, key);
    if (expression.programSize() > LARGEST) {
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
