// Replaces references to variables in a project file: `${NAME}` and `${NAME:-default}`. @see docs/projects.md#values-from-outside
import { ExactNumber } from '../../contract/exact-json.ts';
import { type CliFailure, usage } from '../../failure.ts';
import type { Path, ProjectText } from './project-text.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables with the credentials of actorctl. A project of another person must not send them anywhere. */
const isOwn = (name: string): boolean => name.startsWith('ACTORCTL_');

const REFERENCE = /(\$+)\{([^{}]*)(\}?)/g;
const NAME = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

export const variableOf = (env: Environment, name: string, where: string, hint: string): string => {
  if (isOwn(name)) throw usage(`${where}: "${name}" belongs to actorctl and cannot be used in a project`);
  const value = env[name];
  if (value === undefined) throw usage(`${where}: no variable named "${name}"`, hint);
  return value;
};

/** Replaces the references in a text. `$${` stands for `${`. */
const fillText = (
  text: string,
  env: Environment,
  fail: (message: string, hint?: string) => CliFailure,
  where: string,
): string =>
  text.replace(REFERENCE, (whole, dollars: string, inner: string, end: string) => {
    if (dollars.length > 1) return whole.slice(1);
    const [, name, otherwise] = NAME.exec(inner) ?? [];
    if (end === '' || name === undefined)
      throw fail(`"${whole}" is not a reference to a variable`, 'write ${NAME} or ${NAME:-default}, and $${ for ${');
    if (otherwise !== undefined && !isOwn(name) && !env[name]) return otherwise;
    return variableOf(env, name, where, `set it, or write \${${name}:-default}`);
  });

/** Escapes a text so that a project file reads it unchanged. */
export const escapeReferences = (text: string): string => text.replace(/\$+\{/g, (found) => `$${found}`);

/** True for values that are data, in which references are not replaced. */
const isExact = ([section, , field]: Path): boolean => section === 'configs' && field === 'json';

/** True for values that an actor receives, whose numbers keep their digits. */
const isData = ([section, , field]: Path): boolean =>
  section === 'actors' ? field === 'state' : section === 'configs' && (field === 'value' || field === 'secret');

const fillNumber = (text: ProjectText, value: number | ExactNumber, path: Path): number | ExactNumber => {
  if (!isData(path)) return Number(value);
  if (value instanceof ExactNumber || Number.isFinite(value)) return value;
  throw usage(
    `${text.at(path)}: ${text.written(path) ?? value} is not a number in JSON`,
    'write a text, a number or null',
  );
};

export const fillValues = (text: ProjectText, env: Environment): unknown => {
  const fill = (value: unknown, path: Path): unknown => {
    if (isExact(path)) return value;
    if (typeof value === 'string') {
      if (!value.includes('${')) return value;
      const where = text.at(path);
      return fillText(value, env, (message, hint) => usage(`${where}: ${message}`, hint), where);
    }
    if (typeof value === 'number' || value instanceof ExactNumber) return fillNumber(text, value, path);
    if (Array.isArray(value)) return value.map((each, index) => fill(each, [...path, index]));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fill(each, [...path, key])]));
  };
  return fill(text.value, []);
};
