// Answers a shell that asks for completion: words of a line in, lines for the shell's script out.
import { stripControl } from '../../ui/text.ts';
import type { Named } from '../framework/option.ts';
import { type Candidate, type Place, placeOf } from './place.ts';
import { shells } from './scripts.ts';

export interface Typed {
  /** Finished words, without the name of the program. */
  readonly words: readonly string[];
  readonly current: string;
  /** The part of the current word that the shell does not replace. */
  readonly kept: string;
}

/** Longest description of a word. */
const ABOUT_LENGTH = 70;

/** Splits a line as a shell does: blanks separate words, quotes and backslashes keep them. The last word may be open. */
const wordsOf = (line: string): readonly string[] => {
  const words: string[] = [];
  let word = '';
  let quote = '';
  let begun = false;
  for (let index = 0; index < line.length; index += 1) {
    const letter = line[index] ?? '';
    if (quote !== '' && letter === quote) quote = '';
    else if (letter === '\\' && quote !== "'") {
      index += 1;
      word += line[index] ?? '';
    } else if (quote !== '') word += letter;
    else if (letter === '"' || letter === "'") {
      quote = letter;
      begun = true;
    } else if (/\s/.test(letter)) {
      if (begun || word !== '') words.push(word);
      word = '';
      begun = false;
    } else word += letter;
  }
  return [...words, word];
};

/**
 * Reads the arguments of a shell's script. bash hands over its word breaks and the line up to the cursor, because it
 * splits words at `:`, `=` and `@`. The others hand over the current word, then the finished words. The first argument
 * has a leading colon, because PowerShell drops empty arguments.
 * @returns undefined if they are not the arguments of such a script
 */
export const typedIn = (argv: readonly string[]): Typed | undefined => {
  const [shell = '', first = '', ...rest] = argv;
  if (!shells.some((each) => each === shell) || !first.startsWith(':')) return undefined;
  const text = first.slice(1);
  if (shell !== 'bash') return { words: rest, current: text, kept: '' };
  const words = wordsOf(rest[0] ?? '').slice(1);
  const current = words.at(-1) ?? '';
  // readline replaces an @ together with the text after it, but only the text after the other breaks.
  const cuts = [...text.replaceAll(/\s/g, '')].map((each) => current.lastIndexOf(each) + (each === '@' ? 0 : 1));
  const cut = Math.max(...cuts, 0);
  return { words: words.slice(0, -1), current, kept: current.slice(0, cut) };
};

const lineOf = ({ word, about }: Candidate): string => {
  const told = stripControl(about.replaceAll(/\s+/g, ' ').trim());
  const short = told.length > ABOUT_LENGTH ? `${told.slice(0, ABOUT_LENGTH - 1)}…` : told;
  return short === '' ? word : `${word}\t${short}`;
};

const candidatesAt = async ({ offer, ...place }: Place, names: NamesOf): Promise<readonly Candidate[]> => {
  if (typeof offer !== 'string') return offer;
  return offer === 'files' || offer === 'folders' ? [] : names(offer, place);
};

/** Reads names for a place. Resolves with an empty list if they cannot be had. */
export type NamesOf = (what: Named, place: Omit<Place, 'offer'>) => Promise<readonly Candidate[]>;

/**
 * The answer for the shell's script: a first line `words`, `files` or `folders`, then a line per word, with its
 * description after a tab. `files` and `folders` ask the shell to complete names of files.
 */
export const answer = async ({ words, current, kept }: Typed, names: NamesOf): Promise<string> => {
  const place = await placeOf(words, current);
  const { offer, head, partial } = place;
  const found = (await candidatesAt(place, names)).filter(({ word }) => word.startsWith(partial));
  const unique = new Map<string, Candidate>();
  for (const each of found) if (!unique.has(each.word)) unique.set(each.word, each);
  const lines = [...unique.values()].map(({ word, about }) =>
    lineOf({ word: (head + word).slice(kept.length), about }),
  );
  return [offer === 'files' || offer === 'folders' ? offer : 'words', ...lines, ''].join('\n');
};
