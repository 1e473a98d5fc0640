// `login`: by browser, terminal, password, client credentials or a given token. The service verifies the login before
// it is stored.
import type { CommandContext } from '../../context.ts';
import { tenantOfCliClient } from '../../contract/cli-client.ts';
import { CliFailure } from '../../failure.ts';
import type { Login } from '../../local/credentials/account-record.ts';
import { formatDuration } from '../../ui/format/time.ts';
import { action } from '../framework/command.ts';
import { type Admission, type Admitted, admit, passwordGrant, refuseShadow } from './complete-login.ts';
import { createNarration, type Narrate } from './explain-requests.ts';
import type { BrowserLogin } from './login-browser.ts';
import { browserLogin, clientOf, flowOf, type LoginOptions, loginOptions } from './login-options.ts';
import { readSecrets, type Secrets } from './login-secrets.ts';

type LoginInput = Omit<Admission, 'force'>;

const byPassword = async (
  context: CommandContext,
  given: LoginOptions,
  secrets: Secrets,
  narrate: Narrate,
): Promise<LoginInput> => {
  const { prompt } = context;
  const client = await clientOf(context, given, 'password', secrets.client);
  const username = given.username ?? (await prompt.text('User name:', '--username'));
  const password = secrets.password ?? (await prompt.secret('Password:', '--password-stdin'));
  const obtain = passwordGrant(context, username, password, client, narrate);
  return { flow: 'password', obtain, ...(client && { client }) };
};

const byClient = async (
  context: CommandContext,
  given: LoginOptions,
  secrets: Secrets,
  narrate: Narrate,
): Promise<LoginInput> => {
  const client = await clientOf(context, given, 'client_credentials', secrets.client);
  const form = { grant_type: 'client_credentials' } as const;
  return {
    flow: 'client_credentials',
    ...(client && { client }),
    obtain: () => {
      narrate('POST /token with client authentication', Object.entries(form));
      return client ? context.grant(client, form) : context.session.withOwnClient((own) => context.grant(own, form));
    },
  };
};

const byBrowser = async (context: CommandContext, login: BrowserLogin): Promise<LoginInput> => {
  const { obtainByBrowser } = await import('./login-browser.ts');
  return {
    flow: login.flow,
    obtain: () => obtainByBrowser(context, login),
    ...(login.client && { client: login.client }),
  };
};

const admission = async (context: CommandContext, given: LoginOptions, narrate: Narrate): Promise<LoginInput> => {
  const flow = flowOf(context, given);
  const secrets = await readSecrets(context, given);
  switch (flow) {
    case 'token': {
      const { token = '' } = secrets;
      return { flow, obtain: async () => ({ access_token: token, token_type: 'bearer' }) };
    }
    case 'password':
      return byPassword(context, given, secrets, narrate);
    case 'client_credentials':
      return byClient(context, given, secrets, narrate);
    default: {
      const login = await browserLogin(context, given, flow, secrets, narrate);
      if (given.complete === undefined) return byBrowser(context, login);
      const { completeLogin } = await import('./login-steps.ts');
      return completeLogin(context, login, given.complete);
    }
  }
};

const renewalOf = ({ flow, refreshToken }: Login): string => {
  if (flow === 'client_credentials') return '; renewed automatically';
  return refreshToken === undefined ? '' : ', refreshable';
};

export const describeLogin = ({ settings, serviceClock }: CommandContext, { login, store }: Admitted) => {
  const left = login.expiresAt === null ? '' : `, expires in ${formatDuration(login.expiresAt - serviceClock.now())}`;
  const isOfTenant = login.publicClient && tenantOfCliClient(login.clientId ?? '') !== undefined;
  const about =
    login.flow === 'client_credentials' ? `, client ${login.clientId}` : isOfTenant ? ` of tenant ${login.tenant}` : '';
  return {
    sentence: `Logged in as ${login.username}${about} (token in ${store}${left}${renewalOf(login)})`,
    value: {
      context: settings.context,
      instance: settings.instance,
      user: login.username,
      tenant: login.tenant,
      flow: login.flow,
      client: login.clientId,
      token_source: store,
      expires_at: login.expiresAt === null ? null : new Date(login.expiresAt).toISOString(),
      refreshable: login.flow === 'client_credentials' || login.refreshToken !== undefined,
      scope: login.scope ?? null,
    },
  };
};

export const loginCommand = action({
  operations: ['authorize.show', 'authorize.login', 'authorize.consent', 'token.create', 'metadata.show'],
  options: loginOptions,
  examples: [
    'actorctl login',
    'actorctl login --terminal',
    'actorctl login --username dev',
    'echo "$PASSWORD" | actorctl login --username dev --password-stdin',
    'echo "$SECRET" | actorctl login --flow client --client ID --client-secret-stdin',
  ],
  run: async (context, _args, given) => {
    refuseShadow(context);
    const narrate = createNarration(context, given.explain);
    if (given.start) {
      const { startLogin } = await import('./login-steps.ts');
      return startLogin(context, given, narrate);
    }
    const asked = await admission(context, given, narrate);
    try {
      const admitted = await admit(context, {
        ...asked,
        force: given.force,
        narrate,
        ...(given.store && { store: given.store }),
      });
      const { sentence, value } = describeLogin(context, admitted);
      context.output.result(sentence, value, admitted.login.username ?? undefined);
      return 0;
    } catch (error) {
      // The hint "actorctl login" does not help a person who is logging in.
      if (!(error instanceof CliFailure) || error.extras.hint !== 'actorctl login') throw error;
      const { hint: _hint, ...extras } = error.extras;
      throw new CliFailure(error.code, error.message, extras);
    }
  },
});
