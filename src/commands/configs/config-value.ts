// Reads and writes config values as unchanged JSON text, because JSON.parse would round large numbers.

import { pathOf, refusalOf } from '../../client/call.ts';
import { nameMissing } from '../../client/not-found.ts';
import { readBody } from '../../client/transport.ts';
import type { CommandContext } from '../../context.ts';
import type { Envelope } from '../../contract/envelope.ts';
import { KeptJson } from '../../contract/exact-json.ts';
import { CONFIG_VALUE_LIMIT, routes } from '../../contract/for-client.ts';
import { jsonItems, jsonMember } from '../../contract/json-scanner.ts';
import { CliFailure, usage } from '../../failure.ts';
import { shortDigest } from '../../local/credentials/crypto.ts';
import { jsonProblem, sourceName, withoutMark } from '../../local/written-json.ts';
import { configNames, orDidYouMean } from '../framework/did-you-mean.ts';
import { choice, flag, text, texts, type ValuesOf } from '../framework/option.ts';
import { readPairs } from '../framework/pairs.ts';
import type { Config } from './configs-view.ts';

type Asker = Pick<CommandContext, 'call' | 'request' | 'output'>;

const valueTypes = ['json', 'text'] as const;

export const valueOptions = {
  value: text('--value <text>', 'the value: JSON, or else text'),
  file: text('-f, --file <path>', 'file with the value, - for stdin', 'files'),
  set: texts('--set <name=value>', 'member of an object value, repeatable'),
  type: choice('--type <type>', 'type of the value (default: json if it is valid JSON, else text)', valueTypes),
  secret: flag('--secret', 'store the value encrypted and never show it'),
};

/** How a value is interpreted: as JSON, as text, or (by default) as JSON if it is valid JSON. */
export type ValueType = (typeof valueTypes)[number] | undefined;

/** Returns the value as JSON text: unchanged if it is JSON, else as a JSON string. */
export const jsonTextOf = (given: string, type: ValueType): string => {
  if (type === 'text') return JSON.stringify(given);
  try {
    JSON.parse(given);
    return given.trim();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (type === 'json') throw usage(`the value is not JSON: ${jsonProblem(given)}`, 'add --type text');
    return JSON.stringify(given);
  }
};

/** Builds a JSON object from names and JSON texts, which stay unchanged. */
export const objectText = (members: Iterable<readonly [name: string, text: string]>): string =>
  `{${[...members].map(([name, each]) => `${JSON.stringify(name)}:${each}`).join(',')}}`;

/** @param instead how to pass the secret without the command line */
export const warnOfCommandLine = ({ output }: Pick<CommandContext, 'output'>, instead: string): void =>
  output.warn(`other users of this machine can read the secret on the command line. To read it from stdin: ${instead}`);

/** Returns the JSON text of the value in the flags; undefined if there is none. */
export const readValue = async (
  context: Pick<CommandContext, 'read' | 'output'>,
  { value, file, set, type, secret }: ValuesOf<typeof valueOptions>,
): Promise<string | undefined> => {
  if ([value !== undefined, file !== undefined, set.length > 0].filter(Boolean).length > 1) {
    throw usage('--value, --file and --set cannot be used together', 'give one of them');
  }
  if (file !== undefined) {
    const content = (await context.read(file, 2 * CONFIG_VALUE_LIMIT)).toString('utf8');
    // Editors add a byte order mark, and a line end at the end of a file. Neither belongs to the value.
    const given = withoutMark(content).replace(/\r?\n$/, '');
    // An empty input is more often a program that failed than a value.
    if (given === '') throw usage(`${sourceName(file)} is empty`, "to store an empty text, use --value ''");
    return jsonTextOf(given, type);
  }
  if (secret && (value !== undefined || set.length > 0)) warnOfCommandLine(context, '-f -');
  if (value !== undefined) return jsonTextOf(value, type);
  if (set.length === 0) return undefined;
  return objectText(Object.entries(readPairs(set, '--set')).map(([name, each]) => [name, jsonTextOf(each, type)]));
};

export interface ConfigDescription {
  readonly name: string;
  readonly valueText: string;
  readonly actors: string;
  readonly secret: boolean;
}

export const bodyOf = ({ name, valueText, actors, secret }: ConfigDescription) => ({
  bytes: Buffer.from(
    `{"name":${JSON.stringify(name)},"value":${valueText},"actors":${JSON.stringify(actors)},"is_secret":${secret}}`,
  ),
  headers: { 'content-type': 'application/json' },
});

/** A config and the unchanged JSON text of its value. The value of a secret is encrypted. */
export interface ReadConfig {
  readonly config: Config;
  readonly valueText: string;
}

export const withValue = <C extends Config>(config: C, valueText: string): C => ({
  ...config,
  value: config.is_secret ? config.value : new KeptJson(valueText),
});

const readOne = (text: string): ReadConfig => {
  const valueText = jsonMember(text, 'value') ?? 'null';
  return { config: withValue(JSON.parse(text) as Config, valueText), valueText };
};

const resultText = async (
  { request, output }: Asker,
  id: 'configs.show' | 'configs.list',
  params: Readonly<Record<string, string>> = {},
): Promise<string> => {
  const operation = routes[id];
  const answer = await request({ method: 'GET', path: pathOf(operation, params) });
  const content = (await readBody(answer)).toString('utf8');
  if (answer.status !== 200) throw nameMissing(refusalOf('bearer', answer, content), operation, params);
  output.received(JSON.parse(content) as Envelope<unknown>);
  return jsonMember(content, 'result') ?? 'null';
};

export const readConfig = async (context: Asker, configName: string): Promise<ReadConfig> =>
  readOne(
    await orDidYouMean(resultText(context, 'configs.show', { configName }), configName, () => configNames(context)),
  );

export const readConfigs = async (context: Asker): Promise<readonly Config[]> =>
  (jsonItems(await resultText(context, 'configs.list')) ?? []).map((text) => readOne(text).config);

/**
 * Decrypts a secret. Only the local daemon can do this, and only for the user who owns its files.
 * @throws CliFailure FORBIDDEN if the config does not belong to the local daemon, DAEMON_NOT_RUNNING
 */
export const clearText = async (
  { manage }: Pick<CommandContext, 'manage'>,
  { config, valueText }: ReadConfig,
): Promise<string> => {
  if (!config.is_secret) return valueText;
  try {
    const digest = shortDigest(String(config.value), 64);
    return (await manage('secrets.show', { name: config.name, digest })).text;
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code !== 'NOT_FOUND') throw error;
    throw new CliFailure(
      'FORBIDDEN',
      `cannot decrypt secret "${config.name}": it does not belong to the local daemon`,
      {
        hint: 'run it again on the machine of its daemon, as the user who runs the daemon',
        cause: error,
      },
    );
  }
};
