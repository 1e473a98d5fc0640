// `settings`: list, get, set and unset for the settings of this program.
import type { CommandContext } from '../../context.ts';
import { contextNamed, readContexts } from '../../local/contexts.ts';
import { type KeptKey, startRowOf } from '../../local/daemon/start-options.ts';
import type { Origin, Source } from '../../local/settings/setting-origins.ts';
import {
  changeSetting,
  type SettingName,
  settingChoices,
  settingNamed,
  settingNames,
  settingValue,
} from '../../local/settings/settings-file.ts';
import { parseDuration } from '../../ui/format/time.ts';
import type { View } from '../../ui/format/view.ts';
import { command, type LeafEntry } from '../framework/command.ts';
import { required } from '../framework/option.ts';

interface Row {
  readonly key: SettingName;
  /** Null if there is no value, or if the daemon determines it. */
  readonly value: string | number | boolean | null;
  readonly source: Source;
  /** Name of the flag or variable, or path of the file. */
  readonly from: string | null;
}

const view: View<Row> = {
  id: ({ key }) => key,
  fields: ['key', 'value', 'source', 'from'],
  columns: [
    { header: 'KEY', value: ({ key }) => key, role: 'name' },
    { header: 'VALUE', value: ({ key, value }) => value ?? startRowOf(key)?.[1].none ?? null },
    { header: 'SOURCE', value: ({ source }) => source },
    { header: 'FROM', value: ({ from }) => from },
  ],
};

const rowsOf = async ({ settings, local, paths }: CommandContext): Promise<readonly Row[]> => {
  const last = await (await local()).lastLaunch();
  /** The value that the next start of the daemon uses if the setting is not set. */
  const unset = (key: SettingName): Origin<Row['value']> => {
    const [name, row] = startRowOf(key) ?? [];
    const value = row?.kept === 'start' && last !== undefined ? last[name as KeptKey] : undefined;
    return value === undefined
      ? { value: row?.fallback ?? null, source: 'default' }
      : { value, source: 'start', from: paths.launchFile };
  };
  return settingNames.map((key) => {
    const origin: Origin<Row['value']> = settings.origins[key];
    const { value, source, from } = origin.value === null ? unset(key) : origin;
    return { key, value, source, from: from ?? null };
  });
};

const rowOf = async (context: CommandContext, key: SettingName): Promise<Row> => {
  const found = (await rowsOf(context)).find((row) => row.key === key);
  return found ?? { key, value: null, source: 'default', from: null };
};

const list = command({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the settings and where each value comes from',
  details: 'A flag overrides a variable, and a variable overrides the settings file.',
  list: true,
  run: async (context) => {
    context.output.rows(await rowsOf(context), view);
    return 0;
  },
});

const keyArgument = required('name of the setting', settingNames);

const get = command({
  name: 'get',
  aliases: ['show'],
  summary: 'Print the value of a setting',
  args: { key: keyArgument },
  examples: ['actorctl settings get daemon.port', 'actorctl settings get output --json'],
  run: async (context, { key }) => {
    const row = await rowOf(context, settingNamed(key));
    const text = row.value === null ? '' : String(row.value);
    context.output.report(text, row, text);
    context.output.verbose(`${row.key} comes from ${row.from ?? row.source}`);
    return 0;
  },
});

/** Prints why another value overrides the value in the file, or when the value takes effect. */
const noteEffect = async ({ output, settings, paths, local }: CommandContext, key: SettingName): Promise<void> => {
  const { source, from } = settings.origins[key];
  // A flag applies to this command only, and the setting docker.host takes precedence over its variable.
  if (from !== undefined && source !== 'file' && source !== 'flag' && key !== 'docker.host') {
    output.note(`${from} overrides it now`);
  }
  if (startRowOf(key) === undefined) return;
  if ((await (await local()).locate()).state === 'running') {
    output.note(`the running daemon (instance ${paths.instance}) uses it after: actorctl down, actorctl up`);
  }
};

const set = command({
  name: 'set',
  summary: 'Set a setting in the settings file',
  args: {
    key: keyArgument,
    value: required('new value', settingChoices),
  },
  examples: ['actorctl settings set daemon.port 9000', 'actorctl settings set output json'],
  run: async (context, { key, value: typed }) => {
    const { paths, output, signal } = context;
    const name = settingNamed(key);
    const value = settingValue(name, typed, parseDuration);
    if (name === 'context') contextNamed(await readContexts(paths.contextsFile), typed);
    const before = await changeSetting(paths.settingsFile, name, value, signal);
    const said = before === value ? `${name} was ${value} already` : `${name}: ${before ?? 'not set'} -> ${value}`;
    output.result(said, { key: name, value, before: before ?? null, file: paths.settingsFile }, name);
    await noteEffect(context, name);
    return 0;
  },
});

const unset = command({
  name: 'unset',
  aliases: ['rm'],
  summary: 'Remove a setting from the settings file',
  args: { key: keyArgument },
  examples: ['actorctl settings unset daemon.port'],
  run: async (context, { key }) => {
    const { paths, output, signal } = context;
    const name = settingNamed(key);
    const before = await changeSetting(paths.settingsFile, name, undefined, signal);
    const said = before === undefined ? `${name} was not set` : `${name}: ${before} -> not set`;
    output.result(said, { key: name, value: null, before: before ?? null, file: paths.settingsFile }, name);
    if (before !== undefined) await noteEffect(context, name);
    return 0;
  },
});

export const settingsCommand: readonly LeafEntry[] = [list, get, set, unset];
