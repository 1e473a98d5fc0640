// Assembles the authorization service.

import { grants } from '../../src/contract/oauth/grants.ts';
import { SCOPE } from '../../src/contract/oauth/token.ts';
import type { Failure } from '../domain/failure.ts';
import { isImplicit, readRequest, readTarget, stateOf } from '../domain/oauth/authorization-request.ts';
import { refusalLocation } from '../domain/oauth/authorization-response.ts';
import { isOver } from '../domain/oauth/browser-session.ts';
import { isDashboard } from '../domain/oauth/dashboard-client.ts';
import { findClient } from '../domain/oauth/find-client.ts';
import { CHALLENGE_METHOD } from '../domain/oauth/pkce.ts';
import type { CodeRecord, TokenRecord } from '../domain/records/account-records.ts';
import { deleteInBatches } from '../domain/records/delete-in-batches.ts';
import type { ANSWERED, Handlers } from '../http/route-handler.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import { approve, isApproved } from './approve.ts';
import { seeOther } from './browser-response.ts';
import { consentHandlers } from './consent.ts';
import { createIssuer } from './issue.ts';
import { loginHandlers } from './login/login.ts';
import { oneTimeLogins } from './login/one-time-link.ts';
import { loginsHandlers } from './logins.ts';
import { errorPage } from './pages/error.ts';
import type { Page } from './pages/model.ts';
import { createPendingAuthorizations } from './pending-authorization.ts';
import { revokeHandlers } from './revoke.ts';
import { createSessions } from './session.ts';
import { type AuthorizationContext, type AuthorizeDependencies, showConsent, showLogin } from './show-forms.ts';
import { tokenHandlers } from './token.ts';

const HOUR_MS = 60 * 60 * 1_000;
/** Time (ms) for which expired access tokens stay stored, so that the response is "expired" and not "unknown". */
const EXPIRED_MS = HOUR_MS;
/** Time (ms) for which used codes and refresh tokens stay stored, so that a second use is detected. */
const USED_MS = 30 * 24 * HOUR_MS;

interface SweepDependencies {
  readonly store: Store;
  readonly clock: Clock;
}

const isRemovable = ({ expiresAt, usedAt }: TokenRecord | CodeRecord, now: number): boolean =>
  usedAt === undefined ? expiresAt !== undefined && expiresAt <= now - EXPIRED_MS : usedAt <= now - USED_MS;

const sweep = async ({ store, clock }: SweepDependencies, collection: 'tokens' | 'codes'): Promise<number> => {
  const now = clock.now();
  const over: string[] = [];
  for (const record of store.all(collection)) if (isRemovable(record, now)) over.push(record.hash);
  return deleteInBatches(store, collection, over);
};

export const sweepTokens = (dependencies: SweepDependencies): Promise<number> => sweep(dependencies, 'tokens');

export const sweepCodes = (dependencies: SweepDependencies): Promise<number> => sweep(dependencies, 'codes');

const sweepSessions = async ({ store, clock }: SweepDependencies): Promise<void> => {
  const now = clock.now();
  const over: string[] = [];
  for (const record of store.all('sessions')) if (isOver(record, now)) over.push(record.hash);
  await deleteInBatches(store, 'sessions', over);
};

const sweepExpired = async (dependencies: SweepDependencies): Promise<void> => {
  await sweepTokens(dependencies);
  await sweepCodes(dependencies);
  await sweepSessions(dependencies);
};

const secretMethods = ['client_secret_basic', 'client_secret_post'];

const metadataHandlers = ({ baseUrl }: { readonly baseUrl: () => string }): Handlers<'metadata.show'> => ({
  'metadata.show': () => {
    const issuer = baseUrl();
    const result = {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      revocation_endpoint: `${issuer}/revoke`,
      introspection_endpoint: `${issuer}/introspect`,
      scopes_supported: [SCOPE],
      response_types_supported: ['code', 'token'],
      response_modes_supported: ['query', 'fragment'],
      grant_types_supported: [...grants],
      token_endpoint_auth_methods_supported: [...secretMethods, 'none'],
      revocation_endpoint_auth_methods_supported: [...secretMethods, 'none'],
      introspection_endpoint_auth_methods_supported: secretMethods,
      code_challenge_methods_supported: [CHALLENGE_METHOD],
      authorization_response_iss_parameter_supported: true,
    };
    return { result, message: 'The metadata of the authorization service.' };
  },
});

const titles: ReadonlyMap<number, string> = new Map([
  [400, 'This request cannot be processed'],
  [403, 'This form was refused'],
  [405, 'This address accepts forms only'],
  [413, 'This form is too large'],
  [421, 'This is not the address of the platform'],
  [503, 'The platform is not available now'],
]);

const failurePage = (failure: Failure, status: number, requestId: string): Page =>
  errorPage({
    status,
    title: titles.get(status) ?? 'Something went wrong',
    text: failure.message,
    requestId,
    ...(status === 421 && { next: 'Start again at that address.' }),
  });

type AuthorizeOperation = 'authorize.show' | 'authorize.login' | 'authorize.consent' | 'authorize.logout';

const authorizeHandlers = (context: AuthorizationContext): Handlers<AuthorizeOperation> => {
  const { store, sessions, baseUrl } = context;
  return {
    'authorize.show': async ({ sentQuery: asked, request, response }): Promise<typeof ANSWERED> => {
      const target = readTarget(asked, (id) => findClient(store, id));
      const wanted = readRequest(asked, target);
      if ('error' in wanted) {
        const reply = { redirectUri: target.redirectUri, state: stateOf(asked), issuer: baseUrl() };
        return seeOther(response, refusalLocation(reply, wanted, isImplicit(asked)));
      }
      const session = await sessions.find(request);
      // A client serves the users of its own tenant only.
      const user = session?.user?.tenant === target.client.tenant ? session.user : undefined;
      if (session === undefined || user === undefined) return showLogin(context, response, wanted, session);
      // A HEAD request must not issue anything.
      const isEnough = request.method === 'GET' && (isDashboard(wanted.clientId) || isApproved(context, wanted, user));
      return isEnough
        ? seeOther(response, await approve(context, wanted, { ...session, user }))
        : showConsent(context, response, wanted, session, user);
    },
    ...loginHandlers(context),
    ...consentHandlers(context),
  };
};

export type AuthorizationService = ReturnType<typeof createAuthorizationService>;

/**
 * Creates the service of one origin. Pending authorizations are in its memory, so each origin has one instance.
 */
export const createAuthorizationService = (dependencies: AuthorizeDependencies) => {
  const issue = createIssuer(dependencies);
  const sessions = createSessions(dependencies);
  const context = { ...dependencies, issue, sessions, transactions: createPendingAuthorizations(dependencies) };
  const links = oneTimeLogins(context);
  return {
    handlers: {
      ...authorizeHandlers(context),
      ...links.handlers,
      ...tokenHandlers(context),
      ...revokeHandlers(dependencies),
      ...loginsHandlers(dependencies),
      ...metadataHandlers(dependencies),
    },
    /** Issues a link that logs a browser in. @throws Failure NOT_FOUND */
    loginLink: links.issue,
    /** Issues tokens to a client. */
    issue,
    failurePage,
    /** Deletes expired tokens, codes and sessions. Call it every few minutes. */
    sweep: (): Promise<void> => sweepExpired(dependencies),
  };
};
