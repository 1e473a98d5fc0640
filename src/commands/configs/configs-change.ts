// `configs set`, `share` and `unshare`: a part of a config is changed, and nothing is overwritten that somebody else changed meanwhile.
import type { CommandContext } from '../../context.ts';
import { jsonMembers } from '../../contract/json-members.ts';
import { CliFailure, usage } from '../../failure.ts';
import { command } from '../kernel/command.ts';
import { choice, required, several } from '../kernel/option.ts';
import { readPairs } from '../kernel/pairs.ts';
import { sharedNames } from './config-actors.ts';
import { bodyOf, clearText, jsonTextOf, objectText, type ReadConfig, readConfig, withValue } from './config-value.ts';
import { actorsOf, type Config } from './configs-view.ts';

/** Puts a config back with a part of it changed, if it is still the one that was read. @throws CliFailure STALE_VERSION */
const putBack = async (
  { call }: Pick<CommandContext, 'call'>,
  { config, valueText }: ReadConfig,
  change: { readonly valueText?: string; readonly actors?: string },
): Promise<Config> => {
  const { name, actors, is_secret: secret } = config;
  const { bytes, headers } = bodyOf({ name, valueText, actors, secret, ...change });
  const updated = await call('configs.update', {
    params: { configName: name },
    bytes,
    headers: { ...headers, 'if-match': `"${config.revision}"` },
  });
  return withValue(updated, change.valueText ?? valueText);
};

/** `configs set` */
export const setConfig = command({
  name: 'set',
  summary: 'Changes members of a config whose value is an object, and keeps the others.',
  operations: ['configs.update', 'configs.show'],
  args: { name: required('name of the config'), pairs: several('name=value of a member; JSON, or else a text') },
  options: { type: choice('--type <type>', 'take the values as json or as text', ['json', 'text'] as const) },
  examples: ['actorctl configs set db host=db.local port=5433'],
  run: async (context, { name, pairs }, { type }) => {
    const asked = Object.entries(readPairs(pairs, 'value')).map(
      ([key, value]) => [key, jsonTextOf(value, type)] as const,
    );
    const found = await readConfig(context, name);
    const { is_secret: secret } = found.config;
    const before = jsonMembers(await clearText(context, found));
    if (before === undefined) {
      throw usage(`the value of ${name} is no object, so it has no members`, `actorctl configs update ${name} --help`);
    }
    const now = new Map<string, string>([...before, ...asked]);
    const was = new Map<string, string>(before);
    const changed = asked.filter(([key, text]) => was.get(key) !== text).map(([key]) => key);
    if (changed.length === 0) {
      context.output.result(`${name}: nothing changed`, { ...found.config, changed }, name);
      return 0;
    }
    const updated = await putBack(context, found, { valueText: objectText(now) });
    const shown = (text: string | undefined): string => (text === undefined ? 'unset' : secret ? '***' : text);
    const lines = changed.map((key) => `${name}.${key}: ${shown(was.get(key))} -> ${shown(now.get(key))}`);
    context.output.result(lines.join('\n'), { ...updated, changed }, name);
    return 0;
  },
});

/** Adds actors (ids or aliases) to the list of a config; those that are in it already stay. @throws CliFailure STALE_VERSION, FORBIDDEN */
export const shareWith = async (
  context: Pick<CommandContext, 'call' | 'request' | 'output'>,
  name: string,
  actors: readonly string[],
): Promise<{ readonly config: Config; readonly added: readonly string[] }> => {
  const found = await readConfig(context, name);
  const present = actorsOf(found.config);
  const added = actors.filter((actor) => !present.includes(actor));
  if (added.length === 0) return { config: found.config, added };
  return { config: await putBack(context, found, { actors: [...present, ...added].join(',') }), added };
};

/** `configs share` */
export const shareConfig = command({
  name: 'share',
  summary: 'Shares a config with more actors.',
  operations: ['configs.update', 'configs.show'],
  args: { name: required('name of the config'), actors: several('actors') },
  examples: ['actorctl configs share db report'],
  run: async (context, { name, actors }) => {
    const { config, added } = await shareWith(context, name, await sharedNames(context, actors));
    const said = added.length === 0 ? 'nothing changed' : added.map((actor) => `+${actor}`).join(' ');
    context.output.result(`${name}: ${said}`, { ...config, added }, name);
    return 0;
  },
});

/** `configs unshare` */
export const unshareConfig = command({
  name: 'unshare',
  summary: 'Takes a config from actors.',
  operations: ['configs.update', 'configs.show'],
  args: { name: required('name of the config'), actors: several('actors, or entries of its list') },
  examples: ['actorctl configs unshare db report'],
  run: async (context, { name, actors }) => {
    const found = await readConfig(context, name);
    const present = actorsOf(found.config);
    // An entry is taken as it stands: the actor behind it may be one that the caller cannot read.
    const others = actors.filter((actor) => !present.includes(actor));
    const removed = [...actors.filter((actor) => present.includes(actor)), ...(await sharedNames(context, others))];
    const absent = removed.filter((actor) => !present.includes(actor));
    if (absent.length > 0) {
      throw new CliFailure('NOT_FOUND', `${name} is not shared with ${absent.join(', ')}`, {
        hint: `actorctl configs show ${name}`,
        details: { config: name, actors: absent },
      });
    }
    const left = present.filter((actor) => !removed.includes(actor));
    const config = await putBack(context, found, { actors: left.join(',') });
    context.output.result(`${name}: ${removed.map((actor) => `-${actor}`).join(' ')}`, { ...config, removed }, name);
    return 0;
  },
});
