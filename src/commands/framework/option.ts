// Typed options and arguments of commands, defined once for commander, help and completion.
import { usage } from '../../failure.ts';
import { parseDuration } from '../../ui/format/time.ts';

export interface Option<T> {
  /** In the syntax of commander: `-f, --file <path>`, `--wide`. */
  readonly flags: string;
  readonly description: string;
  /** Values that completion offers. */
  readonly choices?: readonly string[];
  /** True if the option may be given several times. */
  readonly many?: boolean;
  /** Parses the given texts. `true` stands for a flag without a value. */
  readonly read: (given: readonly (string | boolean)[]) => T;
}

export type Options = Readonly<Record<string, Option<unknown>>>;
export type ValuesOf<O extends Options> = { readonly [K in keyof O]: O[K] extends Option<infer T> ? T : never };

export interface Argument<T> {
  readonly description: string;
  readonly required: boolean;
  readonly variadic: boolean;
  readonly choices?: readonly string[];
  /** Set on an actor argument that may be left out in a folder with actorctl.json, which then names the actor. */
  readonly here?: true;
  readonly read: (given: readonly string[]) => T;
}

export type Arguments = Readonly<Record<string, Argument<unknown>>>;
export type ArgumentsOf<A extends Arguments> = { readonly [K in keyof A]: A[K] extends Argument<infer T> ? T : never };

const last = (given: readonly (string | boolean)[]): string | undefined => {
  const value = given.at(-1);
  return typeof value === 'string' ? value : undefined;
};

/** The long name of the flags, for messages: `--file`. */
const nameOf = (flags: string): string => /--[a-z0-9-]+/.exec(flags)?.[0] ?? flags;

/** A flag without a value. A `--no-x` flag is true unless it is given. */
export const flag = (flags: string, description: string): Option<boolean> => ({
  flags,
  description,
  read: (given) => (nameOf(flags).startsWith('--no-') ? !given.includes(false) : given.includes(true)),
});

/** An option with any text. The last one given counts. */
export const text = (flags: string, description: string): Option<string | undefined> => ({
  flags,
  description,
  read: last,
});

export const texts = (flags: string, description: string): Option<readonly string[]> => ({
  flags,
  description,
  many: true,
  read: (given) => given.filter((value) => typeof value === 'string'),
});

/** An option whose text `read` parses. @param read throws CliFailure USAGE on bad text */
export const parsed = <T>(
  flags: string,
  description: string,
  read: (text: string, name: string) => T,
): Option<T | undefined> => ({
  flags,
  description,
  read: (given) => {
    const value = last(given);
    return value === undefined ? undefined : read(value, nameOf(flags));
  },
});

/** An option with a duration, in milliseconds. */
export const duration = (flags: string, description: string) =>
  parsed(flags, description, (value, name) => parseDuration(value, `a duration for ${name}`));

/** An option with a whole number from `min` to `max`, both included. */
export const integer = (
  flags: string,
  description: string,
  { min = 0, max = Number.MAX_SAFE_INTEGER }: { readonly min?: number; readonly max?: number } = {},
): Option<number | undefined> =>
  parsed(flags, description, (value, name) => {
    const number = /^-?\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    throw usage(`${name} must be a whole number ${range}, not "${value}"`);
  });

export const choice = <const C extends readonly string[]>(
  flags: string,
  description: string,
  choices: C,
): Option<C[number] | undefined> => ({
  ...parsed(flags, description, (value, name) => {
    const found = choices.find((each) => each === value);
    if (found !== undefined) return found;
    throw usage(`${name} must be one of ${choices.join(', ')}, not "${value}"`);
  }),
  choices,
});

export const required = (description: string): Argument<string> => ({
  description,
  required: true,
  variadic: false,
  read: (given) => given[0] ?? '',
});

export const optional = (description: string, choices?: readonly string[]): Argument<string | undefined> => ({
  description,
  required: false,
  variadic: false,
  ...(choices && { choices }),
  read: (given) => given[0],
});

/**
 * An actor as the last argument. It may be left out in a folder with actorctl.json. @see docs/cli.md 2.4
 */
export const actorHere: Argument<string> = {
  ...required('actor (default: the actor of actorctl.json in this folder)'),
  required: false,
  here: true,
};

/** One or more arguments, up to the end of the command line. */
export const several = (description: string): Argument<readonly string[]> => ({
  description,
  required: true,
  variadic: true,
  read: (given) => given,
});
