// Values of configs on their way in and out, letter by letter: JSON.parse would round the numbers of others.

import { failureOf } from '../../client/answer.ts';
import { pathOf } from '../../client/call.ts';
import { readBody } from '../../client/transport.ts';
import type { CommandContext } from '../../context.ts';
import { CONFIG_VALUE_LIMIT } from '../../contract/actors/configs.ts';
import type { Envelope } from '../../contract/envelope.ts';
import { jsonItems, jsonMember } from '../../contract/json-members.ts';
import { operations } from '../../contract/operations.ts';
import { CliFailure, usage } from '../../failure.ts';
import { shortDigest } from '../../local/credentials/crypto.ts';
import { KeptJson } from '../../ui/format/json-text.ts';
import { choice, flag, text, texts, type ValuesOf } from '../kernel/option.ts';
import { readPairs } from '../kernel/pairs.ts';
import type { Config } from './configs-view.ts';

type Asker = Pick<CommandContext, 'request' | 'output'>;

const valueTypes = ['json', 'text'] as const;

/** The flags that say what the value is. */
export const valueOptions = {
  value: text('--value <text>', 'the value: JSON, or else a text'),
  file: text('-f, --file <path>', 'the value is the content of a file, - for stdin'),
  set: texts('--set <name=value>', 'a member of an object that is the value; several are taken'),
  type: choice('--type <type>', 'take the value as json or as text; the default is json when it is JSON', valueTypes),
  secret: flag('--secret', 'store it encrypted and never answer it in clear'),
};

type ValueType = (typeof valueTypes)[number] | undefined;

/**
 * The JSON text of what a person gave: itself when it is JSON, else a string of it.
 * @throws USAGE when it was to be JSON and is none
 */
export const jsonTextOf = (given: string, type: ValueType): string => {
  if (type === 'text') return JSON.stringify(given);
  try {
    JSON.parse(given);
    return given.trim();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (type === 'json') throw usage('the value is not JSON', 'give it as --type text');
    return JSON.stringify(given);
  }
};

/** A JSON object of members whose texts go in as they are. */
export const objectText = (members: Iterable<readonly [name: string, text: string]>): string =>
  `{${[...members].map(([name, each]) => `${JSON.stringify(name)}:${each}`).join(',')}}`;

/**
 * The JSON text of the value that the flags ask for; undefined when they ask for none.
 * @throws USAGE
 */
export const readValue = async (
  { read, output }: Pick<CommandContext, 'read' | 'output'>,
  { value, file, set, type, secret }: ValuesOf<typeof valueOptions>,
): Promise<string | undefined> => {
  if ([value !== undefined, file !== undefined, set.length > 0].filter(Boolean).length > 1) {
    throw usage('--value, --file and --set exclude each other', 'give one of them');
  }
  if (file !== undefined) {
    const content = (await read(file, 2 * CONFIG_VALUE_LIMIT)).toString('utf8');
    // The end of the last line is the editor's, not the secret's.
    return jsonTextOf(content.replace(/\r?\n$/, ''), type);
  }
  if (secret && (value !== undefined || set.length > 0)) {
    output.warn('the secret stood on the command line, where other users of this machine may see it; -f - reads stdin');
  }
  if (value !== undefined) return jsonTextOf(value, type);
  if (set.length === 0) return undefined;
  return objectText(Object.entries(readPairs(set, '--set')).map(([name, each]) => [name, jsonTextOf(each, type)]));
};

/** A whole description as the service takes it. */
export interface ConfigDescription {
  readonly name: string;
  readonly valueText: string;
  readonly actors: string;
  readonly secret: boolean;
}

/** The request of a description, its value letter by letter. */
export const bodyOf = ({ name, valueText, actors, secret }: ConfigDescription) => ({
  bytes: Buffer.from(
    `{"name":${JSON.stringify(name)},"value":${valueText},"actors":${JSON.stringify(actors)},"is_secret":${secret}}`,
  ),
  headers: { 'content-type': 'application/json' },
});

/** A config as the service shows it, and its value letter by letter (of a secret: the sealed text). */
export interface ReadConfig {
  readonly config: Config;
  readonly valueText: string;
}

/** A config whose value goes out as it came. */
export const withValue = <C extends Config>(config: C, valueText: string): C => ({
  ...config,
  value: config.is_secret ? config.value : new KeptJson(valueText),
});

const readOne = (text: string): ReadConfig => {
  const valueText = jsonMember(text, 'value') ?? 'null';
  return { config: withValue(JSON.parse(text) as Config, valueText), valueText };
};

/** The result of an operation as it stands in the answer. */
const resultText = async (
  { request, output }: Asker,
  id: 'configs.show' | 'configs.list',
  params: Readonly<Record<string, string>> = {},
): Promise<string> => {
  const answer = await request({ method: 'GET', path: pathOf(operations[id], params) });
  const content = (await readBody(answer)).toString('utf8');
  if (answer.status !== 200) throw failureOf(answer.status, answer.headers, content);
  output.received(JSON.parse(content) as Envelope<unknown>);
  return jsonMember(content, 'result') ?? 'null';
};

/** @throws CliFailure the refusals of the service */
export const readConfig = async (context: Asker, configName: string): Promise<ReadConfig> =>
  readOne(await resultText(context, 'configs.show', { configName }));

/** Those that the caller may read. */
export const readConfigs = async (context: Asker): Promise<readonly Config[]> =>
  (jsonItems(await resultText(context, 'configs.list')) ?? []).map((text) => readOne(text).config);

/**
 * The JSON text of a value in clear. Of a secret the daemon of this machine tells it, to the owner of its files alone.
 * @throws CliFailure NOT_FOUND when the config is not one of that daemon, DAEMON_NOT_RUNNING
 */
export const clearText = async (
  { local }: Pick<CommandContext, 'local'>,
  { config, valueText }: ReadConfig,
): Promise<string> => {
  if (!config.is_secret) return valueText;
  try {
    return (await local.manage.configValue({ name: config.name, digest: shortDigest(String(config.value), 64) })).text;
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code !== 'NOT_FOUND') throw error;
    throw new CliFailure('FORBIDDEN', `the secret ${config.name} is not one of the daemon of this machine`, {
      hint: 'a secret can be shown only where its daemon runs, to the user who runs it',
      cause: error,
    });
  }
};
