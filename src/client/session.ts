// Selects the token of a request and renews it under a lock before it expires. A network error never deletes a token.
import { CliFailure, usage } from '../failure.ts';
import {
  type AccountRecord,
  isSameLogin,
  type Login,
  loginsOf,
  replaceLogin,
} from '../local/credentials/account-record.ts';
import type { CredentialStore, Found } from '../local/credentials/credentials.ts';
import type { LockOptions } from '../local/lock/with-lock.ts';
import type { Settings, StoreChoice } from '../local/settings/settings.ts';
import { type ClientCredentials, type Grant, isClientRefused, type TokenResponse } from './grant.ts';
import {
  type Identity,
  identityOf,
  ignoreUnreadable,
  isRenewable,
  loginOf,
  shadowIdentity,
  shadowOf,
} from './identity.ts';
import { type ServiceClock, timeLeft } from './service-clock.ts';

export interface Session {
  /** Identity that the next request will use. Sends no request. Undefined if there are no credentials. */
  readonly identity: () => Promise<Identity | undefined>;
  /**
   * The access token to send, renewed if it is about to expire. With a virtual clock the token may have expired
   * unnoticed: then the service refuses it, and `renew` obtains a new token.
   * @param marginMs remaining lifetime below which it is renewed; default 60 s
   * @throws CliFailure AUTH_REQUIRED without credentials, TOKEN_EXPIRED if it has expired and cannot be renewed
   */
  readonly token: (marginMs?: number) => Promise<string>;
  /**
   * Like `token`, but for another program, which cannot renew the token. The token is valid according to the clock of
   * the service.
   */
  readonly tokenToHandOut: (marginMs?: number) => Promise<string>;
  /**
   * A new token for the user of the refused token, even if another user is current by now. Undefined if it
   * cannot be renewed.
   * @param whose the login of `refused`, if `token` did not return it
   * @throws CliFailure NETWORK, DAEMON_NOT_RUNNING; the credentials stay stored
   */
  readonly renew: (refused: string, whose?: Login) => Promise<string | undefined>;
  /** Calls `ask` with this program's own client, created or replaced if needed. @throws CliFailure AUTH_REQUIRED */
  readonly withOwnClient: <T>(ask: (client: ClientCredentials) => Promise<T>) => Promise<T>;
  /** This program's own client, created if there is none. */
  readonly ownClient: () => Promise<ClientCredentials>;
  /** Changes the stored account under its lock. */
  readonly change: (
    edit: (before: AccountRecord) => AccountRecord,
    choice?: StoreChoice,
  ) => Promise<Pick<Found, 'store'>>;
}

export interface SessionInput {
  readonly settings: Pick<Settings, 'account' | 'token' | 'tokenFile' | 'clientId' | 'clientSecret'>;
  readonly credentials: CredentialStore;
  readonly grant: Grant;
  /** Creates this program's own client, or replaces its secret. Absent if the service is not the local daemon. */
  readonly makeClient?: () => Promise<{ readonly id: string; readonly secret: string }>;
  /** The public client of this program at a service that is not the local daemon. */
  readonly publicClient: () => Promise<ClientCredentials>;
  /** Reads the file named by `--token-file`. Called for every request. */
  readonly readTokenFile: (file: string) => Promise<string>;
  /** Lock of the stored account. Every change of the account is made under this lock. */
  readonly lockFile: string;
  /** The time of the service, whose tokens expire. */
  readonly clock: Pick<ServiceClock, 'now' | 'ask'>;
  readonly signal: AbortSignal;
}

/** Remaining lifetime in milliseconds below which a token is renewed before it is sent. */
const MARGIN_MS = 60_000;

const expired = (): CliFailure => new CliFailure('TOKEN_EXPIRED', 'the login has expired', { hint: 'actorctl login' });

type Locking = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs the work without locking, for a caller that already holds the lock. */
const alreadyLocked: Locking = (work) => work();

/**
 * Runs `work` under a lock. The module is loaded on demand, because most commands find a valid token and need no
 * lock.
 */
const locked = async <T>(file: string, work: () => Promise<T>, options: LockOptions): Promise<T> => {
  const { withLock } = await import('../local/lock/with-lock.ts');
  return withLock(file, work, options);
};

export const createSession = (input: SessionInput): Session => {
  const { settings, credentials, grant, makeClient, publicClient, lockFile, clock, signal } = input;
  let minted: Promise<string> | undefined;
  const underLock: Locking = (work) => locked(lockFile, work, { signal });

  const override = async (): Promise<string | undefined> => {
    if (settings.tokenFile !== undefined) {
      const token = (await input.readTokenFile(settings.tokenFile)).trim();
      if (token === '') throw usage(`cannot use --token-file ${settings.tokenFile}: it holds no token`);
      return token;
    }
    if (settings.token !== undefined) return settings.token;
    const { clientId: id, clientSecret: secret } = settings;
    if (id === undefined || secret === undefined) return undefined;
    minted ??= grant({ id, secret }, { grant_type: 'client_credentials' }).then(({ access_token: token }) => token);
    return minted;
  };

  const keep = async (record: AccountRecord): Promise<void> => {
    await credentials.write(settings.account, record);
  };

  const recordNow = async (): Promise<AccountRecord> => (await credentials.read(settings.account))?.record ?? {};

  const knownClient = async (): Promise<ClientCredentials | undefined> => (await recordNow()).client;

  /**
   * Creates the first client, or replaces a refused client. A new secret invalidates the previous one, so only one
   * process at a time requests it, and the other processes use the secret that it stored.
   */
  const newClient = async (lock: Locking, refused?: ClientCredentials): Promise<ClientCredentials> => {
    if (!makeClient) return publicClient();
    return lock(async () => {
      const stored = await knownClient();
      if (stored !== undefined && stored.secret !== refused?.secret) return stored;
      const client = await makeClient();
      await keep({ ...(await recordNow()), client });
      return client;
    });
  };

  const withOwnClient = async <T>(ask: (client: ClientCredentials) => Promise<T>, lock: Locking): Promise<T> => {
    const client = (await knownClient()) ?? (await newClient(lock));
    try {
      return await ask(client);
    } catch (error) {
      if (!makeClient || !isClientRefused(error)) throw error;
      return ask(await newClient(lock, client));
    }
  };

  /** Requests new tokens for a login. The caller holds the lock. */
  const refreshed = async (login: Login): Promise<TokenResponse> => {
    const { flow, clientId, clientSecret, refreshToken } = login;
    if (flow !== 'client_credentials' && refreshToken === undefined) throw expired();
    const form =
      refreshToken === undefined
        ? ({ grant_type: 'client_credentials' } as const)
        : ({ grant_type: 'refresh_token', refresh_token: refreshToken } as const);
    if (clientId !== null && clientSecret !== undefined) return grant({ id: clientId, secret: clientSecret }, form);
    if (clientId !== null && login.publicClient) return grant({ id: clientId }, form);
    return withOwnClient((client) => grant(client, form), alreadyLocked);
  };

  /**
   * The login of each access token that was returned. A token is renewed for its own user, even if another user has
   * become current.
   */
  const senders = new Map<string, Login>();
  const handOut = (login: Login): string => {
    senders.set(login.accessToken, login);
    return login.accessToken;
  };

  /** Renews the token under the lock. A process that waited for the lock finds the new token and returns it. */
  const renewStored = (stale: string, whose = senders.get(stale)): Promise<string | undefined> =>
    underLock(async () => {
      const logins = loginsOf(await recordNow());
      const login =
        logins.find(({ accessToken }) => accessToken === stale) ??
        logins.find((each) => whose !== undefined && isSameLogin(each, whose));
      if (!login) return undefined;
      if (login.accessToken !== stale) return handOut(login);
      // The refusal contained the time of the service.
      if (!isRenewable(login) && login.expiresAt !== null && login.expiresAt <= clock.now()) throw expired();
      if (!isRenewable(login)) return undefined;
      // A new client secret may be stored during the renewal, so the record is read again.
      try {
        const { refreshToken } = login;
        const response = await refreshed(login);
        const time = await clock.ask();
        const next = { refreshToken, ...loginOf(response, login, time) };
        await keep(replaceLogin(await recordNow(), stale, next));
        return handOut(next);
      } catch (error) {
        // Only a refusal by the service ends a login. A network error does not.
        if (!(error instanceof CliFailure) || error.code !== 'AUTH_FAILED' || isClientRefused(error)) throw error;
        await keep(replaceLogin(await recordNow(), stale));
        return undefined;
      }
    });

  const token: Session['token'] = async (marginMs = MARGIN_MS) => {
    const given = await override();
    if (given !== undefined) return given;
    const { login } = await recordNow();
    if (!login) throw new CliFailure('AUTH_REQUIRED', 'you are not logged in', { hint: 'actorctl login' });
    const left = await timeLeft(login.expiresAt, marginMs, clock);
    if (left > marginMs) return handOut(login);
    if (!isRenewable(login)) {
      if (left > 0) return handOut(login);
      throw expired();
    }
    try {
      const renewed = await renewStored(login.accessToken, login);
      if (renewed === undefined) throw expired();
      return renewed;
    } catch (error) {
      // The token is still valid for some seconds, so the request is tried. It will show whether the service is
      // reachable.
      if (left > 0 && error instanceof CliFailure && error.code === 'NETWORK') return handOut(login);
      throw error;
    }
  };

  return {
    withOwnClient: (ask) => withOwnClient(ask, underLock),
    ownClient: async () => (await knownClient()) ?? newClient(underLock),
    change: (edit, choice) =>
      underLock(async () => {
        const before = await credentials.read(settings.account).catch(ignoreUnreadable);
        return credentials.write(settings.account, edit(before?.record ?? {}), choice);
      }),
    identity: async () => {
      const shadow = shadowIdentity(settings);
      if (shadow !== undefined) return shadow;
      const found = await credentials.read(settings.account);
      const login = found?.record.login;
      if (!found || !login) return undefined;
      return identityOf(login, found.store);
    },
    token,
    tokenToHandOut: async (marginMs) => {
      await clock.ask();
      return token(marginMs);
    },
    renew: async (refused, whose) => {
      if (shadowOf(settings) === undefined) return renewStored(refused, whose);
      if (settings.token !== undefined || settings.tokenFile !== undefined) return undefined;
      minted = undefined;
      const next = await override();
      return next === refused ? undefined : next;
    },
  };
};
