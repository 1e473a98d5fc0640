// Introspects and revokes the tokens of a client. @see RFC 7009, RFC 7662
import type { ClientCredentials } from '../../client/grant.ts';
import type { CommandContext } from '../../context.ts';
import { routes } from '../../contract/for-client.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import { CliFailure } from '../../failure.ts';
import type { AccountRecord, Login } from '../../local/credentials/account-record.ts';

export type Introspection = ResultOf<Operations['token.introspect']>;

/** The tenant of the user of an active token. Undefined if the service does not return it. */
export const tenantOf = ({ sub = '' }: Introspection): string | undefined => /^([^/]+)\/./.exec(sub)?.[1];

/** The client that obtained a login, if its credentials are known. */
export const clientOfLogin = (login: Login, record: AccountRecord): ClientCredentials | undefined => {
  if (login.clientId === null) return undefined;
  if (login.clientSecret !== undefined) return { id: login.clientId, secret: login.clientSecret };
  if (login.publicClient) return { id: login.clientId };
  return record.client?.id === login.clientId ? record.client : undefined;
};

/** @throws CliFailure AUTH_FAILED if the client is refused */
export const introspect = async (
  { askAsClient }: Pick<CommandContext, 'askAsClient'>,
  client: ClientCredentials,
  token: string,
): Promise<Introspection> => {
  const text = await askAsClient(routes['token.introspect'].path, client, { token });
  const { tokenOperations } = await import('../../contract/oauth/token.ts');
  try {
    return tokenOperations['token.introspect'].result.parse(JSON.parse(text));
  } catch (error) {
    throw new CliFailure(
      'DAEMON_VERSION',
      'the service returned an introspection response that actorctl does not understand',
      {
        cause: error,
      },
    );
  }
};

/**
 * Revokes a token. An already invalid token is not an error. @throws CliFailure AUTH_FAILED if the client is
 * refused
 */
export const revokeToken = async (
  { askAsClient }: Pick<CommandContext, 'askAsClient'>,
  client: ClientCredentials,
  token: string,
  kind?: 'access_token' | 'refresh_token',
): Promise<void> => {
  await askAsClient(routes['token.revoke'].path, client, {
    token,
    ...(kind !== undefined && { token_type_hint: kind }),
  });
};

/** Returns the number of revoked tokens. @throws CliFailure AUTH_FAILED if the client is unknown or refused */
export const revokeLogin = async (
  context: Pick<CommandContext, 'askAsClient'>,
  login: Login,
  record: AccountRecord,
): Promise<number> => {
  const client = clientOfLogin(login, record);
  if (!client)
    throw new CliFailure(
      'AUTH_FAILED',
      `cannot revoke the token of ${login.username ?? 'the login'}: the credentials of the client that obtained it are not stored here`,
      {
        hint: 'to revoke it with its client: actorctl auth revoke - --client ID. To delete only the stored token: actorctl logout',
      },
    );
  // The refresh token is revoked first, because it could obtain new access tokens.
  if (login.refreshToken !== undefined) await revokeToken(context, client, login.refreshToken, 'refresh_token');
  await revokeToken(context, client, login.accessToken, 'access_token');
  return login.refreshToken === undefined ? 1 : 2;
};
