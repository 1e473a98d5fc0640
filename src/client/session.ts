// Which token a request carries: found once by rank, renewed near its end under a lock, never lost to a network error.
import { CliFailure } from '../failure.ts';
import type { AccountRecord, CredentialStore, Login, StoreKind } from '../local/credentials.ts';
import { withLock } from '../local/lock.ts';
import type { Settings } from '../local/settings.ts';
import { type ClientCredentials, type Grant, isClientRefused, type TokenResponse } from './grant.ts';

/** Where a token comes from. */
export type TokenSource = StoreKind | 'token-file' | 'env:ACTORCTL_TOKEN' | 'client-credentials';

/** What is known of the login, without any secret. */
export interface Identity {
  readonly source: TokenSource;
  /** Null for an opaque token that was not checked. */
  readonly username: string | null;
  readonly tenant: string | null;
  readonly flow: Login['flow'] | null;
  readonly client: string | null;
  /** Milliseconds since the epoch; null when unknown. */
  readonly expiresAt: number | null;
  readonly refreshable: boolean;
}

export interface Session {
  /** Who the next request would be; undefined without any credential. Never asks a server. */
  readonly identity: () => Promise<Identity | undefined>;
  /**
   * The access token to send, renewed when it is about to expire.
   * @throws CliFailure AUTH_REQUIRED without any credential, TOKEN_EXPIRED when it ran out and cannot be renewed
   */
  readonly token: () => Promise<string>;
  /**
   * A new token in place of one that was refused, or undefined when it cannot be renewed.
   * @throws CliFailure NETWORK, DAEMON_NOT_RUNNING; credentials stay
   */
  readonly renew: (refused: string) => Promise<string | undefined>;
  /**
   * Asks with this program's own client, which is made when there is none yet and gets a new secret when it is refused.
   * @throws CliFailure AUTH_REQUIRED when there is none and none can be made here
   */
  readonly withOwnClient: <T>(ask: (client: ClientCredentials) => Promise<T>) => Promise<T>;
}

export interface SessionInput {
  readonly settings: Pick<Settings, 'account' | 'token' | 'tokenFile' | 'clientId' | 'clientSecret'>;
  readonly credentials: CredentialStore;
  readonly grant: Grant;
  /** Makes this program's own client, or gives it a new secret; absent where the service is not ours. */
  readonly makeClient?: () => Promise<ClientCredentials>;
  /** Text of the file that `--token-file` names. */
  readonly readTokenFile: (file: string) => Promise<string>;
  readonly lockFile: string;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** A token this near its end is renewed before it is sent, in milliseconds. */
const MARGIN_MS = 60_000;

/** The variable that overrides whatever is stored, if one does. @see cli.md "Env token vs stored" */
export const shadowOf = (settings: SessionInput['settings']): string | undefined => {
  if (settings.tokenFile !== undefined) return '--token-file';
  if (settings.token !== undefined) return 'ACTORCTL_TOKEN';
  return settings.clientId !== undefined && settings.clientSecret !== undefined ? 'ACTORCTL_CLIENT_ID' : undefined;
};

/** Tokens as they came; of a ready token nobody knows how long it lasts. */
export type Obtained = Omit<TokenResponse, 'expires_in'> & { readonly expires_in?: number };

/** What is kept of a token response. */
export const loginOf = (
  response: Obtained,
  whose: Pick<Login, 'username' | 'tenant' | 'flow' | 'clientId'> & { readonly clientSecret?: string | undefined },
  now: number,
): Login => ({
  username: whose.username,
  tenant: whose.tenant,
  flow: whose.flow,
  clientId: whose.clientId,
  ...(whose.clientSecret !== undefined && { clientSecret: whose.clientSecret }),
  accessToken: response.access_token,
  ...(response.refresh_token !== undefined && { refreshToken: response.refresh_token }),
  ...(response.scope !== undefined && { scope: response.scope }),
  expiresAt: response.expires_in === undefined ? null : now + response.expires_in * 1000,
});

const isRenewable = ({ flow, refreshToken, clientSecret }: Login): boolean =>
  flow === 'client_credentials' ? clientSecret !== undefined : refreshToken !== undefined;

/** Makes the session of a run. */
export const createSession = (input: SessionInput): Session => {
  const { settings, credentials, grant, makeClient, lockFile, now, signal } = input;
  let minted: Promise<string> | undefined;

  const mint = async (id: string, secret: string): Promise<string> =>
    (await grant({ id, secret }, { grant_type: 'client_credentials' })).access_token;

  /** The token of a source that outranks what is stored. */
  const override = async (): Promise<string | undefined> => {
    if (settings.tokenFile !== undefined) return (await input.readTokenFile(settings.tokenFile)).trim();
    if (settings.token !== undefined) return settings.token;
    if (settings.clientId === undefined || settings.clientSecret === undefined) return undefined;
    minted ??= mint(settings.clientId, settings.clientSecret);
    return minted;
  };

  const keepClient = async (client: ClientCredentials): Promise<void> => {
    const found = await credentials.read(settings.account);
    await credentials.write(settings.account, { ...found?.record, client });
  };

  const withOwnClient = async <T>(ask: (client: ClientCredentials) => Promise<T>): Promise<T> => {
    const known = (await credentials.read(settings.account))?.record.client;
    const make = async (): Promise<ClientCredentials> => {
      if (!makeClient) {
        throw new CliFailure('AUTH_REQUIRED', 'this service needs a client of yours', {
          hint: 'actorctl login --client ID --client-secret-stdin',
        });
      }
      const client = await makeClient();
      await keepClient(client);
      return client;
    };
    try {
      return await ask(known ?? (await make()));
    } catch (error) {
      if (!known || !makeClient || !isClientRefused(error)) throw error;
      return ask(await make());
    }
  };

  const refreshed = async (login: Login): Promise<TokenResponse> => {
    const { clientId, clientSecret, refreshToken } = login;
    if (login.flow === 'client_credentials' && clientId !== null && clientSecret !== undefined) {
      return grant({ id: clientId, secret: clientSecret }, { grant_type: 'client_credentials' });
    }
    if (refreshToken === undefined)
      throw new CliFailure('TOKEN_EXPIRED', 'the login has expired', { hint: 'actorctl login' });
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken } as const;
    if (clientId !== null && clientSecret !== undefined) return grant({ id: clientId, secret: clientSecret }, form);
    return withOwnClient((client) => grant(client, form));
  };

  /** Renews under the lock. Whoever waited for the lock finds the work done and only reads. */
  const renewStored = (stale: string): Promise<string | undefined> =>
    withLock(
      lockFile,
      async () => {
        const login = (await credentials.read(settings.account))?.record.login;
        if (!login) return undefined;
        if (login.accessToken !== stale) return login.accessToken;
        if (!isRenewable(login)) return undefined;
        try {
          const response = await refreshed(login);
          const next = loginOf(response, login, now());
          await keepLogin({ ...(login.refreshToken !== undefined && { refreshToken: login.refreshToken }), ...next });
          return next.accessToken;
        } catch (error) {
          // Only the service's own word ends a login. A network that fails says nothing about it (cli.md R10).
          if (!(error instanceof CliFailure) || error.code !== 'AUTH_FAILED' || isClientRefused(error)) throw error;
          await dropLogin();
          return undefined;
        }
      },
      { signal },
    );

  // A new secret of the client may have been stored meanwhile, so the record is read again.
  const keepLogin = async (login: Login): Promise<void> => {
    const found = await credentials.read(settings.account);
    await credentials.write(settings.account, { ...found?.record, login });
  };
  const dropLogin = async (): Promise<void> => {
    const { login: _spent, ...rest }: AccountRecord = (await credentials.read(settings.account))?.record ?? {};
    await credentials.write(settings.account, rest);
  };

  const expired = (): CliFailure =>
    new CliFailure('TOKEN_EXPIRED', 'the login has expired', { hint: 'actorctl login' });

  return {
    withOwnClient,
    identity: async () => {
      const nobody = { username: null, tenant: null, flow: null, client: null, expiresAt: null, refreshable: false };
      if (settings.tokenFile !== undefined) return { ...nobody, source: 'token-file' };
      if (settings.token !== undefined) return { ...nobody, source: 'env:ACTORCTL_TOKEN' };
      if (settings.clientId !== undefined && settings.clientSecret !== undefined) {
        return {
          ...nobody,
          source: 'client-credentials',
          flow: 'client_credentials',
          client: settings.clientId,
          refreshable: true,
        };
      }
      const found = await credentials.read(settings.account);
      const login = found?.record.login;
      if (!found || !login) return undefined;
      return {
        source: found.store,
        username: login.username,
        tenant: login.tenant,
        flow: login.flow,
        client: login.clientId,
        expiresAt: login.expiresAt,
        refreshable: isRenewable(login),
      };
    },
    token: async () => {
      const given = await override();
      if (given !== undefined) return given;
      const login = (await credentials.read(settings.account))?.record.login;
      if (!login) throw new CliFailure('AUTH_REQUIRED', 'you are not logged in', { hint: 'actorctl login' });
      const left = login.expiresAt === null ? Number.POSITIVE_INFINITY : login.expiresAt - now();
      if (left > MARGIN_MS) return login.accessToken;
      if (!isRenewable(login)) {
        if (left > 0) return login.accessToken;
        throw expired();
      }
      try {
        const renewed = await renewStored(login.accessToken);
        if (renewed === undefined) throw expired();
        return renewed;
      } catch (error) {
        // Still good for some seconds: let the request itself find out how the service is.
        if (left > 0 && error instanceof CliFailure && error.code === 'NETWORK') return login.accessToken;
        throw error;
      }
    },
    renew: async (refused) => {
      if (shadowOf(settings) === undefined) return renewStored(refused);
      if (settings.token !== undefined || settings.tokenFile !== undefined) return undefined;
      minted = undefined;
      const next = await override();
      return next === refused ? undefined : next;
    },
  };
};
