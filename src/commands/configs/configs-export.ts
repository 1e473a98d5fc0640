// `configs export` and `configs rotate-key`: exports configs as JSON, and replaces the encryption key of secrets.

import { KeptJson } from '../../contract/exact-json.ts';
import { usage } from '../../failure.ts';
import { createSecretFile } from '../../local/user-files.ts';
import { plural } from '../../ui/text.ts';
import { command } from '../framework/command.ts';
import { dryRun, tellDryRun } from '../framework/dry-run.ts';
import { type Argument, flag, text } from '../framework/option.ts';
import { clearText, objectText, readConfig } from './config-value.ts';

const anyNames: Argument<readonly string[]> = {
  description: 'config names (default: all that you may read)',
  completes: 'config',
  required: false,
  variadic: true,
  read: (given) => given,
};

export const exportConfigs = command({
  name: 'export',
  summary: 'Export configs as a JSON document',
  details: 'Secrets are exported without their value, unless --with-secrets is given.',
  operations: ['configs.list', 'configs.show'],
  args: { names: anyNames },
  options: {
    to: text('--to <file>', 'file to create, readable only by you (default: stdout)', 'files'),
    withSecrets: flag('--with-secrets', 'include the values of secrets in plain text, requires --to'),
  },
  examples: ['actorctl configs export db > db.json', 'actorctl configs export --with-secrets --to configs.json'],
  run: async (context, { names }, { to, withSecrets }) => {
    const { call, output, prompt, cwd } = context;
    const chosen = names.length > 0 ? [...new Set(names)] : (await call('configs.list')).map(({ name }) => name);
    const found = await Promise.all(chosen.map((name) => readConfig(context, name)));
    const secrets = found.filter(({ config }) => config.is_secret);
    if (withSecrets) {
      if (to === undefined) throw usage('--with-secrets needs a file that only you can read', 'add --to FILE');
      await prompt.confirm(`Write ${plural(secrets.length, 'secret')} in plain text to ${to}?`);
    } else if (secrets.length > 0) {
      output.warn(
        `exported without values, because they are secret: ${secrets.map(({ config }) => config.name).join(', ')}`,
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
    // The values stay unchanged JSON text, so that large numbers are not rounded.
    const document = `{"configs":[${entries.map((entry) => `\n${entry}`).join(',')}\n]}\n`;
    if (to === undefined) {
      if (output.printsValue) output.report('', new KeptJson(document));
      else await output.bytes(Buffer.from(document));
      return 0;
    }
    await createSecretFile(to, cwd, async () => ({ text: document, value: undefined }));
    const what = { file: to, configs: chosen, secrets: withSecrets ? secrets.length : 0 };
    output.result(`Wrote ${plural(chosen.length, 'config')} to ${to}`, what, to);
    return 0;
  },
});

export const rotateKey = command({
  name: 'rotate-key',
  summary: 'Encrypt all secret configs with a new key',
  operations: ['secrets.rotate'],
  details: 'Works on the local daemon only.',
  options: { dryRun },
  examples: ['actorctl configs rotate-key'],
  run: async ({ manage, output }, _args, { dryRun }) => {
    if (dryRun) {
      // The dry run calls the daemon, so that it fails like the real run if the daemon is not running.
      await manage('daemon.status');
      return tellDryRun({ output }, ['create a new key and encrypt all secrets with it'], {});
    }
    const done = await manage('secrets.rotate');
    output.result(`Created a new key and encrypted ${plural(done.resealed, 'secret')} with it`, done);
    return 0;
  },
});
