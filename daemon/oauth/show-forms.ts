// Shows the login page and the consent page, each with its own pending authorization.
import type { ServerResponse } from 'node:http';
import { Failure } from '../domain/failure.ts';
import type { AuthorizationRequest } from '../domain/oauth/authorization-request.ts';
import { isDashboard } from '../domain/oauth/dashboard-client.ts';
import { findClient } from '../domain/oauth/find-client.ts';
import { tokenLifetime } from '../domain/oauth/token-lifetime.ts';
import type { ClientRecord } from '../domain/records/account-records.ts';
import type { ANSWERED } from '../http/route-handler.ts';
import type { Logger } from '../ports/logger.ts';
import type { PasswordCheck } from '../ports/password-check.ts';
import { sendPage } from './browser-response.ts';
import type { Issuer } from './issue.ts';
import { consentPage } from './pages/consent.ts';
import { loginPage } from './pages/login.ts';
import type { LoginModel } from './pages/model.ts';
import type { FormKeys, PendingAuthorizations } from './pending-authorization.ts';
import type { Session, SessionDependencies, Sessions, SignedIn } from './session.ts';

export interface AuthorizeDependencies extends SessionDependencies {
  readonly checkPassword: PasswordCheck;
  readonly logger: Logger;
}

export interface AuthorizationContext extends AuthorizeDependencies {
  readonly sessions: Sessions;
  readonly transactions: PendingAuthorizations;
  readonly issue: Issuer;
}

/** The client of a pending authorization. @throws Failure VALIDATION if it was deleted meanwhile */
export const clientOf = (
  { store }: Pick<AuthorizationContext, 'store'>,
  { clientId }: AuthorizationRequest,
): ClientRecord => {
  const client = findClient(store, clientId);
  if (client !== undefined) return client;
  throw new Failure('VALIDATION', 'The client of this request is no longer registered. Nothing was approved.');
};

/** Optional content of the login page. With `keys`, the same pending authorization is used again. */
interface LoginOptions extends Pick<LoginModel, 'username' | 'problem'> {
  readonly keys?: FormKeys;
}

/** Shows the login page. A browser without a session gets one. */
export const showLogin = (
  context: AuthorizationContext,
  response: ServerResponse,
  request: AuthorizationRequest,
  session: Session | undefined,
  { keys, ...said }: LoginOptions = {},
): typeof ANSWERED => {
  const { name } = clientOf(context, request);
  const begun = session === undefined ? context.sessions.visit() : { session, cookie: undefined };
  const form = keys ?? context.transactions.open(request, begun.session, 'login');
  const { redirectUri } = request;
  const asksNext = !isDashboard(request.clientId);
  const page = loginPage({ action: '/authorize/login', ...form, clientName: name, redirectUri, asksNext, ...said });
  return sendPage(response, page, begun.cookie);
};

export const showConsent = (
  context: AuthorizationContext,
  response: ServerResponse,
  request: AuthorizationRequest,
  session: Session,
  { tenant, username }: SignedIn,
): typeof ANSWERED => {
  const client = clientOf(context, request);
  const { redirectUri, flow, scope, isRenewable } = request;
  const lifetimes = context.store.get('tenants', tenant)?.lifetimes ?? {};
  const page = consentPage({
    action: '/authorize/consent',
    ...context.transactions.open(request, session, 'consent'),
    clientName: client.name,
    clientDescription: client.description,
    clientOwner: client.owner,
    redirectUri,
    scopes: [scope],
    username,
    flow,
    isRenewable,
    expiresIn: tokenLifetime(lifetimes, flow === 'code' ? 'authorization_code' : 'implicit'),
  });
  return sendPage(response, page);
};
