// `configs`: create, list, show, update and delete; the other verbs have their own files.

import { KeptJson } from '../../contract/exact-json.ts';
import { inOrder, usage } from '../../failure.ts';
import { plural } from '../../ui/text.ts';
import { actorNames } from '../framework/actor-names.ts';
import { command, type LeafEntry } from '../framework/command.ts';
import { configNames, orDidYouMean } from '../framework/did-you-mean.ts';
import { dryRun, tellDryRun } from '../framework/dry-run.ts';
import { flag, required, several, texts } from '../framework/option.ts';
import { sharedNames } from './config-actors.ts';
import { bodyOf, clearText, readConfig, readConfigs, readValue, valueOptions, withValue } from './config-value.ts';
import { setConfig, shareConfig, unshareConfig, updateConfig } from './configs-change.ts';
import { exportConfigs, rotateKey } from './configs-export.ts';
import { actorsOf, configView, formatSharing, nameActors } from './configs-view.ts';

const create = command({
  name: 'create',
  summary: 'Create a config and share it with actors',
  operations: ['configs.create'],
  args: { name: required('config name') },
  options: { ...valueOptions, share: texts('--share <actor>', 'share it with this actor, repeatable', 'actor') },
  examples: [
    'actorctl configs create db --set host=db.local --set port=5432 --share wordcount',
    'actorctl configs create db-password --secret -f - --share wordcount < password.txt',
  ],
  run: async (context, { name }, { share, ...how }) => {
    const { call, output } = context;
    const valueText = await readValue(context, how);
    if (valueText === undefined) throw usage('the value is missing', 'give --value TEXT, -f FILE or --set NAME=VALUE');
    const actors = (await sharedNames(context, share)).join(',');
    const made = withValue(
      await call('configs.create', bodyOf({ name, valueText, actors, secret: how.secret })),
      valueText,
    );
    const kind = made.is_secret ? ' (secret)' : '';
    output.result(`Created config ${made.name}${kind}, ${formatSharing(made)}`, made, made.name);
    return 0;
  },
});

const list = command({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the configs that you may read',
  operations: ['configs.list'],
  list: true,
  run: async (context) => {
    const configs = await readConfigs(context);
    const names = configs.length === 0 ? new Map<string, string>() : await actorNames(context);
    context.output.rows(
      configs.map((config) => nameActors(config, names)),
      configView,
    );
    return 0;
  },
});

const show = command({
  name: 'show',
  aliases: ['get'],
  summary: 'Show a config',
  details: 'The value of a secret is shown only with --reveal.',
  operations: ['configs.show', 'secrets.show'],
  args: { name: required('config name', 'config') },
  options: { reveal: flag('--reveal', 'show a secret value, only on the machine of its daemon') },
  examples: ['actorctl configs show db', 'actorctl configs show db-password --reveal --yes --jq .value -r'],
  run: async (context, { name }, { reveal }) => {
    const { output, prompt } = context;
    const found = await readConfig(context, name);
    const hidden = found.config.is_secret && !reveal;
    if (found.config.is_secret && reveal) await prompt.confirm(`Show the secret ${name} in plain text?`);
    const text = reveal ? await clearText(context, found) : found.valueText;
    const names = await actorNames(context);
    const shown = nameActors({ ...found.config, value: new KeptJson(text) }, names);
    // The envelope of the service contains the encrypted text, which is replaced by the decrypted value.
    if (reveal) output.redact(shown);
    output.item(shown, {
      ...configView,
      columns: [...configView.columns, { header: 'VALUE', value: () => (hidden ? '***' : text), whole: true }],
    });
    return 0;
  },
});

const remove = command({
  name: 'delete',
  aliases: ['rm'],
  summary: 'Delete configs',
  details: 'Executions that start afterwards run without these configs.',
  operations: ['configs.delete'],
  args: { names: several('config names', 'config') },
  options: { dryRun },
  examples: ['actorctl configs delete db --yes'],
  run: async (context, { names: given }, { dryRun }) => {
    const { call, output, prompt } = context;
    const names = [...new Set(given)];
    const found = await Promise.all(
      names.map((configName) =>
        orDidYouMean(call('configs.show', { params: { configName } }), configName, () => configNames(context)),
      ),
    );
    const losing = [...new Set(found.flatMap(actorsOf))];
    const value = { deleted: names, actors: losing };
    if (dryRun) {
      const lines = found.map((each) => {
        const shared = actorsOf(each).length === 0 ? '' : `, ${formatSharing(each)}`;
        return `delete config ${each.name}${shared}`;
      });
      return tellDryRun(context, lines, value, names.join('\n'));
    }
    const effect = losing.length === 0 ? '' : ` ${losing.join(', ')} will lose it.`;
    await prompt.confirm(`Delete ${plural(names.length, 'config')}: ${names.join(', ')}?${effect}`);
    await inOrder(
      names,
      async (configName) => {
        await call('configs.delete', { params: { configName } });
        return configName;
      },
      (deleted) => [`deleted ${plural(deleted.length, 'config')}: ${deleted.join(', ')}`, { deleted }],
    );
    output.result(names.map((name) => `Deleted config ${name}`).join('\n'), value, names.join('\n'));
    return 0;
  },
});

export const configsCommand: readonly LeafEntry[] = [
  create,
  list,
  show,
  updateConfig,
  setConfig,
  shareConfig,
  unshareConfig,
  remove,
  exportConfigs,
  rotateKey,
];
