// `configs set`, `share` and `unshare`: change a part of a config, without overwriting concurrent changes.
import type { CommandContext } from '../../context.ts';
import { jsonMembers } from '../../contract/json-scanner.ts';
import { CliFailure, usage } from '../../failure.ts';
import { command } from '../kernel/command.ts';
import { choice, required, several } from '../kernel/option.ts';
import { readPairs } from '../kernel/pairs.ts';
import { sharedNames } from './config-actors.ts';
import { bodyOf, clearText, jsonTextOf, objectText, type ReadConfig, readConfig, withValue } from './config-value.ts';
import { actorsOf, type Config } from './configs-view.ts';

/** Updates a part of a config, if nobody has changed it since it was read. @throws CliFailure STALE_VERSION */
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
  summary: 'Set members of a config with an object value',
  operations: ['configs.update', 'configs.show'],
  args: { name: required('config name'), pairs: several('NAME=VALUE of a member; VALUE is JSON, or else text') },
  options: { type: choice('--type <type>', 'type of the values: json or text', ['json', 'text'] as const) },
  examples: ['actorctl configs set db host=db.local port=5433'],
  run: async (context, { name, pairs }, { type }) => {
    const asked = Object.entries(readPairs(pairs, 'value')).map(
      ([key, value]) => [key, jsonTextOf(value, type)] as const,
    );
    const found = await readConfig(context, name);
    const { is_secret: secret } = found.config;
    const before = jsonMembers(await clearText(context, found));
    if (before === undefined) {
      throw usage(
        `cannot set members of '${name}': its value is not an object`,
        `actorctl configs update ${name} --help`,
      );
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

/**
 * Adds actors (ids or aliases) to the list of a config. Actors already in the list are skipped. @throws CliFailure
 * STALE_VERSION, FORBIDDEN
 */
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
  summary: 'Share a config with actors',
  operations: ['configs.update', 'configs.show'],
  args: { name: required('config name'), actors: several('actors') },
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
  summary: 'Stop sharing a config with actors',
  operations: ['configs.update', 'configs.show'],
  args: { name: required('config name'), actors: several('actors, or entries of the actor list of the config') },
  examples: ['actorctl configs unshare db report'],
  run: async (context, { name, actors }) => {
    const found = await readConfig(context, name);
    const present = actorsOf(found.config);
    // An entry of the list is removed as typed, because the caller may not be allowed to read its actor.
    const others = actors.filter((actor) => !present.includes(actor));
    const removed = [...actors.filter((actor) => present.includes(actor)), ...(await sharedNames(context, others))];
    const absent = removed.filter((actor) => !present.includes(actor));
    if (absent.length > 0) {
      throw new CliFailure('NOT_FOUND', `config '${name}' is not shared with ${absent.join(', ')}`, {
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
