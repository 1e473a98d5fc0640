// `configs update`, `set`, `share` and `unshare`: change a part of a config, without overwriting concurrent changes.
import type { CommandContext } from '../../context.ts';
import { jsonMembers } from '../../contract/json-scanner.ts';
import { CliFailure, usage } from '../../failure.ts';
import { command } from '../framework/command.ts';
import { dryRun, tellDryRun } from '../framework/dry-run.ts';
import { choice, flag, integer, required, several, texts } from '../framework/option.ts';
import { readPairs } from '../framework/pairs.ts';
import { entriesOf, sharedNames } from './config-actors.ts';
import { putBack, shareWith, unshareFrom } from './config-sharing.ts';
import {
  clearText,
  jsonTextOf,
  objectText,
  type ReadConfig,
  readConfig,
  readValue,
  type ValueType,
  valueOptions,
  warnOfCommandLine,
} from './config-value.ts';
import { actorsOf, formatSharing } from './configs-view.ts';

interface ChangedMembers {
  readonly before: ReadonlyMap<string, string>;
  readonly after: ReadonlyMap<string, string>;
  readonly changed: readonly string[];
}

/** Applies NAME=VALUE pairs to an object value. The other members stay. */
const changeMembers = async (
  context: Pick<CommandContext, 'manage'>,
  found: ReadConfig,
  pairs: Readonly<Record<string, string>>,
  type: ValueType,
): Promise<ChangedMembers> => {
  const { name } = found.config;
  const members = jsonMembers(await clearText(context, found));
  if (members === undefined) {
    throw usage(
      `cannot set members of "${name}": its value is not an object`,
      `actorctl configs update ${name} --value '{}'`,
    );
  }
  const before = new Map<string, string>(members);
  const asked = Object.entries(pairs).map(([key, value]) => [key, jsonTextOf(value, type)] as const);
  const changed = asked.filter(([key, text]) => before.get(key) !== text).map(([key]) => key);
  return { before, after: new Map<string, string>([...before, ...asked]), changed };
};

export const updateConfig = command({
  name: 'update',
  summary: 'Change parts of a config and keep the rest',
  details: 'The config stays shared with its actors. To stop sharing it with an actor: actorctl configs unshare.',
  operations: ['configs.update', 'configs.show'],
  args: { name: required('config name', 'config') },
  options: {
    ...valueOptions,
    set: texts('--set <name=value>', 'change this member of an object value and keep the others, repeatable'),
    keepSecret: flag('--no-secret', 'store the value of a secret in plain text'),
    share: texts('--share <actor>', 'share it with this actor too, repeatable', 'actor'),
    ifRevision: integer('--if-revision <n>', 'update only if this is the current revision', { min: 1 }),
  },
  examples: [
    'actorctl configs update db -f db.json',
    'actorctl configs update db --set port=5433 --share report',
    'actorctl configs update db --secret',
  ],
  run: async (context, { name }, { share, ifRevision, secret, keepSecret, ...how }) => {
    const found = await readConfig(context, name);
    const { config } = found;
    const isSecret = secret || (keepSecret && config.is_secret);
    const given = await readValue(context, { ...how, secret: isSecret });
    if (given === undefined && share.length === 0 && !secret && keepSecret) {
      throw usage('there is nothing to update', `actorctl configs update ${name} --help`);
    }
    const valueText =
      how.set.length > 0
        ? objectText((await changeMembers(context, found, readPairs(how.set, '--set'), how.type)).after)
        : given;
    if (config.is_secret && !isSecret) {
      await context.prompt.confirm(`${name} is a secret. Let everyone with read permission see its value?`);
    }
    const present = actorsOf(config);
    const added = (await sharedNames(context, share)).filter((actor) => !present.includes(actor));
    const changed = [
      ...(valueText === undefined ? [] : ['value']),
      ...(config.is_secret === isSecret ? [] : ['is_secret']),
      ...(added.length === 0 ? [] : ['actors']),
    ];
    const updated =
      changed.length === 0 && ifRevision === undefined
        ? config
        : await putBack(
            context,
            found,
            {
              secret: isSecret,
              // If the config stays a secret, its encrypted text is sent back, and the service keeps its value.
              valueText: valueText ?? (isSecret ? found.valueText : await clearText(context, found)),
              actors: [...present, ...added].join(','),
            },
            ifRevision,
          );
    const kind = updated.is_secret ? ' (secret)' : '';
    const what = changed.join(', ') || 'nothing changed';
    context.output.result(
      `Updated config ${name}${kind}: ${what}; ${formatSharing(updated)}`,
      { ...updated, changed },
      name,
    );
    return 0;
  },
});

export const setConfig = command({
  name: 'set',
  summary: 'Set members of a config with an object value',
  operations: ['configs.update', 'configs.show'],
  args: {
    name: required('config name', 'config'),
    pairs: several('NAME=VALUE of a member; VALUE is JSON, or else text'),
  },
  options: { type: choice('--type <type>', 'type of the values: json or text', ['json', 'text'] as const), dryRun },
  examples: ['actorctl configs set db host=db.local port=5433'],
  run: async (context, { name, pairs }, { type, dryRun }) => {
    const asked = readPairs(pairs, 'value');
    const found = await readConfig(context, name);
    const { is_secret: secret } = found.config;
    if (secret) warnOfCommandLine(context, `actorctl configs update ${name} -f -`);
    const { before: was, after: now, changed } = await changeMembers(context, found, asked, type);
    if (changed.length === 0 && !dryRun) {
      context.output.result(`${name}: nothing changed`, { ...found.config, changed }, name);
      return 0;
    }
    const shown = (text: string | undefined): string => (text === undefined ? 'unset' : secret ? '***' : text);
    const lines = changed.map((key) => `${name}.${key}: ${shown(was.get(key))} -> ${shown(now.get(key))}`);
    if (dryRun) return tellDryRun(context, lines.map(inWords), { name, changed }, name);
    const updated = await putBack(context, found, { valueText: objectText(now) });
    context.output.result(lines.join('\n'), { ...updated, changed }, name);
    return 0;
  },
});

const inWords = (change: string): string => `change ${change}`;

export const shareConfig = command({
  name: 'share',
  summary: 'Share a config with actors',
  operations: ['configs.update', 'configs.show'],
  args: { name: required('config name', 'config'), actors: several('actors', 'actor') },
  options: { dryRun },
  examples: ['actorctl configs share db report'],
  run: async (context, { name, actors }, { dryRun }) => {
    const asked = await sharedNames(context, actors);
    if (dryRun) {
      const present = actorsOf((await readConfig(context, name)).config);
      const adding = asked.filter((actor) => !present.includes(actor));
      return tellDryRun(
        context,
        adding.map((actor) => inWords(`${name}: +${actor}`)),
        { name, added: adding },
        name,
      );
    }
    const { config, added } = await shareWith(context, name, asked);
    const said = added.length === 0 ? 'nothing changed' : added.map((actor) => `+${actor}`).join(' ');
    context.output.result(`${name}: ${said}`, { ...config, added }, name);
    return 0;
  },
});

export const unshareConfig = command({
  name: 'unshare',
  summary: 'Stop sharing a config with actors',
  operations: ['configs.update', 'configs.show'],
  args: {
    name: required('config name', 'config'),
    actors: several('actors, or entries of the actor list of the config', 'actor'),
  },
  options: { dryRun },
  examples: ['actorctl configs unshare db report'],
  run: async (context, { name, actors }, { dryRun }) => {
    const found = await readConfig(context, name);
    const present = actorsOf(found.config);
    // An entry of the list is removed as typed, because the caller may not be allowed to read its actor.
    const others = actors.filter((actor) => !present.includes(actor));
    const removed = [
      ...actors.filter((actor) => present.includes(actor)),
      ...(await entriesOf(context, others, present)),
    ];
    const absent = removed.filter((actor) => !present.includes(actor));
    if (absent.length > 0) {
      throw new CliFailure('NOT_FOUND', `config "${name}" is not shared with ${absent.join(', ')}`, {
        hint: `actorctl configs show ${name}`,
        details: { config: name, actors: absent },
      });
    }
    if (dryRun)
      return tellDryRun(
        context,
        removed.map((actor) => inWords(`${name}: -${actor}`)),
        { name, removed },
        name,
      );
    const config = await unshareFrom(context, found, removed);
    context.output.result(`${name}: ${removed.map((actor) => `-${actor}`).join(' ')}`, { ...config, removed }, name);
    return 0;
  },
});
