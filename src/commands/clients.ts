// `clients`: OAuth clients: create, list.
import type { Authentication } from '../client/call.ts';
import type { Context } from '../context.ts';
import { usage } from '../failure.ts';
import { command, group } from './command.ts';
import { flag, required, text, texts } from './option.ts';
import { passwordFromStdin } from './password.ts';
import { clientView } from './views.ts';

/** Short words for grants beside the names that the service uses. */
const grantNames: Readonly<Record<string, string>> = {
  code: 'authorization_code',
  client: 'client_credentials',
  refresh: 'refresh_token',
  authorization_code: 'authorization_code',
  client_credentials: 'client_credentials',
  refresh_token: 'refresh_token',
  implicit: 'implicit',
  password: 'password',
};

const grantsOf = (given: readonly string[]): readonly string[] =>
  given
    .flatMap((words) => words.split(/[\s,]+/))
    .filter((word) => word !== '')
    .map((word) => {
      const name = Object.hasOwn(grantNames, word) ? grantNames[word] : undefined;
      if (name === undefined)
        throw usage(`--grant: there is no grant '${word}'`, 'use code, implicit, password, client, refresh');
      return name;
    });

/** Whoever has no token yet, and no client to get one with, proves by name and password. */
const credential = {
  username: text('--username <name>', 'ask as this user, by password instead of the login'),
  passwordStdin: flag('--password-stdin', 'read the password of --username from stdin'),
};

const authenticationOf = async (
  context: Pick<Context, 'read' | 'prompt'>,
  { username, passwordStdin }: { readonly username: string | undefined; readonly passwordStdin: boolean },
): Promise<{ readonly authentication?: Authentication }> => {
  if (username === undefined) {
    if (passwordStdin) throw usage('--password-stdin needs --username');
    return {};
  }
  const password = passwordStdin
    ? await passwordFromStdin(context)
    : await context.prompt.secret(`Password of ${username}:`, '--password-stdin');
  return { authentication: { username, password } };
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
    ...credential,
  },
  examples: ['actorctl clients create web-app --redirect-uri http://127.0.0.1:3000/callback'],
  run: async (context, { name }, { redirectUri, grant, description, ...who }) => {
    const grants = grantsOf(grant);
    const made = await context.call('clients.create', {
      ...(await authenticationOf(context, who)),
      body: {
        clientName: name,
        ...(redirectUri.length > 0 && { callbackUrl: redirectUri.join(',') }),
        ...(description !== undefined && { description }),
        ...(grants.length > 0 && { grants }),
      },
    });
    context.output.result(
      `Created client ${made.name}  key ${made.consumerKey}  secret shown once: ${made.consumerSecret ?? '-'}`,
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

/** `clients` */
export const clientsCommand = group('clients', { aliases: ['client'], summary: 'OAuth clients.' }, [create, list]);
