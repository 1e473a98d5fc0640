// Splits a command line into options and words before its command is known. Commander parses it later.
import { globalOptions } from './flags.ts';
import { longOf, type Option, shortOf } from './option.ts';

type AnyOption = Option<unknown>;

interface Scan {
  /** Words that are neither flags nor values of flags: the name of the command and its arguments. */
  readonly plain: readonly string[];
  /** Values by the long name of their option. */
  readonly values: ReadonlyMap<string, string>;
  /** Long names of the options that were given. */
  readonly seen: ReadonlySet<string>;
  /** The option that waits for its value at the end of the line. */
  readonly pending: AnyOption | undefined;
  /** True after `--`: the rest are arguments. */
  readonly ended: boolean;
}

/** @param options the options to recognise; default: the flags of every command */
export const scanLine = (
  words: readonly string[],
  options: readonly AnyOption[] = Object.values(globalOptions),
): Scan => {
  const plain: string[] = [];
  const values = new Map<string, string>();
  const seen = new Set<string>();
  let pending: AnyOption | undefined;
  let ended = false;
  for (const word of words) {
    if (pending) {
      values.set(longOf(pending.flags), word);
      pending = undefined;
    } else if (ended || word === '-' || !word.startsWith('-')) plain.push(word);
    else if (word === '--') ended = true;
    else {
      const [, name = word, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? /^(-[A-Za-z])(.+)$/s.exec(word) ?? [];
      const option = options.find(({ flags }) => longOf(flags) === name || shortOf(flags) === name);
      if (!option) continue;
      const long = longOf(option.flags);
      seen.add(long);
      if (!option.flags.includes('<')) continue;
      if (value === undefined) pending = option;
      else values.set(long, value);
    }
  }
  return { plain, values, seen, pending, ended };
};
