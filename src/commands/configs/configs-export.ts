// `configs export` and `configs rotate-key`: configs as a document, and the key under which secrets are stored.
import { usage } from '../../failure.ts';
import { createSecretFile } from '../../local/user-files.ts';
import { plural } from '../../ui/text.ts';
import { command } from '../kernel/command.ts';
import { type Argument, flag, text } from '../kernel/option.ts';
import { clearText, objectText, readConfig } from './config-value.ts';

const anyNames: Argument<readonly string[]> = {
  description: 'names of configs; all that you may read when left out',
  required: false,
  variadic: true,
  read: (given) => given,
};

/** `configs export` */
export const exportConfigs = command({
  name: 'export',
  summary: 'Writes configs as one JSON document; secrets go without their value unless asked for.',
  operations: ['configs.list', 'configs.show'],
  args: { names: anyNames },
  options: {
    to: text('--to <file>', 'file to make, readable by you alone; stdout when left out'),
    withSecrets: flag('--with-secrets', 'the values of secrets too, in clear; needs --to, and asks'),
  },
  examples: ['actorctl configs export db > db.json', 'actorctl configs export --with-secrets --to configs.json'],
  run: async (context, { names }, { to, withSecrets }) => {
    const { call, output, prompt, cwd } = context;
    const chosen = names.length > 0 ? [...new Set(names)] : (await call('configs.list')).map(({ name }) => name);
    const found = await Promise.all(chosen.map((name) => readConfig(context, name)));
    const secrets = found.filter(({ config }) => config.is_secret);
    if (withSecrets) {
      if (to === undefined) throw usage('--with-secrets needs a file of yours alone', 'give --to FILE');
      await prompt.confirm(`Write ${plural(secrets.length, 'secret')} in clear to ${to}?`);
    } else if (secrets.length > 0) {
      output.warn(
        `without their values, because they are secret: ${secrets.map(({ config }) => config.name).join(', ')}`,
      );
    }
    const entries = await Promise.all(
      found.map(async (each) => {
        const { name, actors, is_secret: secret } = each.config;
        const value = secret && !withSecrets ? undefined : await clearText(context, each);
        return objectText([
          ['name', JSON.stringify(name)],
          ...(value === undefined ? [] : ([['value', value]] as const)),
          ['actors', JSON.stringify(actors)],
          ['is_secret', String(secret)],
        ]);
      }),
    );
    // Letter by letter: a number beyond a double must come back as it was.
    const document = `{"configs":[${entries.map((entry) => `\n${entry}`).join(',')}\n]}\n`;
    if (to === undefined) {
      await output.bytes(Buffer.from(document));
      return 0;
    }
    await createSecretFile(to, cwd, async () => ({ text: document, value: undefined }));
    const what = { file: to, configs: chosen, secrets: withSecrets ? secrets.length : 0 };
    output.result(`Wrote ${plural(chosen.length, 'config')} to ${to}`, what, to);
    return 0;
  },
});

/** `configs rotate-key` */
export const rotateKey = command({
  name: 'rotate-key',
  summary: 'Makes a new key for the secret configs of the local daemon and stores them all under it.',
  examples: ['actorctl configs rotate-key'],
  run: async ({ local, output }) => {
    const done = await local.manage.rotateConfigKey();
    output.result(`Made a new key; ${plural(done.resealed, 'secret')} stored under it`, done);
    return 0;
  },
});
