// The description of an actor as the fields of a form, and the request and the command line that it becomes.
import { commandLine } from '../../../parts/command.ts';
import type { Actor } from '../rows.ts';

/** A variable whose value comes from a config. */
export interface ConfigVariable {
  readonly name: string;
  readonly config: string;
  /** Member of the value. Empty for the whole value. */
  readonly path: string;
}

/** What the form holds. Numbers are texts, as they were typed. */
export interface Draft {
  readonly image: string;
  readonly name: string;
  readonly description: string;
  /** Lines of NAME=value. */
  readonly variables: string;
  readonly configs: readonly ConfigVariable[];
  readonly memory: string;
  readonly cpus: string;
  readonly workers: string;
  readonly seconds: string;
  readonly isStateful: boolean;
  readonly isLegacy: boolean;
  /** Fields of a new actor that no field of the form shows. They come from the project file of a folder. */
  readonly unseen: Readonly<Record<string, unknown>>;
}

const NANO_CPUS = 1_000_000_000;

export const emptyDraft: Draft = {
  image: '',
  name: '',
  description: '',
  variables: '',
  configs: [],
  memory: '',
  cpus: '',
  workers: '',
  seconds: '',
  isStateful: false,
  isLegacy: false,
  unseen: {},
};

const typed = (value: number | undefined): string => (value === undefined ? '' : String(value));

/** Joins variables into lines. A value with line breaks has a backslash before each. */
const linesOf = (variables: Readonly<Record<string, string>>): string =>
  Object.entries(variables)
    .map(([name, value]) => `${name}=${value.replaceAll('\n', '\\\n')}`)
    .join('\n');

export const draftOf = (actor: Actor): Draft => ({
  image: actor.image,
  name: actor.name,
  description: actor.description,
  variables: linesOf(actor.default_environment),
  configs: Object.entries(actor.configEnvironment ?? {}).map(([name, { config, path = '' }]) => ({
    name,
    config,
    path,
  })),
  memory: actor.memLimit ?? '',
  cpus: actor.maxCpus === undefined ? '' : String(actor.maxCpus === -1 ? -1 : actor.maxCpus / NANO_CPUS),
  workers: typed(actor.maxWorkers),
  seconds: typed(actor.maxRunTime),
  isStateful: !actor.stateless,
  isLegacy: actor.dialect === 'legacy',
  unseen: {},
});

/** Reads lines of NAME=value. @throws Error with the number of a line that has no `=` */
export const readVariables = (text: string): Readonly<Record<string, string>> => {
  const lines = text.replaceAll('\r\n', '\n').split(/(?<!\\)\n/);
  const pairs = lines.flatMap((line, at): (readonly [string, string])[] => {
    if (line.trim() === '') return [];
    const equals = line.indexOf('=');
    if (equals < 1) throw new Error(`Line ${at + 1} of the variables must look like NAME=value.`);
    return [[line.slice(0, equals).trim(), line.slice(equals + 1).replaceAll('\\\n', '\n')]];
  });
  return Object.fromEntries(pairs);
};

/** @throws Error that names the variable */
const referencesOf = (configs: readonly ConfigVariable[]) => {
  const entries = configs.map(({ name, config, path }) => {
    if (name.trim() === '') throw new Error(`Give the variable for the config "${config}" a name, or remove it.`);
    if (config === '') throw new Error(`Choose a config for the variable ${name.trim()}, or remove it.`);
    return [name.trim(), { config, ...(path.trim() !== '' && { path: path.trim() }) }] as const;
  });
  const twice = entries.find(([name], at) => entries.findIndex(([each]) => each === name) !== at);
  if (twice !== undefined) throw new Error(`The variable ${twice[0]} has two configs. Remove one of them.`);
  return Object.fromEntries(entries);
};

const cpusOf = (text: string): number => {
  if (text === '-1') return -1;
  if (!/^\d{1,4}(\.\d{1,3})?$/.test(text) || Number(text) === 0)
    throw new Error('Processors must be a number like 2 or 0.5.');
  return Math.round(Number(text) * NANO_CPUS);
};

const wholeOf = (text: string, what: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${what} must be a whole number.`);
  return Number(text);
};

/** The fields that the form changes. An empty field is absent, which resets it to its default. */
const fieldsOf = (draft: Draft) => ({
  image: draft.image.trim(),
  name: draft.name.trim(),
  ...(draft.description !== '' && { description: draft.description }),
  default_environment: readVariables(draft.variables),
  ...(draft.configs.length > 0 && { configEnvironment: referencesOf(draft.configs) }),
  ...(draft.memory !== '' && { memLimit: draft.memory.trim() }),
  ...(draft.cpus !== '' && { maxCpus: cpusOf(draft.cpus.trim()) }),
  ...(draft.workers !== '' && { maxWorkers: wholeOf(draft.workers.trim(), 'Workers') }),
  ...(draft.seconds !== '' && { maxRunTime: wholeOf(draft.seconds.trim(), 'The time limit') }),
});

/** The request that creates the actor. @throws Error that names the field */
export const creationOf = (draft: Draft) => ({
  ...draft.unseen,
  ...fieldsOf(draft),
  ...(draft.isStateful && { stateless: false }),
  ...(draft.isLegacy && { dialect: 'legacy' }),
});

/** True if a value is the default of its field, which is not sent: a value may need a role. */
const isDefault = (value: unknown): boolean =>
  value === undefined ||
  value === false ||
  value === '' ||
  value === 'default' ||
  (Array.isArray(value) && value.length === 0);

/** The request that updates the actor. An update replaces all fields, so it repeats those that no form shows. */
export const updateOf = (actor: Actor, draft: Draft) => {
  const { senderVariables, hints, type, token, logEx, placement, privileged, useContainerUid, queue, link, webhook } =
    actor;
  const { cronSchedule, cronOn, cronTimeZone, cronMessage, showSecrets } = actor;
  const unseen = {
    ...{ senderVariables, hints, type, token, logEx, placement, privileged, useContainerUid, queue, link, webhook },
    ...{ cronSchedule, cronOn, cronTimeZone, cronMessage, showSecrets },
  };
  const kept = Object.entries(unseen).filter(([, value]) => !isDefault(value));
  return { ...Object.fromEntries(kept), ...fieldsOf(draft) };
};

/** The values of all variables as `-e` takes them. */
const valuesOf = ({ variables, configs }: Draft): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(
    Object.entries(readVariables(variables)).map(([name, value]) => [name, value.replace(/^@/, '@@')]),
  ),
  ...Object.fromEntries(
    Object.entries(referencesOf(configs)).map(([name, { config, path }]) => [
      name,
      `@config:${config}${path === undefined ? '' : `#${path}`}`,
    ]),
  ),
});

const flagsOf = (draft: Draft, before: Draft): readonly string[] => {
  const flag = (field: 'description' | 'memory' | 'cpus' | 'workers' | 'seconds', name: string, of: string) =>
    draft[field] === before[field] ? [] : draft[field] === '' ? ['--unset', of] : [`--${name}`, draft[field]];
  const variables = (() => {
    try {
      const [now, was] = [valuesOf(draft), valuesOf(before)];
      return [
        ...Object.entries(now).flatMap(([name, value]) => (was[name] === value ? [] : ['-e', `${name}=${value}`])),
        ...Object.keys(was).flatMap((name) => (name in now ? [] : ['--unset', `env:${name}`])),
      ];
    } catch {
      return [];
    }
  })();
  return [
    ...flag('description', 'description', 'description'),
    ...variables,
    ...flag('memory', 'memory', 'memLimit'),
    ...flag('cpus', 'cpus', 'maxCpus'),
    ...flag('workers', 'max-workers', 'maxWorkers'),
    ...(draft.seconds === before.seconds
      ? []
      : draft.seconds === ''
        ? ['--unset', 'maxRunTime']
        : ['--time-limit', `${draft.seconds}s`]),
  ];
};

/** The command that creates the actor of the form, or makes the same changes. */
/** @param word names the actor in commands */
export const commandOf = (draft: Draft, actor: Actor | undefined, word = ''): string => {
  if (actor === undefined)
    return commandLine(
      'actors',
      'create',
      draft.image.trim() || 'IMAGE',
      ...(draft.name === '' ? [] : ['--name', draft.name.trim()]),
      ...flagsOf(draft, emptyDraft),
      ...(draft.isStateful ? ['--stateful'] : []),
      ...(draft.isLegacy ? ['--dialect', 'legacy'] : []),
    );
  const before = draftOf(actor);
  return commandLine(
    'actors',
    'update',
    ...(draft.image === before.image ? [] : ['--image', draft.image.trim()]),
    ...(draft.name === before.name ? [] : ['--name', draft.name.trim()]),
    ...flagsOf(draft, before),
    word,
  );
};
