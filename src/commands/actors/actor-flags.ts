// The flags that describe an actor, and the request body they become.

import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { FieldWords } from '../../client/field-words.ts';
import type { CommandContext } from '../../context.ts';
import { ExactNumber } from '../../contract/exact-json.ts';
import { fields } from '../../contract/for-client.ts';
import { usage } from '../../failure.ts';
import { nearest } from '../../local/nearest.ts';
import { type Description, isRecord, NANO_CPUS, withVariables } from '../../local/project/actor-values.ts';
import { readEnvFile } from '../../local/project/env-file.ts';
import { parseWrittenData, sourceName } from '../../local/written-json.ts';
import { snakeName } from '../../ui/format/names.ts';
import { parseDuration } from '../../ui/format/time.ts';
import { flag, integer, parsed, text, texts, type ValuesOf } from '../framework/option.ts';
import { readGivenVariables, type Variable, variablesOf } from './actor-variables.ts';

/** Largest description file, in bytes. */
const FILE_LIMIT = 1024 * 1024;
const SECOND_MS = 1_000;
/** The service states processors in billionths. */
export const descriptionOptions = {
  description: text('--description <text>', 'description'),
  env: texts('-e, --env <name=value>', 'variable of every execution; NAME=@config:CONFIG[#PATH] reads a config'),
  envFile: text('--env-file <path>', 'file with NAME=VALUE lines for every execution, - for stdin', 'files'),
  senderVariables: texts(
    '--sender-variables <names>',
    'variables that any sender may set: NAME,PREFIX_* (empty: none)',
  ),
  hint: texts('--hint <tag>', 'tag, repeatable'),
  memory: text('--memory <size>', 'memory limit: 512m, 1g; -1 for none'),
  cpus: parsed('--cpus <n>', 'number of processors: 2, 0.5', (value, name) => {
    const cpus = /^\d{1,4}(?:\.\d{1,3})?$/.test(value) ? Number(value) : Number.NaN;
    if (!(cpus > 0)) throw usage(`${name} must be a number above 0, not "${value}"`);
    return Math.round(cpus * NANO_CPUS);
  }),
  placement: texts('--placement <constraint>', 'node of a Swarm to run on: node.labels.gpu==true, repeatable'),
  workers: integer(
    '--workers <n>',
    'concurrent executions (default: processors of the machine or swarm; stateful: 1)',
    { min: 1, max: 1_000 },
  ),
  timeLimit: parsed('--time-limit <duration>', 'time limit of one execution: 90s, 15m', (value, name) => {
    const seconds = Math.ceil(parseDuration(value, `a duration for ${name}`) / SECOND_MS);
    if (seconds < 1) throw usage(`${name} must be at least 1s`);
    return seconds;
  }),
  webhook: text('--webhook <url>', 'URL that receives its events'),
  cron: text('--cron <schedule>', 'schedule: "0 9 * * mon-fri", @hourly, "now + 1 day"'),
  token: flag('--token', 'let executions act as the owner, with a token'),
  mask: flag('--no-mask', 'show secret configs in logs instead of ***'),
  privileged: flag('--privileged', 'run with full privileges (needs the privileged role)'),
  file: text('-f, --file <path>', 'JSON file with the whole description, - for stdin; flags take precedence', 'files'),
  form: flag('--form', 'send the request as a form instead of JSON'),
};

export const outsideOption = flag('--allow-outside', 'allow actorctl.json to use files outside the folder');

export type DescriptionOptions = ValuesOf<typeof descriptionOptions>;

const camelCase = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const settable = [...new Set([...fields.actorRegistration, ...fields.actorUpdate])];

/**
 * The service accepts field names in camelCase and snake_case. They are unified here, so that flags override the
 * file.
 */
export const canonical = (name: string): string =>
  settable.find((field) => camelCase(field) === camelCase(name)) ?? name;

/**
 * Fields that are ignored in a description file, because they cannot be set. The output of `actors show` contains
 * them.
 */
const shown: ReadonlySet<string> = new Set(fields.actor.map(camelCase));

/** @throws USAGE with a suggestion, if the file has an unknown field */
const refuseUnknown = (given: readonly string[]): void => {
  const unknown = given.find((name) => !settable.includes(canonical(name)) && !shown.has(camelCase(name)));
  if (unknown === undefined) return;
  const names = settable.map(snakeName);
  const meant = nearest(snakeName(unknown), names);
  throw usage(
    `--file: actors have no field "${unknown}"`,
    meant === undefined ? `use ${names.join(', ')}` : `did you mean ${meant}?`,
  );
};

const documentOf = (content: string, source: string): Description => {
  const value = parseWrittenData(content, source);
  if (!isRecord(value)) throw usage(`${source}: the description must be a JSON object`);
  refuseUnknown(Object.keys(value));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [canonical(name), each]));
};

const environmentOf = async (
  { read }: Pick<CommandContext, 'read'>,
  { env, envFile }: Pick<DescriptionOptions, 'env' | 'envFile'>,
): Promise<Readonly<Record<string, Variable>>> => ({
  ...(envFile !== undefined && readEnvFile((await read(envFile, FILE_LIMIT)).toString('utf8'), sourceName(envFile))),
  ...readGivenVariables(env),
});

/** Splits `A,B` and drops empty names, so that an empty string means no names. */
const namesIn = (given: readonly string[]): readonly string[] =>
  given.flatMap((each) => each.split(',').map((name) => name.trim())).filter((name) => name !== '');

/**
 * Builds a description from flags and a file. The variables of both are merged. A flag overrides a field of the file.
 */
export const describe = async (
  context: Pick<CommandContext, 'read'>,
  options: DescriptionOptions,
): Promise<Description> => {
  if (options.file === '-' && options.envFile === '-') throw usage('--file and --env-file cannot both read stdin');
  const document =
    options.file === undefined
      ? {}
      : documentOf((await context.read(options.file, FILE_LIMIT)).toString('utf8'), sourceName(options.file));
  const environment = await environmentOf(context, options);
  const {
    description,
    senderVariables,
    hint,
    memory,
    cpus,
    placement,
    workers,
    timeLimit,
    webhook,
    cron,
    token,
    mask,
    privileged,
  } = options;
  return {
    ...(Object.keys(environment).length > 0
      ? withVariables(document, { ...variablesOf(document), ...environment })
      : document),
    ...(description !== undefined && { description }),
    ...(senderVariables.length > 0 && { senderVariables: namesIn(senderVariables) }),
    ...(hint.length > 0 && { hints: hint }),
    ...(memory !== undefined && { memLimit: memory }),
    ...(cpus !== undefined && { maxCpus: cpus }),
    ...(placement.length > 0 && { placement }),
    ...(workers !== undefined && { maxWorkers: workers }),
    ...(timeLimit !== undefined && { maxRunTime: timeLimit }),
    ...(webhook !== undefined && { webhook }),
    ...(cron !== undefined && { cronSchedule: cron, cronOn: true }),
    ...(token && { token }),
    ...(!mask && { showSecrets: true }),
    ...(privileged && { privileged }),
  };
};

/** The field that each flag sets. */
const fieldOfFlag = [
  ['--name', 'name'],
  ['--image', 'image'],
  ['--description', 'description'],
  ['--env-file', 'default_environment'],
  ['--env', 'default_environment'],
  ['--env', 'configEnvironment'],
  ['--sender-variables', 'senderVariables'],
  ['--hint', 'hints'],
  ['--memory', 'memLimit'],
  ['--cpus', 'maxCpus'],
  ['--placement', 'placement'],
  ['--workers', 'maxWorkers'],
  ['--time-limit', 'maxRunTime'],
  ['--webhook', 'webhook'],
  ['--cron', 'cronSchedule'],
  ['--link', 'link'],
] as const;

/** The flags that were given, by the field that they set, for failures of the service. */
export const flagWords = (options: Readonly<Record<string, unknown>>): FieldWords =>
  Object.fromEntries(
    fieldOfFlag.flatMap(([flag, field]) => {
      const given = options[camelCase(flag.slice(2).replaceAll('-', '_'))];
      return given === undefined || (Array.isArray(given) && given.length === 0) ? [] : [[field, flag]];
    }),
  );

const formText = (name: string, value: unknown): string => {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || value instanceof ExactNumber) return String(value);
  throw usage(`--form: ${name} cannot be sent as a form field`, 'remove --form');
};

/** The test is safe, because image names never begin with a dot or a slash. */
const isPath = (image: string): boolean => /^(?:\.{0,2}\/|\.{1,2}$)/.test(image);

/** A local folder, like `./wc`, becomes a `file://` address. */
export const imageOf = ({ cwd }: Pick<CommandContext, 'cwd'>, given: string): string =>
  isPath(given) ? pathToFileURL(path.resolve(cwd, given)).href : given;

/** The absolute path of an image that names a folder. Undefined for any other image. */
export const localFolder = ({ cwd }: Pick<CommandContext, 'cwd'>, given: string): string | undefined => {
  if (isPath(given)) return path.resolve(cwd, given);
  // The service refuses an address that cannot be decoded.
  return /^file:\/\/\/(?!.*(?:%2f|%00))/i.test(given) && URL.canParse(given) ? fileURLToPath(given) : undefined;
};

/** @throws USAGE if a value cannot be sent as a form field */
export const bodyOf = (
  description: Description,
  form: boolean,
): { readonly body: Description } | { readonly form: Readonly<Record<string, string>> } => {
  if (!form) return { body: description };
  return {
    form: Object.fromEntries(
      Object.entries(description).map(([name, value]) => {
        const only: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
        return [name, formText(name, only)];
      }),
    ),
  };
};
