// Completes a login: obtains tokens, checks them with the service and stores them. Shared by `login` and `up --login`.
import type { ClientCredentials, TokenResponse } from '../../client/grant.ts';
import { ignoreUnreadable, loginOf, type Obtained, shadowOf } from '../../client/identity.ts';
import type { CommandContext } from '../../context.ts';
import { tenantOfCliClient } from '../../contract/cli-client.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import { CliFailure, usage } from '../../failure.ts';
import { type Login, loginsOf } from '../../local/credentials/account-record.ts';
import { areDifferent, type LoginUser, userNames } from '../../local/credentials/login-names.ts';
import type { StoreChoice } from '../../local/settings/settings.ts';
import { createNarration, type Narrate } from './explain-requests.ts';
import { type Introspection, introspect, revokeLogin, tenantOf } from './own-tokens.ts';

type Profile = ResultOf<Operations['profiles.me']>;

export interface Admission {
  readonly flow: Login['flow'];
  readonly obtain: () => Promise<Obtained>;
  /** A client other than the client of actorctl. */
  readonly client?: ClientCredentials;
  readonly store?: StoreChoice;
  readonly force: boolean;
  /** The name of the flag that allows replacing another login. Default: `--force`. */
  readonly forceFlag?: string;
  readonly narrate?: Narrate;
}

export interface Admitted {
  readonly login: Login;
  readonly store: string;
}

/** Refuses a login that a token in the environment would override. @see docs/cli.md#credentials */
export const refuseShadow = ({ settings }: Pick<CommandContext, 'settings'>): void => {
  const shadow = shadowOf(settings);
  if (shadow === undefined) return;
  throw new CliFailure('ALREADY_EXISTS', `cannot log in: ${shadow} is set and takes precedence over a login`, {
    hint: shadow.startsWith('--') ? `remove ${shadow}` : `unset ${shadow}`,
    details: { env_shadow: [shadow] },
  });
};

const profileOf = ({ call }: CommandContext, token: string): Promise<Profile> =>
  call('profiles.me', { authentication: 'none', headers: { authorization: `Bearer ${token}` } });

/**
 * The tenant of the user. Undefined if the token belongs to another client or the service does not return a tenant;
 * the login works without it.
 */
const inspected = async (
  context: CommandContext,
  client: ClientCredentials | undefined,
  token: string,
  narrate: Narrate,
): Promise<Introspection | undefined> => {
  // Introspection needs client authentication, which a public client does not have.
  if (client?.secret === undefined) return undefined;
  narrate('POST /introspect with client authentication, to get the tenant of the user');
  try {
    const found = await introspect(context, client, token);
    return found.active ? found : undefined;
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code === 'CANCELLED') throw error;
    context.output.verbose(`cannot inspect the token: ${error.message}`);
    return undefined;
  }
};

const discard = async (context: CommandContext, login: Login): Promise<void> => {
  try {
    const record = (await context.credentials.read(context.settings.account))?.record ?? {};
    await revokeLogin(context, login, record);
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    context.output.verbose(`cannot revoke the tokens that are not stored: ${error.message}`);
  }
};

/** Asks before the login of another user is replaced. */
const displace = async (
  { prompt }: CommandContext,
  before: LoginUser,
  next: LoginUser,
  flag: string,
): Promise<void> => {
  const [from, to] = userNames([before, next]);
  const refused = new CliFailure('CONFIRMATION_REQUIRED', `you are logged in as ${from}`, {
    hint: `add ${flag}; to return to the other login: actorctl auth switch`,
  });
  await prompt.confirm(`You are logged in as ${from}. Continue as ${to}?`, refused);
};

/**
 * True if the stored login is of the user of the new one. A login without a tenant was stored by an older version, or
 * obtained by a client that cannot ask for it. Such a login replaces no login with a known tenant, which may belong
 * to another user.
 */
const isReplacedBy = (stored: Login, next: Login): boolean =>
  stored.username === next.username && (stored.tenant ?? next.tenant) === next.tenant;

/**
 * Obtains tokens, asks the service for their user, and only then stores them. The login of another user stays stored
 * and `auth switch` can select it.
 * @throws CliFailure AUTH_FAILED on wrong credentials, CONFIRMATION_REQUIRED if it would replace another login
 */
export const admit = async (context: CommandContext, admission: Admission): Promise<Admitted> => {
  const { credentials, settings, serviceClock, session } = context;
  const { flow, obtain, client, store, force, narrate = createNarration(context, false) } = admission;
  const before = await currentUser(context);
  const response = await obtain();
  narrate('GET /profiles/v2/me with the new token, to get its user');
  const profile = await profileOf(context, response.access_token);
  const own = (await credentials.read(settings.account).catch(ignoreUnreadable))?.record.client;
  const issuer = client ?? own;
  const seen = await inspected(context, issuer, response.access_token, narrate);
  // A token that the user supplied may belong to any client, and only its own client can revoke it.
  const isForeign = flow === 'token' && seen === undefined;
  const login = loginOf(
    response,
    {
      username: profile.username,
      tenant: (seen && tenantOf(seen)) ?? tenantOfCliClient(issuer?.id ?? '') ?? settings.tenant ?? null,
      flow,
      clientId: isForeign ? null : (issuer?.id ?? null),
      ...(client && (client.secret === undefined ? { publicClient: true } : { clientSecret: client.secret })),
    },
    serviceClock.now(),
  );
  if (before !== undefined && areDifferent(before, login) && !force) {
    try {
      await displace(context, before, login, admission.forceFlag ?? '--force');
    } catch (error) {
      await discard(context, login);
      throw error;
    }
  }
  const stored = await session.change((record) => {
    const { others: _before, ...kept } = record;
    const others = loginsOf(record).filter((each) => !isReplacedBy(each, login));
    return { ...kept, login, ...(others.length > 0 && { others }) };
  }, store);
  return { login, store: stored.store };
};

const currentUser = async ({ session }: CommandContext): Promise<LoginUser | undefined> => {
  try {
    const identity = await session.identity();
    return identity?.username == null ? undefined : identity;
  } catch (error) {
    return ignoreUnreadable(error);
  }
};

/** The password grant, by the given client or the client of actorctl. */
export const passwordGrant =
  (
    { session, grant, output }: CommandContext,
    username: string,
    password: string,
    client?: ClientCredentials,
    narrate: Narrate = createNarration({ output }, false),
  ) =>
  (): Promise<TokenResponse> => {
    if (username === '' || password === '') throw usage('the user name and the password must not be empty');
    const form = { grant_type: 'password', username, password } as const;
    narrate('POST /token with client authentication', Object.entries(form));
    return client ? grant(client, form) : session.withOwnClient((own) => grant(own, form));
  };
