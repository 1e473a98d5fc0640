// The flags that describe an actor, and the description they make.
import type { CommandContext } from '../../context.ts';
import { actorRegistration, actorUpdate } from '../../contract/actors/actors.ts';
import { usage } from '../../failure.ts';
import { parseDuration } from '../../ui/format/time.ts';
import { flag, integer, parsed, text, texts, type ValuesOf } from '../kernel/option.ts';
import { readEnvFile, readPairs } from '../kernel/pairs.ts';
import type { Actor } from '../kernel/views.ts';

/** Largest description in a file, in bytes. */
const FILE_LIMIT = 1024 * 1024;
const SECOND_MS = 1_000;
/** The service counts processors in billionths. */
const NANO_CPUS = 1_000_000_000;

/** The flags that `create` and `update` share. */
export const descriptionOptions = {
  description: text('--description <text>', 'what it does'),
  env: texts('-e, --env <name=value>', 'a variable of every execution; several are taken'),
  envFile: text('--env-file <path>', 'variables from a file of NAME=VALUE lines, - for stdin'),
  hint: texts('--hint <tag>', 'a tag; several are taken'),
  memory: text('--memory <size>', 'memory limit: 512m, 1g; -1 for none'),
  cpus: parsed('--cpus <n>', 'processors it may use: 2, 0.5', (value, name) => {
    const cpus = /^\d{1,4}(?:\.\d{1,3})?$/.test(value) ? Number(value) : Number.NaN;
    if (!(cpus > 0)) throw usage(`${name} must be a number above 0, not "${value}"`);
    return Math.round(cpus * NANO_CPUS);
  }),
  workers: integer('--workers <n>', 'executions at the same time, at most', { min: 1, max: 1_000 }),
  timeLimit: parsed('--time-limit <duration>', 'longest time for one execution: 90s, 15m', (value, name) => {
    const seconds = Math.ceil(parseDuration(value, `a duration for ${name}`) / SECOND_MS);
    if (seconds < 1) throw usage(`${name} must be at least 1s`);
    return seconds;
  }),
  webhook: text('--webhook <url>', 'where its events are posted'),
  cron: text('--cron <schedule>', 'when it runs by itself: "0 9 * * mon-fri", @hourly, "now + 1 day"'),
  token: flag('--token', 'give every execution a token of yours'),
  privileged: flag('--privileged', 'run with all rights; needs the role'),
  file: text('-f, --file <path>', 'the whole description as JSON, - for stdin; flags outrank it'),
  form: flag('--form', 'send it as a form instead of JSON'),
};

export type DescriptionOptions = ValuesOf<typeof descriptionOptions>;

/** A description on its way to the service, by the names of the wire. */
export type Description = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const camelCase = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const fields = [...new Set([...Object.keys(actorRegistration.shape), ...Object.keys(actorUpdate.shape)])];

/** The wire takes both spellings of a name; here each field must have one, or flags could not outrank it. */
const canonical = (name: string): string => fields.find((field) => camelCase(field) === camelCase(name)) ?? name;

const documentOf = (content: string): Description => {
  try {
    const value: unknown = JSON.parse(content);
    if (isRecord(value))
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [canonical(name), each]));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw usage(`--file: not JSON: ${error.message}`);
  }
  throw usage('--file: the description must be a JSON object');
};

const environmentOf = async (
  { read }: Pick<CommandContext, 'read'>,
  { env, envFile }: Pick<DescriptionOptions, 'env' | 'envFile'>,
): Promise<Readonly<Record<string, string>>> => ({
  ...(envFile !== undefined && readEnvFile((await read(envFile, FILE_LIMIT)).toString('utf8'), '--env-file')),
  ...readPairs(env, '--env'),
});

/**
 * What the flags and the file say, and nothing else. Variables of the file and of flags are put together.
 * @throws USAGE
 */
export const describe = async (
  context: Pick<CommandContext, 'read'>,
  options: DescriptionOptions,
): Promise<Description> => {
  if (options.file === '-' && options.envFile === '-') throw usage('--file and --env-file cannot both read stdin');
  const document =
    options.file === undefined ? {} : documentOf((await context.read(options.file, FILE_LIMIT)).toString('utf8'));
  const environment = await environmentOf(context, options);
  const inherited = document['default_environment'];
  const { description, hint, memory, cpus, workers, timeLimit, webhook, cron, token, privileged } = options;
  return {
    ...document,
    ...(Object.keys(environment).length > 0 && {
      default_environment: { ...(isRecord(inherited) ? inherited : {}), ...environment },
    }),
    ...(description !== undefined && { description }),
    ...(hint.length > 0 && { hints: hint }),
    ...(memory !== undefined && { memLimit: memory }),
    ...(cpus !== undefined && { maxCpus: cpus }),
    ...(workers !== undefined && { maxWorkers: workers }),
    ...(timeLimit !== undefined && { maxRunTime: timeLimit }),
    ...(webhook !== undefined && { webhook }),
    ...(cron !== undefined && { cronSchedule: cron, cronOn: true }),
    ...(token && { token }),
    ...(privileged && { privileged }),
  };
};

const formText = (name: string, value: unknown): string => {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw usage(`--form: ${name} cannot stand in a form`, 'leave out --form');
};

/**
 * The body of the request: JSON, or with `--form` a form.
 * @throws USAGE when the description has what a form cannot hold
 */
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

/** What the service takes when a field is left out; sending it would ask for a role that the caller may not have. */
const isDefault = (value: unknown): boolean =>
  value === undefined ||
  value === false ||
  value === '' ||
  value === 'default' ||
  (Array.isArray(value) && value.length === 0) ||
  (isRecord(value) && Object.keys(value).length === 0);

/** Fields of an update that say nothing of the actor (`force`), can never change, or stay when left out and must not go back in time (`state`). */
const notSentBack = ['force', 'stateless', 'state'];

/** What an update replaces, said or not. */
const replaceable = Object.keys(actorUpdate.shape).filter((field) => !notSentBack.includes(field));

/** The description of an actor as it stands, ready to be sent back changed, because an update replaces the whole of it. */
export const descriptionOf = (actor: Actor): Description =>
  Object.fromEntries(
    Object.entries(actor).filter(([field, value]) => replaceable.includes(field) && !isDefault(value)),
  );

/** The names of a description that an update cannot change: those of a file that was written for `create`. */
export const notReplaceable = (description: Description): readonly string[] =>
  Object.keys(description).filter((name) => !replaceable.includes(name));

const environmentFields = (description: Description): Readonly<Record<string, unknown>> => {
  const environment = description['default_environment'];
  return isRecord(environment) ? environment : {};
};

const differing = (before: Description, after: Description): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );

/** The names of what differs between two descriptions; of the environment each variable by itself. */
export const changedFields = (before: Description, after: Description): readonly string[] =>
  differing(before, after).flatMap((field) =>
    field === 'default_environment'
      ? differing(environmentFields(before), environmentFields(after)).map((name) => `${field}.${name}`)
      : [field],
  );

/**
 * Puts changes over a description: variables are added to those there are, everything else is replaced; then `unset` takes
 * away fields, or `env:NAME` variables.
 * @throws USAGE on the name of something that cannot be unset
 */
export const changeDescription = (before: Description, changes: Description, unset: readonly string[]): Description => {
  const environment: Record<string, unknown> = { ...environmentFields(before), ...environmentFields(changes) };
  const after: Record<string, unknown> = { ...before, ...changes };
  for (const each of unset) {
    const name = each === 'cron' ? 'cronSchedule' : each;
    const variable = /^env:(.+)$/.exec(name)?.[1];
    if (variable !== undefined) delete environment[variable];
    else if (name === 'env') for (const key of Object.keys(environment)) delete environment[key];
    // A plan stays when it is left out: only an empty text takes it away.
    else if (name.startsWith('cron') && name !== 'cronOn' && replaceable.includes(name)) {
      if (name in before) after[name] = '';
    } else if (name !== 'image' && replaceable.includes(name)) delete after[name];
    else
      throw usage(
        `--unset: '${name}' cannot be unset`,
        `use env:NAME, env, ${replaceable.filter((field) => field !== 'image').join(', ')}`,
      );
  }
  // Who takes the schedule away need not switch it off as well, and there would be nothing to switch on.
  if (after['cronSchedule'] === '') for (const name of ['cronOn', 'cronTimeZone', 'cronMessage']) delete after[name];
  delete after['default_environment'];
  return Object.keys(environment).length === 0 ? after : { ...after, default_environment: environment };
};
