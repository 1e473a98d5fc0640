// Assembles the authorization service.
import type { Handlers } from '../http/route-handler.ts';
import { authorizeHandlers } from './authorize.ts';
import { failurePage } from './failure-page.ts';
import { createIssuer } from './issue.ts';
import { type LinkRequest, type LoginLink, oneTimeLogins } from './login/one-time-link.ts';
import { metadataHandlers } from './metadata.ts';
import { createPendingAuthorizations } from './pending-authorization.ts';
import { revokeHandlers } from './revoke.ts';
import { createSessions } from './session.ts';
import type { AuthorizeDependencies } from './show-forms.ts';
import { sweepExpired } from './sweep-tokens.ts';
import { tokenHandlers } from './token.ts';

type Operation =
  | 'authorize.show'
  | 'authorize.login'
  | 'authorize.consent'
  | 'authorize.logout'
  | 'authorize.link'
  | 'token.create'
  | 'token.revoke'
  | 'token.introspect'
  | 'metadata.show';

export interface AuthorizationService {
  readonly handlers: Handlers<Operation>;
  /** Ends the browser sessions of a user whose password has changed or who was deleted. */
  readonly endSessions: (tenant: string, username: string) => void;
  /** Issues a link that logs a browser in. @throws Failure NOT_FOUND */
  readonly loginLink: (asked: LinkRequest) => LoginLink;
  /** Renders failures of the pages. */
  readonly failurePage: typeof failurePage;
  /** Deletes expired tokens and codes. Call it every few minutes. */
  readonly sweep: () => Promise<void>;
}

/**
 * Creates the service. Sessions and pending authorizations are kept in memory, so each origin has one instance.
 */
export const createAuthorizationService = (dependencies: AuthorizeDependencies): AuthorizationService => {
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
      ...metadataHandlers(dependencies),
    },
    endSessions: sessions.endAllOf,
    loginLink: links.issue,
    failurePage,
    sweep: () => sweepExpired(dependencies),
  };
};
