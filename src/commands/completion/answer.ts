// Computes the completions for a shell: reads the words of a command line and returns lines for the shell's script.
import { stripControl } from '../../ui/text.ts';
import type { Named } from '../framework/option.ts';
import { type Candidate, type Place, placeOf } from './place.ts';
import { shells } from './scripts.ts';

export interface Typed {
  /** Finished words, without the name of the program. */
  readonly words: readonly string[];
  readonly current: string;
  /** The beginning of the current word that the shell does not replace. */
  readonly kept: string;
}

/** Longest description of a word. */
const ABOUT_LENGTH = 70;

/**
 * Splits a line as a shell does: spaces separate words unless they are quoted or escaped. The last word may have an
 * open quote.
 */
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
 * Parses the arguments from a shell's script. bash passes its word breaks and the line up to the cursor, because it
 * splits words at `:`, `=` and `@`. The other shells pass the current word, then the finished words. The first
 * argument begins with a colon, because PowerShell drops empty arguments.
 * @returns undefined if they are not the arguments of such a script
 */
export const typedIn = (argv: readonly string[]): Typed | undefined => {
  const [shell = '', first = '', ...rest] = argv;
  if (!shells.some((each) => each === shell) || !first.startsWith(':')) return undefined;
  const text = first.slice(1);
  if (shell !== 'bash') return { words: rest, current: text, kept: '' };
  const words = wordsOf(rest[0] ?? '').slice(1);
  const current = words.at(-1) ?? '';
  // readline replaces an @ together with the text after it. For the other word breaks it replaces only the text after
  // the break.
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

/** Reads the names to offer at a place. Resolves with an empty list if they cannot be read. */
export type NamesOf = (what: Named, place: Omit<Place, 'offer'>) => Promise<readonly Candidate[]>;

/**
 * The output for the shell's script. The first line is `words`, `files` or `folders`. Each further line is a word,
 * with its description after a tab. `files` and `folders` ask the shell to complete file names.
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
