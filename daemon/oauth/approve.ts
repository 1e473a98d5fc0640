// What an approval gives: a code or a token, durable before the browser is sent on with it.

import { Failure } from '../domain/failure.ts';
import { type AuthorizationRequest, type Refusal, readTarget } from '../domain/oauth/authorization-request.ts';
import { codeLocation, type Reply, refusalLocation, tokenLocation } from '../domain/oauth/authorization-response.ts';
import { approvalKey } from '../domain/records/account-records.ts';
import { joinKey } from '../domain/records/record-key.ts';
import type { Transaction } from '../ports/store.ts';
import type { SignedIn } from './session.ts';
import type { AuthorizationContext } from './show-forms.ts';

/** ms. @see auth.md R55 */
const CODE_LIFE_MS = 60_000;

/** Where a refusal goes. */
export const refuse = (
  context: Pick<AuthorizationContext, 'baseUrl'>,
  request: AuthorizationRequest,
  refusal: Refusal,
): string => refusalLocation(replyTo(context, request), refusal, request.flow === 'token');

const replyTo = (
  { baseUrl }: Pick<AuthorizationContext, 'baseUrl'>,
  { redirectUri, state }: AuthorizationRequest,
): Reply => ({
  redirectUri,
  state,
  issuer: baseUrl(),
});

const changedMeanwhile = () =>
  new Failure('VALIDATION', 'The client or your account was changed while the page was open. Nothing was approved.');

/** What was proven when the request came must still be so when something is given. */
const demandUnchanged = (tx: Transaction, request: AuthorizationRequest, user: SignedIn): void => {
  const asked = { client_id: request.clientId, redirect_uri: request.redirectUri };
  const { client } = readTarget(asked, (id) => tx.get('clients', id));
  const isAllowed = client.grants.includes(request.flow === 'code' ? 'authorization_code' : 'implicit');
  const account = tx.get('users', joinKey(user.tenant, user.username));
  if (!isAllowed || client.tenant !== user.tenant || account?.passwordHash !== user.passwordHash)
    throw changedMeanwhile();
};

/** What a code or a token is given for. */
const approvalOf = ({ clientId, redirectUri, scope }: AuthorizationRequest, { tenant, username }: SignedIn) => ({
  tenant,
  username,
  clientId,
  redirectUri,
  scope,
});

const issueCode = (
  { vault, ids, clock }: AuthorizationContext,
  tx: Transaction,
  request: AuthorizationRequest,
  user: SignedIn,
) => {
  const code = ids.secret();
  tx.put('codes', {
    ...approvalOf(request, user),
    hash: vault.digest(code),
    grantId: ids.id(),
    expiresAt: clock.now() + CODE_LIFE_MS,
    ...(request.challenge !== undefined && { challenge: request.challenge }),
  });
  return code;
};

const issueImplicitToken = (
  { clock, issue }: AuthorizationContext,
  tx: Transaction,
  request: AuthorizationRequest,
  user: SignedIn,
) => {
  const approval = approvalOf(request, user);
  tx.put('approvals', { ...approval, approvedAt: clock.now() });
  const { tenant, username, scope } = approval;
  const { access_token, token_type, expires_in } = issue(tx, request.clientId, {
    tenant,
    username,
    scope,
    flow: 'implicit',
  });
  return { access_token, token_type, expires_in };
};

/** Whether the user has approved exactly this before; it counts in the implicit flow only. @see auth.md C19, R28 */
export const isApproved = (
  { store }: Pick<AuthorizationContext, 'store'>,
  request: AuthorizationRequest,
  user: SignedIn,
): boolean =>
  request.flow === 'token' &&
  !request.alwaysAsk &&
  store.get('approvals', approvalKey(approvalOf(request, user))) !== undefined;

/**
 * Gives what was asked for; answers where the browser goes with it. A fault of ours goes to the client as one.
 * @throws Failure VALIDATION when client, redirect URI or user are not what they were
 * @see auth.md 1.1, R13, R25, R26
 */
export const approve = async (
  context: AuthorizationContext,
  request: AuthorizationRequest,
  user: SignedIn,
): Promise<string> => {
  const reply = replyTo(context, request);
  try {
    return await context.store.transact((tx) => {
      demandUnchanged(tx, request, user);
      return request.flow === 'code'
        ? codeLocation(reply, issueCode(context, tx, request, user))
        : tokenLocation(reply, issueImplicitToken(context, tx, request, user));
    });
  } catch (error) {
    if (error instanceof Failure && error.code === 'VALIDATION') throw error;
    const isOverload = error instanceof Failure && error.code !== 'INTERNAL';
    context.logger.error({ error, client: request.clientId }, 'an approval could not be given');
    return refuse(context, request, {
      error: isOverload ? 'temporarily_unavailable' : 'server_error',
      description: 'The service could not store the approval. Nothing was given.',
    });
  }
};
