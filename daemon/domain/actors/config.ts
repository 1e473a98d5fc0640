// Rules of configs: names, the list of actors that receive a config, and sealed values.
import { Failure } from '../failure.ts';

/** Reserved words: path segments of this API and of Abaco. @see docs/http-api.md#aliases-and-names, docs/http-api.md#configs */
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
const MOST_ACTORS = 1_000;

const refuse = (field: string, why: string): Failure => new Failure('VALIDATION', `${field} ${why}`, { field });

/** @see docs/http-api.md#configs */
export const demandConfigName = (name: string): void => {
  if (name === '') throw refuse('name', 'must not be empty.');
  if (name.length > LONGEST_NAME) throw refuse('name', `must be at most ${LONGEST_NAME} characters.`);
  if (reserved.has(name.toLowerCase())) throw refuse('name', 'is a reserved word. Choose another name.');
  if (/^\.+$/.test(name)) throw refuse('name', 'must not consist of dots only.');
  if (/[\\":/?#[\]@!$&'()*+,;=%]|[\p{C}\p{Z}]/u.test(name)) {
    throw refuse(
      'name',
      'must not contain spaces, invisible characters or any of \\ " : / ? # [ ] @ ! $ & \' ( ) * + , ; = %.',
    );
  }
};

/** The distinct ids and aliases in a comma-separated list. Surrounding spaces and empty entries are ignored. */
export const namesIn = (actors: string): ReadonlySet<string> =>
  new Set(
    actors
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  );

/** Throws if the list names too many actors. */
export const readActorList = (actors: string): ReadonlySet<string> => {
  const names = namesIn(actors);
  if (names.size > MOST_ACTORS) throw refuse('actors', `must name at most ${MOST_ACTORS} actors.`);
  return names;
};

/** True if two lists name the same actors. Order and spacing do not matter. */
export const haveSameNames = (left: string, right: string): boolean => {
  const [a, b] = [namesIn(left), namesIn(right)];
  return a.size === b.size && [...a].every((name) => b.has(name));
};

/** Removes names from the text of a list. Returns the original text if the list contains none of the names. */
export const withoutNames = (actors: string, gone: ReadonlySet<string>): string =>
  [...namesIn(actors)].some((name) => gone.has(name))
    ? [...namesIn(actors)].filter((name) => !gone.has(name)).join(',')
    : actors;

/** Prefix of every sealed text: its kind and format version. */
export const SEALED = 'sealed:v1:';

export type ValueChange =
  /** The client sent back the sealed text of the current value, so the value stays unchanged. */
  | 'keep'
  /** The client sent a new value. */
  | 'set';

/**
 * Distinguishes a new value from the sealed text of the current value. Clients read a config, change its list and send
 * it back; this must not overwrite the secret with its ciphertext.
 * @param stored the current sealed text of the config; undefined when it has none
 * @throws Failure VALIDATION for sealed text of another config or an earlier value, and when sealed text would become
 * public
 */
export const valueChange = (value: unknown, isSecret: boolean, stored: string | undefined): ValueChange => {
  if (typeof value !== 'string' || !value.startsWith(SEALED)) return 'set';
  if (value !== stored) {
    throw refuse(
      'value',
      'is sealed text, but not that of the current value of this config. Send the value in clear text.',
    );
  }
  if (!isSecret)
    throw refuse('value', 'is the sealed text of a secret. To make the config public, send the value in clear text.');
  return 'keep';
};

/** JSON text of the variable `_actor_configs`. The stored JSON text of each value is inserted unchanged. */
export const configsText = (entries: Iterable<readonly [name: string, text: string]>): string =>
  `{${[...entries].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
