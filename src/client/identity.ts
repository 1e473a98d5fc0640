// Who a login is: what is told of it, what is kept of a token response, what outranks it. No secret is told.
import { CliFailure } from '../failure.ts';
import type { Login } from '../local/credentials/account-record.ts';
import type { StoreKind } from '../local/credentials/credentials.ts';
import type { Settings } from '../local/settings.ts';
import type { TokenResponse } from './grant.ts';

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

/** The variable that overrides whatever is stored, if one does. @see cli.md "Env token vs stored" */
export const shadowOf = (
  settings: Pick<Settings, 'token' | 'tokenFile' | 'clientId' | 'clientSecret'>,
): string | undefined => {
  if (settings.tokenFile !== undefined) return '--token-file';
  if (settings.token !== undefined) return 'ACTORCTL_TOKEN';
  return settings.clientId !== undefined && settings.clientSecret !== undefined ? 'ACTORCTL_CLIENT_ID' : undefined;
};

/** Tokens as they came; of a ready token nobody knows how long it lasts. */
export type Obtained = Omit<TokenResponse, 'expires_in'> & { readonly expires_in?: number };

/** What is kept of a token response. */
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

/** Whether a new access token can be had without anybody logging in again. */
export const isRenewable = ({ flow, refreshToken, clientSecret }: Login): boolean =>
  flow === 'client_credentials' ? clientSecret !== undefined : refreshToken !== undefined;

/** What is told of a stored login. */
export const identityOf = (login: Login, source: StoreKind): Identity => ({
  source,
  username: login.username,
  tenant: login.tenant,
  flow: login.flow,
  client: login.clientId,
  expiresAt: login.expiresAt,
  refreshable: isRenewable(login),
});

/** A keychain that does not answer must not stand in the way of a new login. */
export const ignoreUnreadable = (error: unknown): undefined => {
  if (error instanceof CliFailure && error.code === 'AUTH_REQUIRED') return undefined;
  throw error;
};
