// The settings file: its keys, their values, and changes of it.
import * as z from 'zod/mini';
import { usage } from '../../failure.ts';
import { type ContextsDocument, contextsDocument } from '../contexts.ts';
import { valueProblem } from '../daemon/resolve-start.ts';
import { type StartOption, type StartSetting, startRowOf, startRows } from '../daemon/start-options.ts';
import { writePrivate } from '../files.ts';
import { readJson } from '../json-file.ts';
import { withLock } from '../lock/with-lock.ts';
import { nearest } from '../nearest.ts';
import { colors, formats, stores } from './setting-words.ts';

const startSchema = ({ value, check }: StartOption) =>
  z.optional(
    value === undefined
      ? z.boolean()
      : z
          .union([z.string(), z.number()])
          .check(z.refine((given) => check?.fits(String(given)) ?? given !== '', `must be ${check?.rule ?? 'a text'}`)),
  );

const document = z.strictObject({
  output: z.optional(z.enum(formats)),
  color: z.optional(z.enum(colors)),
  context: z.optional(z.string()),
  credential_store: z.optional(z.enum(stores)),
  request_timeout: z.optional(z.string()),
  'daemon.autostart': z.optional(z.boolean()),
  ...(Object.fromEntries(
    startRows.flatMap(([, row]) => (row.setting === undefined ? [] : [[row.setting, startSchema(row)]])),
  ) as Readonly<Record<StartSetting, ReturnType<typeof startSchema>>>),
});
export type SettingsDocument = z.output<typeof document>;
export type SettingName = keyof SettingsDocument;
export type SettingValue = NonNullable<SettingsDocument[SettingName]>;

export const settingNames = Object.keys(document.shape) as readonly SettingName[];

export interface ReadFile {
  readonly path: string;
  readonly value: unknown;
}

const checkFile = <S extends z.ZodMiniType>(
  schema: S,
  file: ReadFile | undefined,
  known: readonly string[],
): z.output<S> | undefined => {
  if (!file) return undefined;
  const result = schema.safeParse(file.value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  if (issue?.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    const meant = nearest(key, known);
    throw usage(
      `${file.path}: no setting named "${key}"`,
      meant ? `did you mean "${meant}"?` : `the settings are: ${known.join(', ')}`,
    );
  }
  throw usage(`${file.path}: ${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'cannot be used'}`);
};

const checkSettings = (file: ReadFile | undefined): SettingsDocument | undefined =>
  checkFile(document, file, settingNames);

/** A project gives names only, never an address: another person's folder must not decide where tokens are sent. */
const projectDocument = z.object({ context: z.optional(z.string()), instance: z.optional(z.string()) });

export interface ReadFiles {
  readonly settings?: ReadFile | undefined;
  readonly contexts?: ReadFile | undefined;
  readonly project?: ReadFile | undefined;
}

interface Checked<T> {
  readonly path: string;
  readonly value: T;
}

export interface CheckedFiles {
  readonly settings?: Checked<SettingsDocument> | undefined;
  readonly contexts?: Checked<ContextsDocument> | undefined;
  readonly project?: Checked<z.output<typeof projectDocument>> | undefined;
}

export const checkFiles = ({ settings, contexts, project }: ReadFiles): CheckedFiles => {
  const checked = <T>(file: ReadFile | undefined, value: T | undefined) =>
    file === undefined || value === undefined ? undefined : { path: file.path, value };
  return {
    project: checked(project, checkFile(projectDocument, project, ['context', 'instance'])),
    contexts: checked(contexts, checkFile(contextsDocument, contexts, ['current', 'contexts'])),
    settings: checked(settings, checkSettings(settings)),
  };
};

export const settingNamed = (typed: string): SettingName => {
  const found = settingNames.find((name) => name === typed);
  if (found !== undefined) return found;
  const meant = nearest(typed, settingNames);
  throw usage(`no setting named "${typed}"`, meant ? `did you mean "${meant}"?` : 'actorctl settings list');
};

const onOff = ['true', 'false'];

const choices: Readonly<Partial<Record<SettingName, readonly string[]>>> = {
  output: formats,
  color: colors,
  credential_store: stores,
  'daemon.autostart': onOff,
  legacy: onOff,
};

/** Values that completion offers for a setting. */
export const settingChoices: readonly string[] = [
  ...new Set([...Object.values(choices).flat(), ...startRows.flatMap(([, row]) => row.choices ?? [])]),
];

export const settingValue = (name: SettingName, typed: string, duration: (text: string) => number): SettingValue => {
  if (typed.trim() === '') throw usage(`${name} cannot be empty`, `actorctl settings unset ${name}`);
  if (/\p{Cc}/u.test(typed)) throw usage(`${name} cannot contain control characters`);
  if (name === 'request_timeout') duration(typed);
  const valid = choices[name];
  const problem =
    valid?.includes(typed) === false ? `${name} must be one of ${valid.join(', ')}, not "${typed}"` : undefined;
  const row = startRowOf(name)?.[1];
  const refused = problem ?? (row && valueProblem(name, typed, row));
  if (refused !== undefined) throw usage(refused);
  const text = row?.form?.(typed) ?? typed;
  const value = valid === onOff ? typed === 'true' : name === 'daemon.port' && typed !== 'auto' ? Number(text) : text;
  return document.shape[name].parse(value) ?? value;
};

/**
 * Changes the settings file under its lock. Returns the previous settings. @throws CliFailure USAGE if the file is
 * invalid
 */
const changeSettings = (
  file: string,
  edit: (before: SettingsDocument) => SettingsDocument,
  signal: AbortSignal,
): Promise<SettingsDocument> =>
  withLock(
    `${file}.lock`,
    async () => {
      const found = await readJson(file);
      const before = checkSettings(found === undefined ? undefined : { path: file, value: found }) ?? {};
      const after = edit(before);
      if (after !== before) await writePrivate(file, `${JSON.stringify(after, null, 2)}\n`);
      return before;
    },
    { signal },
  );

/** Returns the value that the setting had in the file. @param value undefined removes the setting */
export const changeSetting = async (
  file: string,
  name: SettingName,
  value: SettingValue | undefined,
  signal: AbortSignal,
): Promise<SettingValue | undefined> => {
  const edit = (before: SettingsDocument): SettingsDocument => {
    if (before[name] === value) return before;
    const { [name]: _before, ...others } = before;
    return value === undefined ? others : { ...others, [name]: value };
  };
  return (await changeSettings(file, edit, signal))[name];
};

/** Replaces the context in the file if it is `from`; returns true if it was. @param to undefined removes the setting */
export const replaceContext = async (
  file: string,
  from: string,
  to: string | undefined,
  signal: AbortSignal,
): Promise<boolean> => {
  const edit = (before: SettingsDocument): SettingsDocument => {
    if (before.context !== from) return before;
    const { context: _from, ...others } = before;
    return to === undefined ? others : { ...others, context: to };
  };
  return (await changeSettings(file, edit, signal)).context === from;
};
