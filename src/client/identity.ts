// The identity of a login: its public fields, its stored token fields, and the variables that override it. It shows
// no secrets.
import { CliFailure } from '../failure.ts';
import type { Login } from '../local/credentials/account-record.ts';
import type { StoreKind } from '../local/credentials/credentials.ts';
import type { Settings } from '../local/settings/settings.ts';
import type { TokenResponse } from './grant.ts';

export type TokenSource = StoreKind | 'token-file' | 'env:ACTORCTL_TOKEN' | 'client-credentials';

export interface Identity {
  readonly source: TokenSource;
  /** Null for an opaque token that has not been checked with the service. */
  readonly username: string | null;
  readonly tenant: string | null;
  readonly flow: Login['flow'] | null;
  readonly client: string | null;
  /** Milliseconds since the epoch. Null: unknown. */
  readonly expiresAt: number | null;
  readonly refreshable: boolean;
}

/** Name of the flag or variable that has a token. Such a token cannot be renewed. */
export const tokenSourceOf = (settings: Pick<Settings, 'token' | 'tokenFile'>): string | undefined => {
  if (settings.tokenFile !== undefined) return '--token-file';
  return settings.token === undefined ? undefined : 'ACTORCTL_TOKEN';
};

/** Name of the flag or variable that overrides the stored login, if one is set. @see docs/cli.md#credentials */
export const shadowOf = (
  settings: Pick<Settings, 'token' | 'tokenFile' | 'clientId' | 'clientSecret'>,
): string | undefined =>
  tokenSourceOf(settings) ??
  (settings.clientId !== undefined && settings.clientSecret !== undefined ? 'ACTORCTL_CLIENT_ID' : undefined);

export const shadowIdentity = (settings: Parameters<typeof shadowOf>[0]): Identity | undefined => {
  const nobody = { username: null, tenant: null, flow: null, client: null, expiresAt: null, refreshable: false };
  if (settings.tokenFile !== undefined) return { ...nobody, source: 'token-file' };
  if (settings.token !== undefined) return { ...nobody, source: 'env:ACTORCTL_TOKEN' };
  if (settings.clientId === undefined || settings.clientSecret === undefined) return undefined;
  const { clientId: client } = settings;
  return { ...nobody, source: 'client-credentials', flow: 'client_credentials', client, refreshable: true };
};

/** Received tokens. The lifetime of a token that the user supplied is unknown. */
export type Obtained = Omit<TokenResponse, 'expires_in'> & { readonly expires_in?: number };

export const loginOf = (
  response: Obtained,
  whose: Pick<Login, 'username' | 'tenant' | 'flow' | 'clientId' | 'publicClient'> & {
    readonly clientSecret?: string | undefined;
  },
  now: number,
): Login => ({
  username: whose.username,
  tenant: whose.tenant,
  flow: whose.flow,
  clientId: whose.clientId,
  ...(whose.clientSecret !== undefined && { clientSecret: whose.clientSecret }),
  ...(whose.publicClient && { publicClient: true }),
  accessToken: response.access_token,
  ...(response.refresh_token !== undefined && { refreshToken: response.refresh_token }),
  ...(response.scope !== undefined && { scope: response.scope }),
  expiresAt: response.expires_in === undefined ? null : now + response.expires_in * 1000,
});

/** True if a new access token can be obtained without a new login. */
export const isRenewable = ({ flow, refreshToken }: Pick<Login, 'flow' | 'refreshToken'>): boolean =>
  flow === 'client_credentials' || refreshToken !== undefined;

export const identityOf = (login: Login, source: StoreKind): Identity => ({
  source,
  username: login.username,
  tenant: login.tenant,
  flow: login.flow,
  client: login.clientId,
  expiresAt: login.expiresAt,
  refreshable: isRenewable(login),
});

/** Returns undefined if the keychain does not respond, so that a new login is still possible. */
export const ignoreUnreadable = (error: unknown): undefined => {
  if (error instanceof CliFailure && error.code === 'AUTH_REQUIRED') return undefined;
  throw error;
};
