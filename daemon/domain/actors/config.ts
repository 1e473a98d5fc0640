// Rules of configs: their names, the list of actors they are shared with, and which of them an actor gets.
import { Failure } from '../failure.ts';

/** Words that stand where a name could, in routes of today and of the real service. @see facts 1.8, 1.9 */
const reserved: ReadonlySet<string> = new Set([
  'executions',
  'nonces',
  'logs',
  'messages',
  'adapters',
  'admin',
  'aliases',
  'configs',
  'permissions',
  'search',
  'utilization',
  'cron',
]);

const LONGEST_NAME = 256;
/** Most actors that one config may be shared with. */
const MOST_ACTORS = 1_000;

const refuse = (field: string, why: string): Failure => new Failure('VALIDATION', `${field} ${why}`, { field });

/**
 * Checks the name of a new config.
 * @throws Failure VALIDATION
 * @see facts 1.9
 */
export const demandConfigName = (name: string): void => {
  if (name === '') throw refuse('name', 'must not be empty.');
  if (name.length > LONGEST_NAME) throw refuse('name', `must be at most ${LONGEST_NAME} characters.`);
  if (reserved.has(name.toLowerCase())) throw refuse('name', 'is a word that the service uses itself. Choose another.');
  if (/^\.+$/.test(name)) throw refuse('name', 'must not be made of dots alone.');
  if (/[\\":/?#[\]@!$&'()*+,;=%]|[\p{C}\p{Z}]/u.test(name)) {
    throw refuse(
      'name',
      'must not hold spaces, invisible characters or any of \\ " : / ? # [ ] @ ! $ & \' ( ) * + , ; = %.',
    );
  }
};

/** The ids and aliases of a comma-separated list; spaces around them and empty places do not count, nor does a second time. */
export const namesIn = (actors: string): ReadonlySet<string> =>
  new Set(
    actors
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  );

/** @throws Failure VALIDATION when the list names too many actors */
export const demandList = (actors: string): ReadonlySet<string> => {
  const names = namesIn(actors);
  if (names.size > MOST_ACTORS) throw refuse('actors', `must name at most ${MOST_ACTORS} actors.`);
  return names;
};

/** Whether two lists name the same actors, order and spelling aside. */
export const namesSame = (left: string, right: string): boolean => {
  const [a, b] = [namesIn(left), namesIn(right)];
  return a.size === b.size && [...a].every((name) => b.has(name));
};

/** The list without those names; the very same text when none of them is in it. */
export const withoutNames = (actors: string, gone: ReadonlySet<string>): string =>
  [...namesIn(actors)].some((name) => gone.has(name))
    ? [...namesIn(actors)].filter((name) => !gone.has(name)).join(',')
    : actors;

/** How every sealed text begins: what kind it is, and which version of that. */
export const SEALED = 'sealed:v1:';

/** What the value of a replacement asks for, the value being JSON text as it was sent. */
export type ValueChange =
  /** The sealed text of the present value came back: the value stays. */
  | 'keep'
  /** A value of its own. */
  | 'set';

/**
 * Tells a value from the sealed text of one: a client that reads a config, changes its list and sends it back must not make
 * the ciphertext the secret.
 * @param stored sealed text that the config has now; undefined when it has none
 * @throws Failure VALIDATION for sealed text that is not that of this config now, or that was to become public
 */
export const valueChange = (value: unknown, isSecret: boolean, stored: string | undefined): ValueChange => {
  if (typeof value !== 'string' || !value.startsWith(SEALED)) return 'set';
  if (value !== stored) {
    throw refuse(
      'value',
      'is the sealed text of a secret, but not the one that this config has now. Send the value itself.',
    );
  }
  if (!isSecret) throw refuse('value', 'is the sealed text of a secret. To make it public, send the value itself.');
  return 'keep';
};

/** `_actor_configs`: a JSON object of names and JSON texts, which go in letter by letter. */
export const configsText = (entries: Iterable<readonly [name: string, text: string]>): string =>
  `{${[...entries].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
