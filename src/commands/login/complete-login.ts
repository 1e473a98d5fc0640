// Logging in: asks for tokens, proves that they work, keeps them. Shared by `login` and `up --login`.
import type { ClientCredentials, TokenResponse } from '../../client/grant.ts';
import { ignoreUnreadable, loginOf, type Obtained, shadowOf } from '../../client/identity.ts';
import type { CommandContext } from '../../context.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import { CliFailure, usage } from '../../failure.ts';
import type { Login } from '../../local/credentials/account-record.ts';
import type { StoreChoice } from '../../local/settings.ts';
import { createNarration, type Narrate } from './explain-requests.ts';
import { revokeLogin } from './own-tokens.ts';

type Profile = ResultOf<Operations['profiles.me']>;

/** How and as whom. */
export interface Admission {
  readonly flow: Login['flow'];
  /** Answers the tokens, or the ready one. */
  readonly obtain: () => Promise<Obtained>;
  /** A client that is not this program's own. */
  readonly client?: ClientCredentials;
  readonly store?: StoreChoice;
  /** Take the place of another user's login. */
  readonly force: boolean;
  readonly narrate?: Narrate;
}

/** What became of a login. */
export interface Admitted {
  readonly login: Login;
  readonly store: string;
}

/** Refuses while something in the environment would hide the login. @see cli.md "Env token vs stored" */
export const refuseShadow = ({ settings }: Pick<CommandContext, 'settings'>): void => {
  const shadow = shadowOf(settings);
  if (shadow === undefined) return;
  throw new CliFailure('ALREADY_EXISTS', `${shadow} is set and outranks any login`, {
    hint: shadow.startsWith('--') ? `leave ${shadow} out` : `unset ${shadow}`,
    details: { env_shadow: [shadow] },
  });
};

const profileOf = ({ call }: CommandContext, token: string): Promise<Profile> =>
  call('profiles.me', { authentication: 'none', headers: { authorization: `Bearer ${token}` } });

/** Tokens that nobody is going to keep shall not live on. */
const discard = async (context: CommandContext, login: Login): Promise<void> => {
  try {
    const record = (await context.credentials.read(context.settings.account))?.record ?? {};
    await revokeLogin(context, login, record);
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    context.output.verbose(`the tokens that are not kept could not be revoked: ${error.message}`);
  }
};

/** Makes sure that the login of somebody else gives way to this one only when it is meant to. */
const displace = async ({ prompt, settings }: CommandContext, before: string, next: string | null): Promise<void> => {
  if (!prompt.allowed && !settings.yes) {
    throw new CliFailure('CONFIRMATION_REQUIRED', `you are logged in as ${before}`, {
      hint: 'add --force; actorctl auth switch goes back to that login',
    });
  }
  await prompt.confirm(`You are logged in as ${before}. Go on as ${next ?? 'somebody else'}?`);
};

/**
 * Obtains tokens, asks the service whose they are, and only then keeps them. The login of another user is put aside, not lost.
 * @throws CliFailure AUTH_FAILED on wrong credentials, CONFIRMATION_REQUIRED when another login would have to give way
 * @see cli.md R5
 */
export const admit = async (context: CommandContext, admission: Admission): Promise<Admitted> => {
  const { credentials, settings, output, now, paths, session } = context;
  const { flow, obtain, client, store, force, narrate = createNarration(context, false) } = admission;
  const before = await currentUser(context);
  const response = await obtain();
  narrate('GET /profiles/v2/me with the new token, to see whose it is');
  const profile = await profileOf(context, response.access_token);
  const own = (await credentials.read(settings.account).catch(ignoreUnreadable))?.record.client;
  const login = loginOf(
    response,
    {
      username: profile.username,
      tenant: settings.tenant ?? null,
      flow,
      clientId: client?.id ?? own?.id ?? null,
      ...(client && (client.secret === undefined ? { publicClient: true } : { clientSecret: client.secret })),
    },
    now(),
  );
  if (before !== undefined && before !== profile.username && !force) {
    try {
      await displace(context, before, profile.username);
    } catch (error) {
      await discard(context, login);
      throw error;
    }
  }
  const stored = await session.change(({ login: last, others = [], ...kept }) => {
    const aside = [...(last ? [last] : []), ...others].filter(({ username }) => username !== login.username);
    return { ...kept, login, ...(aside.length > 0 && { others: aside }) };
  }, store);
  if (stored.downgraded !== undefined) {
    output.warn(
      `the keychain is not used (${stored.downgraded}); the token is in ${paths.credentialsFile}, readable by you alone; --store keychain tries again`,
    );
  }
  return { login, store: stored.store };
};

const currentUser = async ({ session }: CommandContext): Promise<string | undefined> => {
  try {
    return (await session.identity())?.username ?? undefined;
  } catch (error) {
    return ignoreUnreadable(error);
  }
};

/** The grant of a name and a password, by a named client or this program's own. */
export const passwordGrant =
  (
    { session, grant, output }: CommandContext,
    username: string,
    password: string,
    client?: ClientCredentials,
    narrate: Narrate = createNarration({ output }, false),
  ) =>
  (): Promise<TokenResponse> => {
    if (username === '' || password === '') throw usage('neither the user name nor the password may be empty');
    const form = { grant_type: 'password', username, password } as const;
    narrate('POST /token, the client proving itself', Object.entries(form));
    return client ? grant(client, form) : session.withOwnClient((own) => grant(own, form));
  };
