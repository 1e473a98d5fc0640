// The token endpoint: which client, which grant, what is issued; answered only when it is durable. @see spec 4.1, RFC 6749 3.2
import type { Grant, TokenRecord } from '../domain/records.ts';
import { tokenLifetime } from '../domain/token-lifetime.ts';
import type { Handlers } from '../http/on.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Transaction } from '../ports/store.ts';
import { oauthFailure } from './answer.ts';
import { authenticateClient } from './client-auth.ts';
import { readParameters, required } from './form.ts';
import { clientCredentialsGrant } from './grants/client-credentials.ts';
import type { GrantDependencies, GrantEntry, Issue } from './grants/grant.ts';
import { passwordGrant } from './grants/password.ts';
import { refreshTokenGrant } from './grants/refresh-token.ts';

export interface TokenDependencies extends GrantDependencies {
  readonly ids: Ids;
  readonly clock: Clock;
}

/** Every grant that is spoken; a new one is a new row. A Map: no name of a request is special. @see auth.md R37 */
const grantTable = (dependencies: GrantDependencies): ReadonlyMap<string, GrantEntry> =>
  new Map<Grant, GrantEntry>([
    ['password', { needs: 'password', rule: passwordGrant(dependencies) }],
    ['client_credentials', { needs: 'client_credentials', rule: clientCredentialsGrant() }],
    ['refresh_token', { needs: 'refresh_token', rule: refreshTokenGrant(dependencies) }],
  ]);

export const tokenHandlers = (dependencies: TokenDependencies): Handlers<'token.create'> => {
  const { store, vault, ids, clock } = dependencies;
  const grants = grantTable(dependencies);

  const issue = (tx: Transaction, clientId: string, { refreshToken, ...granted }: Issue) => {
    const { tenant, username, scope, flow, grantId = ids.id() } = granted;
    const now = clock.now();
    const seconds = tokenLifetime(tx.get('tenants', tenant)?.lifetimes ?? {}, flow);
    const common = { tenant, username, clientId, scope, grantId, flow, issuedAt: now };
    const accessToken = ids.secret();
    const access: TokenRecord = {
      ...common,
      hash: vault.digest(accessToken),
      kind: 'access',
      expiresAt: now + seconds * 1_000,
    };
    tx.put('tokens', access);
    const answer = { access_token: accessToken, token_type: 'bearer', expires_in: seconds, scope };
    if (refreshToken === undefined) return answer;
    if (refreshToken.kind === 'same') return { ...answer, refresh_token: refreshToken.value };
    const value = ids.secret();
    tx.put('tokens', { ...common, hash: vault.digest(value), kind: 'refresh' });
    return { ...answer, refresh_token: value };
  };

  return {
    'token.create': async ({ input, request }) => {
      const parameters = readParameters(input);
      const source = request.socket.remoteAddress ?? '';
      const client = authenticateClient(dependencies, request, parameters);
      const entry = grants.get(required(parameters, 'grant_type'));
      if (entry === undefined) {
        throw oauthFailure('unsupported_grant_type', `The grant types are ${[...grants.keys()].join(', ')}.`);
      }
      if (!client.grants.includes(entry.needs)) {
        throw oauthFailure('unauthorized_client', `This client is not registered for ${entry.needs}.`);
      }
      const decide = await entry.rule({ client, parameters, source });
      const result = await store.transact((tx) => issue(tx, client.id, decide(tx)));
      return { result, message: 'Token issued.' };
    },
  };
};
