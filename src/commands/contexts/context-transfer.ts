// `context export` and `context import`: contexts as a document that goes to another machine, without their logins unless asked.
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
import { plural } from '../../ui/text.ts';
import { command } from '../kernel/command.ts';
import { flag, optional, required } from '../kernel/option.ts';

/** Largest document that is read, in bytes. */
const DOCUMENT_LIMIT = 1024 * 1024;

/** A name that can be given to a context. @throws CliFailure USAGE */
export const newName = (name: string): string => {
  if (isContextName(name)) return name;
  throw usage(`"${name}" cannot name a context`, 'use letters, digits, ".", "-" and "_", at most 64 of them');
};

/** The failure of a name that is in use: exit 7. */
export const taken = (name: string, hint = `actorctl context delete ${name}`): CliFailure =>
  new CliFailure('ALREADY_EXISTS', `there is a context "${name}" already`, {
    hint: name === LOCAL_CONTEXT ? 'that name is the daemon of this machine' : hint,
  });

/** `context export` */
export const exportContext = command({
  name: 'export',
  summary: 'Writes a context to a file of yours alone, or to stdout; its login only with --with-secrets.',
  args: { name: required('name of the context'), file: optional('file to make, - for stdout; NAME.context.json') },
  options: { withSecrets: flag('--with-secrets', 'the login too: whoever has the file is logged in as you') },
  examples: ['actorctl context export staging - | ssh host actorctl context import -'],
  run: async ({ paths, credentials, prompt, output, cwd }, { name, file }, { withSecrets }) => {
    const target = file ?? `${name}.context.json`;
    const entry = contextNamed(await readContexts(paths.contextsFile), name);
    if (name === LOCAL_CONTEXT) throw usage('local is the daemon of this machine, and means another one elsewhere');
    const plain: ContextsDocument = { contexts: { [name]: entry } };
    let document: PortableDocument = plain;
    if (withSecrets) {
      const account = accountOfContext(name, entry);
      const found = account === undefined ? undefined : await credentials.read(account);
      if (!found) {
        const hint = `actorctl login -c ${name}, or leave out --with-secrets`;
        throw new CliFailure('NOT_FOUND', `context "${name}" has no login of its own`, { hint });
      }
      const where = target === '-' ? 'stdout' : target;
      await prompt.confirm(`Write the login of ${name} to ${where}, where whoever reads it is logged in as you?`);
      document = { ...plain, logins: { [name]: found.record } };
    }
    const text = JSON.stringify(document, null, 2);
    if (target === '-') {
      output.result(text, document, text);
      return 0;
    }
    // The secrets were asked for in the file, not here.
    const shown = await createSecretFile(target, cwd, async () => ({ text: `${text}\n`, value: plain }));
    output.result(target, shown, target);
    return 0;
  },
});

/** @throws CliFailure USAGE when a name or an entry could not have been made by `context create` */
const checkEntries = ({ contexts, logins = {} }: PortableDocument): void => {
  const entries = Object.entries(contexts);
  if (entries.length === 0) throw usage('there is no context to import');
  for (const [name, entry] of entries) {
    newName(name);
    if (name === LOCAL_CONTEXT) throw usage('local is the daemon of this machine, and is not imported');
    if (entry.instance !== undefined && !isInstanceName(entry.instance)) {
      throw usage(`contexts.${name}.instance: "${entry.instance}" cannot name an instance`);
    }
    if (entry.base_url === undefined && entry.instance === undefined) {
      throw usage(`contexts.${name}: a context needs a base_url or an instance`);
    }
  }
  for (const name of Object.keys(logins)) {
    const entry = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
    if (entry?.base_url === undefined) throw usage(`logins.${name}: there is no context with an address that it is of`);
  }
};

/** What `before` becomes. @throws CliFailure ALREADY_EXISTS unless `force` */
const merged = (before: ContextsDocument, { contexts }: PortableDocument, force: boolean): ContextsDocument => {
  const known = Object.keys(contexts).find((name) => Object.hasOwn(before.contexts, name));
  if (known !== undefined && !force) throw taken(known, 'add --force to replace it');
  return { ...before, contexts: { ...before.contexts, ...contexts } };
};

/** The accounts whose context would get another address: their logins must not be sent there. */
const movedAccounts = ({ contexts: before }: ContextsDocument, { contexts }: PortableDocument): readonly string[] =>
  Object.entries(contexts).flatMap(([name, after]) => {
    const old = Object.hasOwn(before, name) ? before[name] : undefined;
    const stays = old?.base_url === after.base_url && old?.auth_url === after.auth_url;
    return stays ? [] : [`context/${name}`];
  });

/** `context import` */
export const importContexts = command({
  name: 'import',
  summary: 'Takes in what context export wrote; the current context stays the current one.',
  args: { file: required('file, - for stdin') },
  options: { force: flag('--force', 'replace contexts of the same name; a login for another address is forgotten') },
  examples: ['actorctl context import staging.context.json'],
  run: async ({ paths, credentials, output, read }, { file }, { force }) => {
    const source = file === '-' ? 'stdin' : file;
    const document = parsePortable((await read(file, DOCUMENT_LIMIT)).toString('utf8'), source);
    checkEntries(document);
    const before = await readContexts(paths.contextsFile);
    merged(before, document, force);
    const kept = await credentials.accounts();
    // Before the address changes, so that there is no instant at which the new one would be sent them.
    const moved = movedAccounts(before, document).filter((account) => kept.includes(account));
    for (const account of moved) await credentials.remove(account);
    await changeContexts(paths.contextsFile, (now) => merged(now, document, force));
    const names = Object.keys(document.contexts);
    const logins = Object.entries(document.logins ?? {});
    for (const [name, record] of logins) {
      const { downgraded } = await credentials.write(`context/${name}`, record);
      if (downgraded !== undefined) {
        const where = `${paths.credentialsFile}, readable by you alone`;
        output.warn(`the keychain is not used (${downgraded}); the login of ${name} is in ${where}`);
      }
    }
    const withLogins = logins.length === 0 ? '' : `, with ${plural(logins.length, 'login')}`;
    const value = { imported: names, logins: logins.map(([name]) => name), logins_forgotten: moved.length };
    output.result(`Imported ${names.join(', ')}${withLogins}`, value, names.join('\n'));
    return 0;
  },
});
