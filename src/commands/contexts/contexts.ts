// `context`: create, list, show, use, rename and delete named services.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { CommandContext } from '../../context.ts';
import { fileFailure, systemCode, usage } from '../../failure.ts';
import {
  accountOfContext,
  changeContexts,
  contextNamed,
  LOCAL_CONTEXT,
  type NamedContext,
  readContexts,
} from '../../local/contexts.ts';
import { isOrigin } from '../../local/origin.ts';
import { isInstanceName } from '../../local/paths.ts';
import { replaceTarget } from '../../local/user-files.ts';
import type { View } from '../../ui/format/view.ts';
import { command, type LeafEntry } from '../framework/command.ts';
import { dryRun, tellDryRun } from '../framework/dry-run.ts';
import { flag, optional, parsed, required, text } from '../framework/option.ts';
import { noteOverride, replaceName } from './context-effects.ts';
import { exportContext, importContexts, newName, taken } from './context-transfer.ts';
import { renameContext } from './rename-context.ts';

interface Row extends NamedContext {
  readonly name: string;
  readonly current: boolean;
}

const view: View<Row> = {
  id: ({ name }) => name,
  fields: ['name', 'current', 'base_url', 'auth_url', 'instance', 'tenant', 'client'],
  columns: [
    { header: 'CURRENT', value: ({ current }) => (current ? '*' : '') },
    { header: 'NAME', value: ({ name }) => name, role: 'name' },
    { header: 'ADDRESS', value: ({ base_url, instance }) => base_url ?? `instance ${instance ?? 'default'}` },
    { header: 'TENANT', value: ({ tenant }) => tenant },
    { header: 'CLIENT', value: ({ client }) => client, wide: true },
    { header: 'AUTHORIZATION', value: ({ auth_url }) => auth_url, wide: true },
  ],
};

const origin = (value: string, name: string): string => {
  if (!isOrigin(value)) throw usage(`${name} must be an origin like http://127.0.0.1:8722, not "${value}"`);
  return value.replace(/\/$/, '');
};

/** The copied settings, without addresses and instance if the new context has its own. */
const copied = (from: NamedContext, ownAddress: boolean): NamedContext => {
  if (!ownAddress) return from;
  const { base_url: _address, auth_url: _authAddress, instance: _instance, ...others } = from;
  return others;
};

const create = command({
  name: 'create',
  summary: 'Create a context for a service',
  args: { name: required('context name') },
  options: {
    baseUrl: parsed('--base-url <origin>', 'address of the service', origin),
    authUrl: parsed('--auth-url <origin>', 'address of its authorization service (default: the same)', origin),
    dataSet: text('--instance <name>', 'instance of the local daemon, instead of an address', 'instance'),
    tenant: text('--tenant <id>', 'tenant of the logins', 'tenant'),
    client: text('--client <id>', 'client to log in with (default: the client of actorctl)', 'client'),
    from: text('--from <name>', 'copy the settings of this context, and its addresses if none is given', 'context'),
    use: flag('--use', 'make it the current context'),
  },
  examples: ['actorctl context create staging --base-url https://api.example.org --client ID --use'],
  run: async (context, { name }, given) => {
    const { paths, output, signal } = context;
    const { baseUrl, authUrl, dataSet, tenant, client, from, use } = given;
    newName(name);
    if (baseUrl !== undefined && dataSet !== undefined) {
      throw usage('--base-url and --instance cannot be used together', 'give one of them');
    }
    const ownAddress = baseUrl !== undefined || dataSet !== undefined;
    if (dataSet !== undefined && !isInstanceName(dataSet)) throw usage(`"${dataSet}" is not a valid instance name`);
    const made = await changeContexts(
      paths.contextsFile,
      (before) => {
        if (name === LOCAL_CONTEXT || Object.hasOwn(before.contexts, name)) throw taken(name);
        const entry: NamedContext = {
          ...(from !== undefined && copied(contextNamed(before, from), ownAddress)),
          ...(baseUrl !== undefined && { base_url: baseUrl }),
          ...(authUrl !== undefined && { auth_url: authUrl }),
          ...(dataSet !== undefined && { instance: dataSet }),
          ...(tenant !== undefined && { tenant }),
          ...(client !== undefined && { client }),
        };
        if (entry.base_url === undefined && entry.instance === undefined) {
          throw usage('the address of the context is missing', 'add --base-url, or --instance for a local daemon');
        }
        return { ...(use ? { current: name } : before), contexts: { ...before.contexts, [name]: entry } };
      },
      signal,
    );
    const row = { name, current: made.current === name, ...contextNamed(made, name) };
    output.result(`Created context ${name}${use ? ' and switched to it' : ''}`, row, name);
    if (use) noteOverride(context, name);
    return 0;
  },
});

const list = command({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the contexts',
  list: true,
  run: async ({ paths, settings, output }) => {
    const document = await readContexts(paths.contextsFile);
    const names = [...new Set([LOCAL_CONTEXT, ...Object.keys(document.contexts)])];
    const rows = names.map((name) => ({ name, current: settings.context === name, ...contextNamed(document, name) }));
    output.rows(rows, view);
    return 0;
  },
});

const show = command({
  name: 'show',
  aliases: ['get'],
  summary: 'Show a context',
  args: { name: optional('context name (default: the current context)', 'context') },
  run: async ({ paths, settings, output }, { name = settings.context }) => {
    const entry = contextNamed(await readContexts(paths.contextsFile), name);
    output.item({ name, current: settings.context === name, ...entry }, view);
    return 0;
  },
});

/** Writes the context name to the actorctl.json of a folder and keeps its other fields. */
const bind = async ({ cwd }: CommandContext, folder: string, name: string): Promise<string> => {
  const file = path.resolve(cwd, folder, 'actorctl.json');
  try {
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      if (systemCode(error) === 'ENOENT') return '{}';
      throw error;
    });
    const before: unknown = JSON.parse(text);
    if (typeof before !== 'object' || before === null || Array.isArray(before))
      throw new Error('it is not a JSON object');
    await replaceTarget(file, `${JSON.stringify({ ...before, context: name }, null, 2)}\n`);
  } catch (error) {
    throw fileFailure('cannot change', file, error);
  }
  return file;
};

const use = command({
  name: 'use',
  summary: 'Switch to a context, everywhere or below a folder',
  args: { name: required('context name', 'context') },
  options: { dir: text('--dir <folder>', 'only in this folder and below: writes its actorctl.json', 'folders') },
  run: async (context, { name }, { dir }) => {
    const { paths, output } = context;
    contextNamed(await readContexts(paths.contextsFile), name);
    if (dir !== undefined) {
      const file = await bind(context, dir, name);
      output.result(`Switched to ${name} below ${path.dirname(file)}`, { current: name, file }, name);
      noteOverride(context, name, ['environment']);
      return 0;
    }
    await changeContexts(
      paths.contextsFile,
      (before) => {
        contextNamed(before, name);
        return { ...before, current: name };
      },
      context.signal,
    );
    output.result(`Switched to ${name}`, { current: name }, name);
    noteOverride(context, name);
    return 0;
  },
});

const rename = command({
  name: 'rename',
  summary: 'Rename a context and keep its login',
  args: { name: required('current name', 'context'), to: required('new name') },
  run: async (context, { name, to }) => {
    const { output } = context;
    newName(to);
    const made = await renameContext(context, name, to);
    const entry = contextNamed(made, to);
    output.result(`Renamed ${name} to ${to}`, { name: to, current: made.current === to, ...entry }, to);
    await replaceName(context, name, to);
    return 0;
  },
});

const remove = command({
  name: 'delete',
  aliases: ['rm'],
  summary: 'Delete a context and its stored login',
  args: { name: required('context name', 'context') },
  options: { dryRun },
  run: async (context, { name }, { dryRun }) => {
    const { paths, credentials, prompt, output, signal } = context;
    const entry = contextNamed(await readContexts(paths.contextsFile), name);
    if (name === LOCAL_CONTEXT) throw usage('cannot delete "local": it means the daemon of this machine');
    const account = accountOfContext(name, entry);
    const kept = account !== undefined && (await credentials.accounts()).includes(account);
    const both = `${name}${kept ? ' and its login' : ''}`;
    const value = { deleted: name, login_forgotten: kept };
    if (dryRun) return tellDryRun({ output }, [`delete context ${both}`], value, name);
    await prompt.confirm(`Delete context ${both}?`);
    // The login is deleted first: if the keychain refuses, the context stays and the login remains usable.
    if (kept) await credentials.remove(account);
    await changeContexts(
      paths.contextsFile,
      ({ current, contexts: { [name]: _gone, ...contexts } }) => ({
        ...(current !== undefined && current !== name && { current }),
        contexts,
      }),
      signal,
    );
    output.result(`Deleted context ${name}`, value, name);
    await replaceName(context, name);
    return 0;
  },
});

export const contextCommand: readonly LeafEntry[] = [
  create,
  list,
  show,
  use,
  rename,
  remove,
  exportContext,
  importContexts,
];
