// Typed options and arguments of commands, defined once for commander, help and completion.
import { usage } from '../../failure.ts';
import { parseDuration } from '../../ui/format/time.ts';

/** Kinds of objects whose names completion reads from the service or from local files. */
export type Named =
  | 'actor'
  | 'actor or alias'
  | 'actor or execution'
  | 'actor, alias or config'
  | 'alias'
  | 'client'
  | 'config'
  | 'context'
  | 'delivery'
  | 'event'
  | 'execution'
  | 'grantee'
  | 'instance'
  | 'login'
  | 'nonce'
  | 'profile'
  | 'running execution'
  | 'service login'
  | 'snapshot'
  | 'tenant'
  | 'time zone'
  | 'user'
  | 'version'
  | 'worker';

/** The completions for a value: names, files, folders, all allowed words, or words `like` the allowed words. */
export type Completes = Named | 'files' | 'folders' | readonly string[] | { readonly like: readonly string[] };

export interface Option<T> {
  /** In the syntax of commander: `-f, --file <path>`, `--json`. */
  readonly flags: string;
  readonly description: string;
  /** What completion offers for the value. Absent: nothing. */
  readonly completes?: Completes | undefined;
  /** Set if the value is a comma-separated list. */
  readonly commas?: true;
  /** True if the option may be given several times. */
  readonly many?: boolean;
  /** True if help and completion omit the option: it exists only to explain the alternative. */
  readonly hidden?: boolean;
  /** Parses the given texts. `true` means a flag without a value. */
  readonly read: (given: readonly (string | boolean)[]) => T;
}

export type Options = Readonly<Record<string, Option<unknown>>>;
export type ValuesOf<O extends Options> = { readonly [K in keyof O]: O[K] extends Option<infer T> ? T : never };

export interface Argument<T> {
  readonly description: string;
  readonly required: boolean;
  readonly variadic: boolean;
  readonly completes?: Completes | undefined;
  /** The completions for the name and for the value of an argument `NAME VALUE`, or `NAME=VALUE` several times. */
  readonly pair?: readonly [name: Completes, value: Completes];
  /** Set on the words after `--`: the reason and the hint if they are missing, or that they may be. */
  readonly afterDashes?: readonly [missing: string, hint: string] | 'optional';
  /** Set on an actor argument that is optional in a folder with actorctl.json. That file then names the actor. */
  readonly here?: true;
  readonly read: (given: readonly string[]) => T;
}

export type Arguments = Readonly<Record<string, Argument<unknown>>>;
export type ArgumentsOf<A extends Arguments> = { readonly [K in keyof A]: A[K] extends Argument<infer T> ? T : never };

const last = (given: readonly (string | boolean)[]): string | undefined => {
  const value = given.at(-1);
  return typeof value === 'string' ? value : undefined;
};

/** The long name in the flags of an option: `--file`. */
export const longOf = (flags: string): string => /--[a-z0-9-]+/.exec(flags)?.[0] ?? flags;
/** The short name in the flags of an option: `-f`. */
export const shortOf = (flags: string): string | undefined => /^-[A-Za-z](?=,)/.exec(flags)?.[0];

export const hidden = <T>(option: Option<T>): Option<T> => ({ ...option, hidden: true });

/** A flag without a value. A `--no-x` flag is true unless it is given. */
export const flag = (flags: string, description: string): Option<boolean> => ({
  flags,
  description,
  read: (given) => (longOf(flags).startsWith('--no-') ? !given.includes(false) : given.includes(true)),
});

/** An option with any text. If it is repeated, the last value is used. */
export const text = (flags: string, description: string, completes?: Completes): Option<string | undefined> => ({
  flags,
  description,
  completes,
  read: last,
});

export const texts = (flags: string, description: string, completes?: Completes): Option<readonly string[]> => ({
  flags,
  description,
  completes,
  many: true,
  read: (given) => given.filter((value) => typeof value === 'string'),
});

/** An option with a list of words, separated by commas or by spaces, because PowerShell turns commas into spaces. */
export const words = (flags: string, description: string, completes?: Completes): Option<readonly string[]> => ({
  ...texts(flags, description, completes),
  commas: true,
  read: (given) => {
    const found = given.flatMap((each) => (typeof each === 'string' ? each.split(/[\s,]+/) : []));
    const filled = found.filter((word) => word !== '');
    if (given.length > 0 && filled.length === 0) throw usage(`${longOf(flags)} must not be empty`);
    return filled;
  },
});

/** An option whose text `read` parses. @param read throws CliFailure USAGE on bad text */
export const parsed = <T>(
  flags: string,
  description: string,
  read: (text: string, name: string) => T,
  completes?: Completes,
): Option<T | undefined> => ({
  flags,
  description,
  completes,
  read: (given) => {
    const value = last(given);
    return value === undefined ? undefined : read(value, longOf(flags));
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
): Option<C[number] | undefined> =>
  parsed(
    flags,
    description,
    (value, name) => {
      const found = choices.find((each) => each === value);
      if (found !== undefined) return found;
      throw usage(`${name} must be one of ${choices.join(', ')}, not "${value}"`);
    },
    choices,
  );

export const required = (description: string, completes?: Completes): Argument<string> => ({
  description,
  completes,
  required: true,
  variadic: false,
  read: (given) => given[0] ?? '',
});

export const optional = (description: string, completes?: Completes): Argument<string | undefined> => ({
  description,
  completes,
  required: false,
  variadic: false,
  read: (given) => given[0],
});

/**
 * An actor as the last argument. It may be left out in a folder with actorctl.json.
 * @see docs/cli.md#the-actor-of-the-current-folder
 */
export const actorHere: Argument<string> = {
  ...required('actor (default: the actor of actorctl.json in this folder)', 'actor'),
  required: false,
  here: true,
};

/** One or more arguments, up to the end of the command line. */
export const several = (description: string, completes?: Completes): Argument<readonly string[]> => ({
  description,
  completes,
  required: true,
  variadic: true,
  read: (given) => given,
});

/** The words after `--`, which are the command line of another program. @param missing reason and hint without them */
export const afterDashes = (
  description: string,
  ...missing: readonly [missing: string, hint: string]
): Argument<readonly string[]> => ({ ...several(description), afterDashes: missing });

/** The words after `--`. Empty if there are none. */
export const maybeAfterDashes = (description: string): Argument<readonly string[]> => ({
  ...several(description),
  required: false,
  afterDashes: 'optional',
});
