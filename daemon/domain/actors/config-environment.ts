// Variables of an actor whose values come from configs. @see docs/actors.md#variables-from-configs
import type { ConfigReference } from '../../../src/contract/actors/actor-fields.ts';
import { jsonItems, jsonMember } from '../../../src/contract/json-scanner.ts';
import { isFolderImage } from './image-reference.ts';
import { isClosedToSenders, isReservedVariable, steersExecution } from './variable-name.ts';

export type ConfigEnvironment = Readonly<Record<string, ConfigReference>>;

/**
 * Why these variables cannot come from configs. Undefined if they can. The text continues the name of the field. Users
 * with UPDATE on a config choose its value without the role that the code of a folder or privileged actor requires.
 */
export const configEnvironmentFault = (
  variables: ConfigEnvironment,
  {
    image,
    privileged,
    environment,
  }: {
    readonly image: string;
    readonly privileged: boolean;
    readonly environment: Readonly<Record<string, string>>;
  },
): string | undefined => {
  const names = Object.keys(variables);
  const reserved = names.find(isReservedVariable);
  if (reserved !== undefined) return `must not set ${reserved}: the platform sets it`;
  const twice = names.find((name) => Object.hasOwn(environment, name));
  if (twice !== undefined) return `must not set ${twice}: default_environment sets it too. Leave one of them out`;
  if (!isFolderImage(image) && !privileged) return undefined;
  const steering = names.find((name) => isClosedToSenders(name) || steersExecution(name));
  return (
    steering &&
    `must not set ${steering}: it decides which code the actor runs, and the code of this actor controls the machine. Give it a text instead`
  );
};

const valueAt = (text: string, path: string): string | undefined =>
  path.split('.').reduce<string | undefined>((value, part) => {
    if (value === undefined) return undefined;
    return /^\d{1,6}$/.test(part) && value.startsWith('[') ? jsonItems(value)?.[Number(part)] : jsonMember(value, part);
  }, text.trim());

/** A text as it is, any other value as JSON text. */
const variableText = (json: string): string => (json.startsWith('"') ? (JSON.parse(json) as string) : json);

export type ResolvedVariables =
  | { readonly values: Readonly<Record<string, string>>; readonly secretNames: readonly string[] }
  | { readonly fault: string };

export interface ReceivedConfig {
  readonly name: string;
  readonly isSecret: boolean;
  /** The value as JSON text. */
  readonly text: string;
}

/** @param received the configs that are shared with the actor */
export const resolveVariables = (
  actor: { readonly id: string; readonly configEnvironment?: ConfigEnvironment },
  received: readonly ReceivedConfig[],
): ResolvedVariables => {
  const byName = new Map(received.map((config) => [config.name, config]));
  const values: [string, string][] = [];
  const secretNames: string[] = [];
  for (const [name, { config, path }] of Object.entries(actor.configEnvironment ?? {})) {
    const found = byName.get(config);
    if (found === undefined) {
      return {
        fault: `the variable ${name} needs the config "${config}", which is not shared with this actor. Share it: actorctl configs share ${config} ${actor.id}`,
      };
    }
    const value = path === undefined ? found.text.trim() : valueAt(found.text, path);
    if (value === undefined) {
      return {
        fault: `the variable ${name} needs "${path}" of the config "${config}", which has no such member. Correct the config or the variable`,
      };
    }
    values.push([name, variableText(value)]);
    if (found.isSecret) secretNames.push(name);
  }
  return { values: Object.fromEntries(values), secretNames };
};
