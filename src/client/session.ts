// Which token a request carries: found once by rank, renewed near its end under a lock, never lost to a network error.
import { CliFailure } from '../failure.ts';
import type { AccountRecord, Login } from '../local/credentials/account-record.ts';
import type { CredentialStore, Stored } from '../local/credentials/credentials.ts';
import { withLock } from '../local/lock.ts';
import type { Settings, StoreChoice } from '../local/settings.ts';
import { type ClientCredentials, type Grant, isClientRefused, type TokenResponse } from './grant.ts';
import { type Identity, identityOf, ignoreUnreadable, isRenewable, loginOf, shadowOf } from './identity.ts';

export interface Session {
  /** Who the next request would be; undefined without any credential. Never asks a server. */
  readonly identity: () => Promise<Identity | undefined>;
  /**
   * The access token to send, renewed when it is about to expire.
   * @param marginMs what is left of its life before it is renewed; 60 s
   * @throws CliFailure AUTH_REQUIRED without any credential, TOKEN_EXPIRED when it ran out and cannot be renewed
   */
  readonly token: (marginMs?: number) => Promise<string>;
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
  /**
   * This program's own client.
   * @param fresh make it anew, or give it a new secret, even if there is one
   * @throws CliFailure AUTH_REQUIRED when there is none and none can be made here
   */
  readonly ownClient: (fresh?: boolean) => Promise<ClientCredentials>;
  /** Changes what is kept of this account while nobody else renews or changes it. */
  readonly change: (edit: (before: AccountRecord) => AccountRecord, choice?: StoreChoice) => Promise<Stored>;
}

export interface SessionInput {
  readonly settings: Pick<Settings, 'account' | 'token' | 'tokenFile' | 'clientId' | 'clientSecret'>;
  readonly credentials: CredentialStore;
  readonly grant: Grant;
  /** Makes this program's own client, or gives it a new secret; absent where the service is not ours. */
  readonly makeClient?: () => Promise<{ readonly id: string; readonly secret: string }>;
  /** Text of the file that `--token-file` names. */
  readonly readTokenFile: (file: string) => Promise<string>;
  /** Told once when the keychain is given up for the file by a write of which nobody else hears. */
  readonly onDowngrade: (reason: string) => void;
  readonly lockFile: string;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** A token this near its end is renewed before it is sent, in milliseconds. */
const MARGIN_MS = 60_000;

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

  const keep = async (record: AccountRecord): Promise<void> => {
    const { downgraded } = await credentials.write(settings.account, record);
    if (downgraded !== undefined) input.onDowngrade(downgraded);
  };

  const keepClient = async (client: { readonly id: string; readonly secret: string }): Promise<void> => {
    const found = await credentials.read(settings.account);
    await keep({ ...found?.record, client });
  };

  const knownClient = async (): Promise<ClientCredentials | undefined> =>
    (await credentials.read(settings.account))?.record.client;
  const newClient = async (): Promise<ClientCredentials> => {
    if (!makeClient) {
      throw new CliFailure('AUTH_REQUIRED', 'this service needs a client of yours', {
        hint: 'actorctl login --client ID --client-secret-stdin',
      });
    }
    const client = await makeClient();
    await keepClient(client);
    return client;
  };

  const withOwnClient = async <T>(ask: (client: ClientCredentials) => Promise<T>): Promise<T> => {
    const known = await knownClient();
    try {
      return await ask(known ?? (await newClient()));
    } catch (error) {
      if (!known || !makeClient || !isClientRefused(error)) throw error;
      return ask(await newClient());
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
    if (clientId !== null && login.publicClient) return grant({ id: clientId }, form);
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
    await keep({ ...found?.record, login });
  };
  const dropLogin = async (): Promise<void> => {
    const { login: _spent, ...rest }: AccountRecord = (await credentials.read(settings.account))?.record ?? {};
    await keep(rest);
  };

  const expired = (): CliFailure =>
    new CliFailure('TOKEN_EXPIRED', 'the login has expired', { hint: 'actorctl login' });

  return {
    withOwnClient,
    ownClient: async (fresh = false) => (fresh ? undefined : await knownClient()) ?? newClient(),
    change: (edit, choice) =>
      withLock(
        lockFile,
        async () => {
          const before = await credentials.read(settings.account).catch(ignoreUnreadable);
          return credentials.write(settings.account, edit(before?.record ?? {}), choice);
        },
        { signal },
      ),
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
      return identityOf(login, found.store);
    },
    token: async (marginMs = MARGIN_MS) => {
      const given = await override();
      if (given !== undefined) return given;
      const login = (await credentials.read(settings.account))?.record.login;
      if (!login) throw new CliFailure('AUTH_REQUIRED', 'you are not logged in', { hint: 'actorctl login' });
      const left = login.expiresAt === null ? Number.POSITIVE_INFINITY : login.expiresAt - now();
      if (left > marginMs) return login.accessToken;
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
