// The variables of an actor: texts, and references to configs.
import { usage } from '../../failure.ts';
import { type Description, isRecord } from '../../local/project/actor-values.ts';
import { readVariablePairs } from '../framework/pairs.ts';

/** A text, or a reference to a config. */
export type Variable = string | { readonly config: string; readonly path?: string };

/** Reads the value of `--env`: `@config:NAME` or `@config:NAME#PATH` is a reference, `@@` begins a text with `@`. */
const variableOf = (name: string, value: string): Variable => {
  if (!value.startsWith('@') || value.startsWith('@@')) return value.replace(/^@@/, '@');
  const [, config, path] = /^@config:([^#]+)(?:#(.+))?$/s.exec(value) ?? [];
  if (config === undefined)
    throw usage(
      `--env: the value of ${name} begins with @, but is not @config:CONFIG or @config:CONFIG#PATH`,
      `for a text that begins with @, write ${name}=@${value}`,
    );
  return { config, ...(path !== undefined && { path }) };
};

/** The variables of `--env`. @throws USAGE also for a variable that is given both as a text and as a config */
export const readGivenVariables = (pairs: readonly string[]): Readonly<Record<string, Variable>> => {
  const variables = new Map<string, Variable>();
  for (const [name, text] of readVariablePairs(pairs, '--env')) {
    const [value, before] = [variableOf(name, text), variables.get(name)];
    if (before !== undefined && typeof before !== typeof value)
      throw usage(`--env: ${name} is given both as a text and as a config`, 'leave one of them out');
    variables.set(name, value);
  }
  return Object.fromEntries(variables);
};

/** All variables of a description: texts, and references to configs. */
export const variablesOf = (description: Description): Readonly<Record<string, unknown>> => {
  const [texts, references] = [description['default_environment'], description['configEnvironment']];
  return { ...(isRecord(texts) && texts), ...(isRecord(references) && references) };
};

/** The configs that the variables of a description read. */
export const configsOfVariables = (description: Description): readonly string[] =>
  Object.values(variablesOf(description)).flatMap((each) =>
    isRecord(each) && typeof each['config'] === 'string' ? [each['config']] : [],
  );
