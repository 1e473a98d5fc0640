// Issues the code or token of an approval. It is durable before the browser is redirected.

import { Failure } from '../domain/failure.ts';
import { type AuthorizationRequest, type Refusal, readTarget } from '../domain/oauth/authorization-request.ts';
import { codeLocation, type Reply, refusalLocation, tokenLocation } from '../domain/oauth/authorization-response.ts';
import { findClient } from '../domain/oauth/find-client.ts';
import { approvalKey } from '../domain/records/account-records.ts';
import { joinKey } from '../domain/records/record-key.ts';
import type { Transaction } from '../ports/store.ts';
import type { SignedIn, UserSession } from './session.ts';
import type { AuthorizationContext } from './show-forms.ts';

/** Lifetime of a code in ms. @see docs/conformance/security.md R55 */
const CODE_LIFE_MS = 60_000;

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
  new Failure(
    'VALIDATION',
    'The client or your account changed while the page was open. Nothing was approved. Start again.',
  );

/**
 * Checks in the transaction that the client, the redirect URI and the user have not changed since the request arrived,
 * and that the browser is still logged in.
 */
const demandUnchanged = (tx: Transaction, request: AuthorizationRequest, { user, browser }: UserSession): void => {
  const asked = { client_id: request.clientId, redirect_uri: request.redirectUri };
  const { client } = readTarget(asked, (id) => findClient(tx, id));
  const isAllowed = client.grants.includes(request.flow === 'code' ? 'authorization_code' : 'implicit');
  const owner = joinKey(user.tenant, user.username);
  const account = tx.get('users', owner);
  const isLoggedIn = tx.by('sessions', 'user', owner).some((session) => session.browser === browser);
  if (!isAllowed || !isLoggedIn || client.tenant !== user.tenant || account?.passwordHash !== user.passwordHash)
    throw changedMeanwhile();
};

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
  { user, browser }: UserSession,
) => {
  const code = ids.secret();
  tx.put('codes', {
    ...approvalOf(request, user),
    hash: vault.digest(code),
    grantId: ids.id(),
    browser,
    expiresAt: clock.now() + CODE_LIFE_MS,
    isRenewable: request.isRenewable,
    ...(request.challenge !== undefined && { challenge: request.challenge }),
  });
  return code;
};

const issueImplicitToken = (
  { clock, issue }: AuthorizationContext,
  tx: Transaction,
  request: AuthorizationRequest,
  { user, browser }: UserSession,
) => {
  const approval = approvalOf(request, user);
  tx.put('approvals', { ...approval, approvedAt: clock.now() });
  const { tenant, username, scope } = approval;
  const { access_token, token_type, expires_in } = issue(tx, request.clientId, {
    tenant,
    username,
    scope,
    flow: 'implicit',
    browser,
  });
  return { access_token, token_type, expires_in };
};

/** True if exactly this request was approved before. Only for the implicit flow. @see docs/conformance/security.md C19, R28 */
export const isApproved = (
  { store }: Pick<AuthorizationContext, 'store'>,
  request: AuthorizationRequest,
  user: SignedIn,
): boolean =>
  request.flow === 'token' &&
  !request.alwaysAsk &&
  store.get('approvals', approvalKey(approvalOf(request, user))) !== undefined;

/**
 * Issues the code or token. An internal error is reported to the client by redirect.
 * @throws Failure VALIDATION if client, redirect URI or user have changed
 * @see docs/conformance/security.md#redirected-to-the-client R13, R25, R26
 */
export const approve = async (
  context: AuthorizationContext,
  request: AuthorizationRequest,
  session: UserSession,
): Promise<string> => {
  const reply = replyTo(context, request);
  try {
    return await context.store.transact((tx) => {
      demandUnchanged(tx, request, session);
      return request.flow === 'code'
        ? codeLocation(reply, issueCode(context, tx, request, session))
        : tokenLocation(reply, issueImplicitToken(context, tx, request, session));
    });
  } catch (error) {
    if (error instanceof Failure && error.code === 'VALIDATION') throw error;
    const isOverload = error instanceof Failure && error.code !== 'INTERNAL';
    context.logger.error({ error, client: request.clientId }, 'cannot issue an approved code or token');
    return refuse(context, request, {
      error: isOverload ? 'temporarily_unavailable' : 'server_error',
      description: 'The service could not store the approval. Nothing was approved.',
    });
  }
};
