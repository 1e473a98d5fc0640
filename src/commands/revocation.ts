// Ends the tokens of a login at the service, not only here. @see RFC 7009
import type { ClientCredentials } from '../client/grant.ts';
import type { Context } from '../context.ts';
import { operations } from '../contract/operations.ts';
import { CliFailure } from '../failure.ts';
import type { AccountRecord, Login } from '../local/credentials.ts';

/** The client that a login was made by, as far as it can prove itself. */
export const clientOfLogin = (login: Login, record: AccountRecord): ClientCredentials | undefined => {
  if (login.clientId === null) return undefined;
  if (login.clientSecret !== undefined) return { id: login.clientId, secret: login.clientSecret };
  if (login.publicClient) return { id: login.clientId };
  return record.client?.id === login.clientId ? record.client : undefined;
};

/**
 * Ends one token; one that is dead already is no error.
 * @throws CliFailure AUTH_FAILED when the client is refused; DAEMON_NOT_RUNNING, NETWORK
 */
export const revokeToken = async (
  { askAsClient }: Pick<Context, 'askAsClient'>,
  client: ClientCredentials,
  token: string,
  kind?: 'access_token' | 'refresh_token',
): Promise<void> => {
  await askAsClient(operations['token.revoke'].path, client, {
    token,
    ...(kind !== undefined && { token_type_hint: kind }),
  });
};

/**
 * Ends all tokens of a login and answers how many.
 * @throws as `revokeToken`; AUTH_FAILED when no client is known that may
 */
export const revokeLogin = async (
  context: Pick<Context, 'askAsClient'>,
  login: Login,
  record: AccountRecord,
): Promise<number> => {
  const client = clientOfLogin(login, record);
  if (!client) throw new CliFailure('AUTH_FAILED', 'the client that the token was made by is not known here');
  // The refresh token first: it would make new ones.
  if (login.refreshToken !== undefined) await revokeToken(context, client, login.refreshToken, 'refresh_token');
  await revokeToken(context, client, login.accessToken, 'access_token');
  return login.refreshToken === undefined ? 1 : 2;
};
