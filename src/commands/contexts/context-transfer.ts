// `context export` and `context import`: transfer contexts to another machine, without logins by default.

import { CliFailure, usage } from '../../failure.ts';
import {
  accountOfContext,
  type ContextsDocument,
  changeContexts,
  contextNamed,
  isContextName,
  LOCAL_CONTEXT,
  type PortableDocument,
  parsePortable,
  readContexts,
} from '../../local/contexts.ts';
import { isInstanceName } from '../../local/paths.ts';
import { createSecretFile } from '../../local/user-files.ts';
import { sourceName } from '../../local/written-json.ts';
import { OwnNames } from '../../ui/format/names.ts';
import { plural } from '../../ui/text.ts';
import { command } from '../framework/command.ts';
import { dryRun, tellDryRun } from '../framework/dry-run.ts';
import { flag, optional, required } from '../framework/option.ts';

/** Largest document, in bytes. */
const DOCUMENT_LIMIT = 1024 * 1024;

export const newName = (name: string): string => {
  if (isContextName(name)) return name;
  throw usage(`"${name}" is not a valid context name`, 'use at most 64 letters, digits, ".", "-" and "_"');
};

export const taken = (name: string, hint = `actorctl context delete ${name}`): CliFailure =>
  new CliFailure('ALREADY_EXISTS', `a context "${name}" already exists`, {
    hint: name === LOCAL_CONTEXT ? 'use another name: "local" always means the daemon of this machine' : hint,
  });

export const exportContext = command({
  name: 'export',
  summary: 'Export a context to a file',
  details: 'The file is readable only by you. It contains the login only with --with-secrets.',
  args: {
    name: required('context name', 'context'),
    file: optional('file to create, - for stdout (default: NAME.context.json)', 'files'),
  },
  options: { withSecrets: flag('--with-secrets', 'include the login: everyone with the file can act as you') },
  examples: ['actorctl context export staging - | ssh host actorctl context import -'],
  run: async ({ paths, credentials, prompt, output, cwd, origin: address }, { name, file }, { withSecrets }) => {
    const target = file ?? `${name}.context.json`;
    const entry = contextNamed(await readContexts(paths.contextsFile), name);
    if (name === LOCAL_CONTEXT) {
      const origin = await address().catch(() => 'URL');
      throw usage(
        'cannot export "local": it means the daemon of each machine',
        `another user of this daemon types: actorctl context create dev --base-url ${origin}`,
      );
    }
    const plain: ContextsDocument = { contexts: { [name]: entry } };
    let document: PortableDocument = plain;
    if (withSecrets) {
      const account = accountOfContext(name, entry);
      const found = account === undefined ? undefined : await credentials.read(account);
      if (!found) {
        const hint = `actorctl login -c ${name}, or remove --with-secrets`;
        throw new CliFailure('NOT_FOUND', `context "${name}" has no login`, { hint });
      }
      const where = target === '-' ? 'stdout' : target;
      await prompt.confirm(`Write the login of ${name} to ${where}? Everyone who can read it can act as you.`);
      document = { ...plain, logins: { [name]: found.record } };
    }
    // The document is printed with unchanged names, because context names and login fields must not become snake_case.
    const text = JSON.stringify(document, null, 2);
    if (target === '-') {
      output.report(text, new OwnNames(document), text);
      return 0;
    }
    // The result omits the secrets, because the user requested them in the file only.
    const shown = await createSecretFile(target, cwd, async () => ({ text: `${text}\n`, value: new OwnNames(plain) }));
    output.result(target, shown, target);
    return 0;
  },
});

/** Checks that `context create` would accept the names and entries. */
const checkEntries = ({ contexts, logins = {} }: PortableDocument): void => {
  const entries = Object.entries(contexts);
  if (entries.length === 0) throw usage('the document contains no context');
  for (const [name, entry] of entries) {
    newName(name);
    if (name === LOCAL_CONTEXT) throw usage('cannot import "local": it means the daemon of each machine');
    if (entry.instance !== undefined && !isInstanceName(entry.instance)) {
      throw usage(`contexts.${name}.instance: "${entry.instance}" is not a valid instance name`);
    }
    if (entry.base_url === undefined && entry.instance === undefined) {
      throw usage(`contexts.${name}: a context needs a base_url or an instance`);
    }
  }
  for (const name of Object.keys(logins)) {
    const entry = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
    if (entry?.base_url === undefined)
      throw usage(`logins.${name}: the document has no context with that name and a base_url`);
  }
};

/** Merges the imported contexts into the existing ones. @throws CliFailure ALREADY_EXISTS unless `force` */
const merged = (before: ContextsDocument, { contexts }: PortableDocument, force: boolean): ContextsDocument => {
  const known = Object.keys(contexts).find((name) => Object.hasOwn(before.contexts, name));
  if (known !== undefined && !force) throw taken(known, 'add --force to replace it');
  return { ...before, contexts: { ...before.contexts, ...contexts } };
};

/** Accounts of contexts whose address changes. Their logins must not be sent to the new address. */
const movedAccounts = ({ contexts: before }: ContextsDocument, { contexts }: PortableDocument): readonly string[] =>
  Object.entries(contexts).flatMap(([name, after]) => {
    const old = Object.hasOwn(before, name) ? before[name] : undefined;
    const stays = old?.base_url === after.base_url && old?.auth_url === after.auth_url;
    return stays ? [] : [`context/${name}`];
  });

export const importContexts = command({
  name: 'import',
  summary: 'Import contexts from a file',
  details: 'The current context does not change.',
  args: { file: required('file, - for stdin', 'files') },
  options: {
    force: flag('--force', 'replace contexts of the same name; a login for another address is deleted'),
    dryRun,
  },
  examples: ['actorctl context import staging.context.json'],
  run: async ({ paths, credentials, output, read, signal }, { file }, { force, dryRun }) => {
    const document = parsePortable((await read(file, DOCUMENT_LIMIT)).toString('utf8'), sourceName(file));
    checkEntries(document);
    const before = await readContexts(paths.contextsFile);
    merged(before, document, force);
    const kept = await credentials.accounts();
    // Logins are removed before the address changes, so that they are never sent to the new address.
    const moved = movedAccounts(before, document).filter((account) => kept.includes(account));
    const names = Object.keys(document.contexts);
    const logins = Object.entries(document.logins ?? {});
    const value = { imported: names, logins: logins.map(([name]) => name), logins_forgotten: moved.length };
    if (dryRun) {
      const lines = [
        ...moved.map((account) => `delete the login of ${account.replace('context/', '')}`),
        ...names.map((name) => `import ${name}${value.logins.includes(name) ? ' with its login' : ''}`),
      ];
      return tellDryRun({ output }, lines, value, names.join('\n'));
    }
    for (const account of moved) await credentials.remove(account);
    await changeContexts(paths.contextsFile, (now) => merged(now, document, force), signal);
    for (const [name, record] of logins) {
      await credentials.write(`context/${name}`, record);
    }
    const withLogins = logins.length === 0 ? '' : `, with ${plural(logins.length, 'login')}`;
    output.result(`Imported ${names.join(', ')}${withLogins}`, value, names.join('\n'));
    return 0;
  },
});
