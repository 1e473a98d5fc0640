// `clients`: OAuth clients: create, list, show, update, rotate, delete.
import path from 'node:path';
import type { CommandContext } from '../../context.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import { usage } from '../../failure.ts';
import { createSecretFile } from '../../local/user-files.ts';
import { parseDuration, wordDuration } from '../../ui/format/time.ts';
import { plural } from '../../ui/text.ts';
import { command, type Leaf } from '../kernel/command.ts';
import { flag, parsed, required, text, texts } from '../kernel/option.ts';
import { clientDetailView, clientView } from '../kernel/views.ts';
import { render } from '../tools/env.ts';
import { authenticationOf, credential, grantsOf } from './client-flags.ts';

type NewClient = ResultOf<Operations['clients.create']>;

/** Registers a client whose secret goes into a file and nowhere else. */
const createInto = async (
  { cwd, output }: Pick<CommandContext, 'cwd' | 'output'>,
  target: string,
  name: string,
  register: () => Promise<NewClient>,
): Promise<number> => {
  const hint = `the client was made; a new secret: actorctl clients rotate ${name}`;
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
    `Created client ${made.name}  key ${made.consumerKey}  secret in ${target}`,
    { ...made, env_file: path.resolve(cwd, target) },
    made.consumerKey,
  );
  return 0;
};

const create = command({
  name: 'create',
  summary: 'Registers an OAuth client; its secret is shown this once.',
  operations: ['clients.create'],
  args: { name: required('name of the client') },
  options: {
    redirectUri: texts('--redirect-uri <uri>', 'where the service may send a user back to; several are taken'),
    grant: texts('--grant <names>', 'code, implicit, password, client, refresh; the default is all'),
    description: text('--description <text>', 'what it is for'),
    public: flag('--public', 'without a secret, for a program that cannot keep one; it must use PKCE'),
    writeEnv: text('--write-env <file>', 'make that file, with key and secret as variables, and print no secret'),
    ...credential,
  },
  examples: [
    'actorctl clients create web-app --redirect-uri http://127.0.0.1:3000/callback',
    'actorctl clients create nightly --grant client --write-env nightly.env',
  ],
  run: async (context, { name }, { redirectUri, grant, description, public: withoutSecret, writeEnv, ...who }) => {
    if (withoutSecret && writeEnv !== undefined) throw usage('--public has no secret that --write-env could write');
    const grants = grantsOf(grant);
    const request = {
      ...(await authenticationOf(context, who)),
      body: {
        clientName: name,
        ...(redirectUri.length > 0 && { callbackUrl: redirectUri.join(',') }),
        ...(description !== undefined && { description }),
        ...(grants.length > 0 && { grants }),
        ...(withoutSecret && { public: true }),
      },
    };
    const register = (): Promise<NewClient> => context.call('clients.create', request);
    if (writeEnv !== undefined) return createInto(context, writeEnv, name, register);
    const made = await register();
    const { consumerSecret } = made;
    context.output.result(
      `Created client ${made.name}  key ${made.consumerKey}  ${consumerSecret === undefined ? 'public, no secret' : `secret shown once: ${consumerSecret}`}`,
      made,
      made.consumerKey,
    );
    return 0;
  },
});

const list = command({
  name: 'list',
  aliases: ['ls'],
  summary: 'Lists your OAuth clients.',
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
  summary: 'Shows one of your OAuth clients and how many tokens it holds.',
  operations: ['clients.show'],
  args: { name: required('name of the client') },
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

/** The redirect URIs after a change. @throws USAGE when one is to go that is not there */
const changedUris = (
  registered: readonly string[],
  { add, remove }: { readonly add: readonly string[]; readonly remove: readonly string[] },
): readonly string[] => {
  const missing = remove.find((uri) => !registered.includes(uri));
  if (missing !== undefined) {
    throw usage(
      `--remove-redirect-uri: ${missing} is not registered`,
      registered.length === 0 ? 'none is' : `registered: ${registered.join(', ')}`,
    );
  }
  return [...new Set([...registered.filter((uri) => !remove.includes(uri)), ...add])];
};

const update = command({
  name: 'update',
  summary: 'Changes what was asked of an OAuth client and keeps the rest; a grant that is taken away ends its tokens.',
  operations: ['clients.update', 'clients.show'],
  args: { name: required('name of the client') },
  options: {
    addRedirectUri: texts('--add-redirect-uri <uri>', 'one more URI to send a user back to; several are taken'),
    removeRedirectUri: texts('--remove-redirect-uri <uri>', 'a URI that goes; several are taken'),
    grant: texts('--grant <names>', 'code, implicit, password, client, refresh: these and no others'),
    description: text('--description <text>', 'what it is for'),
    ...credential,
  },
  examples: ['actorctl clients update web-app --add-redirect-uri http://127.0.0.1:3001/callback'],
  run: async (context, { name: clientName }, { addRedirectUri: add, removeRedirectUri: remove, grant, ...rest }) => {
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
    const updated = await context.call('clients.update', {
      ...request,
      body: {
        ...(moves && { callbackUrl: after.join(',') }),
        ...(grants.length > 0 && { grants }),
        ...(description !== undefined && { description }),
      },
    });
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

const rotate = command({
  name: 'rotate',
  summary: 'Gives an OAuth client a new secret, shown this once; without --grace the old one and all tokens end.',
  operations: ['clients.rotate'],
  args: { name: required('name of the client') },
  options: {
    grace: parsed('--grace <duration>', 'the old secret keeps working that long, and tokens live on', (value) => {
      const ms = parseDuration(value, 'a duration for --grace');
      if (ms % 1_000 !== 0) throw usage('--grace must be whole seconds', 'write it as 90s, 15m, 4h or 30d');
      return ms;
    }),
    ...credential,
  },
  examples: ['actorctl clients rotate web-app --grace 1h'],
  run: async (context, { name: clientName }, { grace = 0, ...who }) => {
    const authentication = await authenticationOf(context, who);
    // With grace nothing ends that anybody would miss.
    if (grace === 0) await context.prompt.confirm(`End the secret and all tokens of client ${clientName}?`);
    const rotated = await context.call('clients.rotate', {
      ...authentication,
      params: { clientName },
      body: { grace: grace / 1_000 },
    });
    const old = grace > 0 ? `old one valid ${wordDuration(grace)}` : `${plural(rotated.revoked, 'token')} revoked`;
    context.output.result(
      `New secret: ${rotated.consumerSecret ?? '-'} (${old})`,
      rotated,
      rotated.consumerSecret ?? '',
    );
    return 0;
  },
});

const remove = command({
  name: 'delete',
  aliases: ['rm'],
  summary: 'Deletes an OAuth client and revokes its tokens.',
  operations: ['clients.delete'],
  args: { name: required('name of the client') },
  options: credential,
  examples: ['actorctl clients delete web-app --yes'],
  run: async (context, { name: clientName }, who) => {
    const authentication = await authenticationOf(context, who);
    await context.prompt.confirm(`Delete client ${clientName} and revoke its tokens?`);
    const gone = await context.call('clients.delete', { ...authentication, params: { clientName } });
    context.output.result(
      `Deleted client ${gone.deleted} (${plural(gone.revoked, 'token')} revoked)`,
      gone,
      gone.deleted,
    );
    return 0;
  },
});

/** `clients` */
export const clientsCommand: readonly Leaf[] = [
  create,
  list,
  show,
  update,
  rotate,
  remove,
];
