// The description of an actor as the fields of a form, and the request and the command line that it becomes.
import { FieldError, type FieldWords } from '../../../parts/actions/field-problems.ts';
import { commandLine } from '../../../parts/command.ts';
import type { Actor } from '../rows.ts';

/** A variable whose value comes from a config. */
export interface ConfigVariable {
  readonly name: string;
  readonly config: string;
  /** Member of the value. Empty for the whole value. */
  readonly path: string;
}

/** The fields of the form with their labels, by the field of the API that they set. */
export const fieldWords = {
  image: ['image', 'Image'],
  name: ['name', 'Name'],
  description: ['description', 'Description'],
  default_environment: ['variables', 'Variables'],
  configEnvironment: ['configs', 'Variables from configs'],
  memLimit: ['memory', 'Memory'],
  maxCpus: ['cpus', 'Processors'],
  maxWorkers: ['workers', 'Maximum workers'],
  maxRunTime: ['seconds', 'Time limit'],
} as const satisfies FieldWords;

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

/** Reads lines of NAME=value. @throws FieldError with the number of a line that has no `=` */
export const readVariables = (text: string): Readonly<Record<string, string>> => {
  const lines = text.replaceAll('\r\n', '\n').split(/(?<!\\)\n/);
  const pairs = lines.flatMap((line, at): (readonly [string, string])[] => {
    if (line.trim() === '') return [];
    const equals = line.indexOf('=');
    if (equals < 1) throw new FieldError('variables', `Line ${at + 1} of the variables must look like NAME=value.`);
    return [[line.slice(0, equals).trim(), line.slice(equals + 1).replaceAll('\\\n', '\n')]];
  });
  return Object.fromEntries(pairs);
};

/** @throws FieldError that names the variable */
const referencesOf = (configs: readonly ConfigVariable[]) => {
  const names = configs.map(({ name }) => name.trim());
  const entries = configs.map(({ config, path }, at) => {
    const name = names[at] ?? '';
    if (name === '') {
      const which = config === '' ? '' : ` for the config "${config}"`;
      throw new FieldError(`configs.${at}.name`, `Give the variable${which} a name, or remove it.`);
    }
    if (config === '')
      throw new FieldError(`configs.${at}.config`, `Choose a config for the variable ${name}, or remove it.`);
    if (names.indexOf(name) < at)
      throw new FieldError(`configs.${at}.name`, `The variable ${name} has two configs. Remove one of them.`);
    return [name, { config, ...(path.trim() !== '' && { path: path.trim() }) }] as const;
  });
  return Object.fromEntries(entries);
};

const cpusOf = (text: string): number => {
  if (text === '-1') return -1;
  if (!/^\d{1,4}(\.\d{1,3})?$/.test(text) || Number(text) === 0)
    throw new FieldError('cpus', 'Processors must be a number like 2 or 0.5.');
  return Math.round(Number(text) * NANO_CPUS);
};

const wholeOf = (text: string, of: 'maxWorkers' | 'maxRunTime'): number => {
  const [field, label] = fieldWords[of];
  if (!/^\d{1,9}$/.test(text)) throw new FieldError(field, `${label} must be a whole number.`);
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
  ...(draft.workers !== '' && { maxWorkers: wholeOf(draft.workers.trim(), 'maxWorkers') }),
  ...(draft.seconds !== '' && { maxRunTime: wholeOf(draft.seconds.trim(), 'maxRunTime') }),
});

/** The request that creates the actor. @throws FieldError */
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
    ...flag('workers', 'workers', 'maxWorkers'),
    ...(draft.seconds === before.seconds
      ? []
      : draft.seconds === ''
        ? ['--unset', 'maxRunTime']
        : ['--time-limit', `${draft.seconds}s`]),
  ];
};

interface CommandFor {
  /** Names the actor that is changed. */
  readonly word?: string | undefined;
  /** True to create an actor although there is one with its name. */
  readonly isDuplicate?: boolean;
}

/** The command that creates the actor of the form, or makes the same changes. */
export const commandOf = (
  draft: Draft,
  actor: Actor | undefined,
  { word = '', isDuplicate = false }: CommandFor = {},
): string => {
  if (actor === undefined)
    return commandLine(
      'actors',
      'create',
      draft.image.trim() || 'IMAGE',
      ...(draft.name === '' ? [] : ['--name', draft.name.trim()]),
      ...flagsOf(draft, emptyDraft),
      ...(draft.isStateful ? ['--stateful'] : []),
      ...(draft.isLegacy ? ['--dialect', 'legacy'] : []),
      ...(isDuplicate ? ['--if-exists', 'duplicate'] : []),
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
