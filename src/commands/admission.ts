// Logging in: asks for tokens, proves that they work, keeps them. Shared by `login` and `up --login`.
import type { ClientCredentials, TokenResponse } from '../client/grant.ts';
import { loginOf, type Obtained, shadowOf } from '../client/session.ts';
import type { Context } from '../context.ts';
import type { ResultOf } from '../contract/operation.ts';
import type { Operations } from '../contract/operations.ts';
import { CliFailure, usage } from '../failure.ts';
import type { Login } from '../local/credentials.ts';
import type { StoreChoice } from '../local/settings.ts';

type Profile = ResultOf<Operations['profiles.me']>;

/** How and as whom. */
export interface Admission {
  readonly flow: Login['flow'];
  /** Answers the tokens, or the ready one. */
  readonly obtain: () => Promise<Obtained>;
  /** A client that is not this program's own. */
  readonly client?: ClientCredentials;
  readonly store?: StoreChoice;
  /** Replace the login of another user. */
  readonly force: boolean;
}

/** What became of a login. */
export interface Admitted {
  readonly login: Login;
  readonly store: string;
}

/** Refuses while something in the environment would hide the login. @see cli.md "Env token vs stored" */
export const refuseShadow = ({ settings }: Pick<Context, 'settings'>): void => {
  const shadow = shadowOf(settings);
  if (shadow === undefined) return;
  throw new CliFailure('ALREADY_EXISTS', `${shadow} is set and outranks any login`, {
    hint: shadow.startsWith('--') ? `leave ${shadow} out` : `unset ${shadow}`,
    details: { env_shadow: [shadow] },
  });
};

const profileOf = ({ call }: Context, token: string): Promise<Profile> =>
  call('profiles.me', { authentication: 'none', headers: { authorization: `Bearer ${token}` } });

/**
 * Obtains tokens, asks the service whose they are, and only then keeps them.
 * @throws CliFailure AUTH_FAILED on wrong credentials, CONFIRMATION_REQUIRED when another login would be replaced
 * @see cli.md R5
 */
export const admit = async (context: Context, admission: Admission): Promise<Admitted> => {
  const { credentials, settings, prompt, output, now, paths } = context;
  const { flow, obtain, client, store, force } = admission;
  const before = await currentUser(context);
  const response = await obtain();
  const profile = await profileOf(context, response.access_token);
  if (before !== undefined && before !== profile.username && !force) {
    if (!prompt.allowed && !settings.yes) {
      throw new CliFailure('CONFIRMATION_REQUIRED', `you are logged in as ${before}`, {
        hint: 'add --force to replace that login',
      });
    }
    await prompt.confirm(`Replace the login of ${before}?`);
  }
  const kept = (await credentials.read(settings.account).catch(ignoreUnreadable))?.record;
  const login = loginOf(
    response,
    {
      username: profile.username,
      tenant: null,
      flow,
      clientId: client?.id ?? kept?.client?.id ?? null,
      ...(client && { clientSecret: client.secret }),
    },
    now(),
  );
  const stored = await credentials.write(settings.account, { ...kept, login }, store);
  if (stored.downgraded !== undefined) {
    output.warn(
      `the keychain is not used (${stored.downgraded}); the token is in ${paths.credentialsFile}, readable by you alone; --store keychain tries again`,
    );
  }
  return { login, store: stored.store };
};

/** A keychain that does not answer must not stand in the way of a new login. */
const ignoreUnreadable = (error: unknown): undefined => {
  if (error instanceof CliFailure && error.code === 'AUTH_REQUIRED') return undefined;
  throw error;
};

const currentUser = async ({ session }: Context): Promise<string | undefined> => {
  try {
    return (await session.identity())?.username ?? undefined;
  } catch (error) {
    return ignoreUnreadable(error);
  }
};

/** The grant of a name and a password, by a named client or this program's own. */
export const passwordGrant =
  ({ session, grant }: Context, username: string, password: string, client?: ClientCredentials) =>
  (): Promise<TokenResponse> => {
    if (username === '' || password === '') throw usage('neither the user name nor the password may be empty');
    const form = { grant_type: 'password', username, password } as const;
    return client ? grant(client, form) : session.withOwnClient((own) => grant(own, form));
  };
