// `clients`: create, list, show, update, rotate and delete OAuth clients.
import path from 'node:path';
import { inWordsOf } from '../../client/field-words.ts';
import type { CommandContext } from '../../context.ts';
import { grants } from '../../contract/for-client.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import { usage } from '../../failure.ts';
import { createSecretFile } from '../../local/user-files.ts';
import { plural } from '../../ui/text.ts';
import { command, type LeafEntry } from '../framework/command.ts';
import { flag, required, text, texts, words } from '../framework/option.ts';
import { resultShownOnce } from '../framework/shown-once.ts';
import { clientDetailView, clientView } from '../framework/views.ts';
import { render } from '../tools/env.ts';
import { authenticationOf, credential, grantsOf, redirectUrisOf } from './client-flags.ts';
import { deleteClient, rotateClient } from './clients-rotate-delete.ts';

type NewClient = ResultOf<Operations['clients.create']>;

/** Creates a client and writes its secret to a file only. */
const createInto = async (
  { cwd, output }: Pick<CommandContext, 'cwd' | 'output'>,
  target: string,
  name: string,
  register: () => Promise<NewClient>,
): Promise<number> => {
  const hint = `the client was created; to get a new secret: actorctl clients rotate ${name}`;
  const made = await createSecretFile(
    target,
    cwd,
    async () => {
      const { consumerSecret = '', ...value } = await register();
      output.redact(value);
      const variables = { ACTORCTL_CLIENT_ID: value.consumerKey, ACTORCTL_CLIENT_SECRET: consumerSecret };
      return { text: `${render('dotenv', variables)}\n`, value };
    },
    hint,
  );
  output.result(
    `Created client ${made.name}  client id ${made.consumerKey}  secret in ${target}`,
    { ...made, env_file: path.resolve(cwd, target) },
    made.consumerKey,
  );
  return 0;
};

const create = command({
  name: 'create',
  summary: 'Create an OAuth client and show its secret once',
  operations: ['clients.create'],
  args: { name: required('client name') },
  options: {
    redirectUri: texts('--redirect-uri <uri>', 'URI that users may be redirected to, repeatable'),
    grant: words('--grant <names>', 'allowed grants: code, implicit, password, client, refresh (default: all)', {
      like: grants,
    }),
    description: text('--description <text>', 'description'),
    public: flag('--public', 'create a public client without a secret, which must use PKCE'),
    writeEnv: text(
      '--write-env <file>',
      'write client id and secret as variables to this new file, instead of printing the secret',
      'files',
    ),
    ...credential,
  },
  examples: [
    'actorctl clients create web-app --redirect-uri http://127.0.0.1:3000/callback',
    'actorctl clients create nightly --grant client --write-env nightly.env',
  ],
  run: async (context, { name }, { redirectUri, grant, description, public: withoutSecret, writeEnv, ...who }) => {
    if (withoutSecret && writeEnv !== undefined)
      throw usage('--public and --write-env cannot be used together: a public client has no secret');
    const grants = grantsOf(grant);
    const words = { callbackUrl: '--redirect-uri', clientName: 'the name' };
    const request = {
      ...(await authenticationOf(context, who)),
      body: {
        clientName: name,
        ...(redirectUri.length > 0 && { callbackUrl: redirectUrisOf(redirectUri, '--redirect-uri').join(',') }),
        ...(description !== undefined && { description }),
        ...(grants.length > 0 && { grants }),
        ...(withoutSecret && { public: true }),
      },
    };
    const register = (): Promise<NewClient> => context.call('clients.create', request).catch(inWordsOf(words));
    if (writeEnv !== undefined) return createInto(context, writeEnv, name, register);
    const made = await register();
    const { consumerSecret } = made;
    resultShownOnce(context, {
      secret: consumerSecret,
      what: `the secret of client "${made.name}"`,
      hint: `to create a new secret: actorctl clients rotate ${made.name}. To write the secret to a file instead: actorctl clients create --write-env FILE`,
      sentence: `Created client ${made.name}  client id ${made.consumerKey}  ${consumerSecret === undefined ? 'public, no secret' : `secret shown once: ${consumerSecret}`}`,
      value: made,
      id: made.consumerKey,
    });
    return 0;
  },
});

const list = command({
  name: 'list',
  aliases: ['ls'],
  summary: 'List your OAuth clients',
  operations: ['clients.list'],
  options: credential,
  list: true,
  run: async (context, _args, who) => {
    context.output.rows(await context.call('clients.list', await authenticationOf(context, who)), clientView);
    return 0;
  },
});

const show = command({
  name: 'show',
  aliases: ['get'],
  summary: 'Show an OAuth client and its number of tokens',
  operations: ['clients.show'],
  args: { name: required('client name', 'client') },
  options: credential,
  run: async (context, { name: clientName }, who) => {
    const authentication = await authenticationOf(context, who);
    context.output.item(
      await context.call('clients.show', { ...authentication, params: { clientName } }),
      clientDetailView,
    );
    return 0;
  },
});

/** Returns the redirect URIs after the change. @throws USAGE if a URI to remove is not registered */
const changedUris = (
  registered: readonly string[],
  { add, remove }: { readonly add: readonly string[]; readonly remove: readonly string[] },
): readonly string[] => {
  const missing = remove.find((uri) => !registered.includes(uri));
  if (missing !== undefined) {
    throw usage(
      `--remove-redirect-uri: ${missing} is not registered`,
      registered.length === 0 ? 'no redirect URI is registered' : `registered: ${registered.join(', ')}`,
    );
  }
  return [...new Set([...registered.filter((uri) => !remove.includes(uri)), ...add])];
};

const update = command({
  name: 'update',
  summary: 'Change some fields of an OAuth client and keep the rest',
  details: 'Removing a grant revokes its tokens.',
  operations: ['clients.update', 'clients.show'],
  args: { name: required('client name', 'client') },
  options: {
    addRedirectUri: texts('--add-redirect-uri <uri>', 'redirect URI to add, repeatable'),
    removeRedirectUri: texts('--remove-redirect-uri <uri>', 'redirect URI to remove, repeatable'),
    grant: words('--grant <names>', 'new list of grants: code, implicit, password, client, refresh', { like: grants }),
    description: text('--description <text>', 'description'),
    ...credential,
  },
  examples: ['actorctl clients update web-app --add-redirect-uri http://127.0.0.1:3001/callback'],
  run: async (context, { name: clientName }, { addRedirectUri, removeRedirectUri: remove, grant, ...rest }) => {
    const add = redirectUrisOf(addRedirectUri, '--add-redirect-uri');
    const { description, ...who } = rest;
    const grants = grantsOf(grant);
    const moves = add.length + remove.length > 0;
    if (!moves && grants.length === 0 && description === undefined) {
      throw usage(
        'there is nothing to change',
        'give --add-redirect-uri, --remove-redirect-uri, --grant or --description',
      );
    }
    const request = { ...(await authenticationOf(context, who)), params: { clientName } };
    const before = moves ? (await context.call('clients.show', request)).callbackUrl.split(',').filter(Boolean) : [];
    const after = changedUris(before, { add, remove });
    const body = {
      ...(moves && { callbackUrl: after.join(',') }),
      ...(grants.length > 0 && { grants }),
      ...(description !== undefined && { description }),
    };
    const words = { callbackUrl: 'the redirect URIs' };
    const updated = await context.call('clients.update', { ...request, body }).catch(inWordsOf(words));
    const added = after.filter((uri) => !before.includes(uri)).length;
    const removed = before.filter((uri) => !after.includes(uri)).length;
    const changes = [
      ...(added > 0 ? [`+${plural(added, 'redirect URI')}`] : []),
      ...(removed > 0 ? [`-${plural(removed, 'redirect URI')}`] : []),
      ...(grants.length > 0 ? ['grants'] : []),
      ...(description === undefined ? [] : ['description']),
    ];
    context.output.result(
      `Updated client ${updated.name}${changes.length > 0 ? ` (${changes.join(', ')})` : ''}`,
      updated,
      updated.consumerKey,
    );
    return 0;
  },
});

export const clientsCommand: readonly LeafEntry[] = [create, list, show, update, rotateClient, deleteClient];
