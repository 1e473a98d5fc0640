// The authorization endpoint: validates the request, then shows the login page, the consent page, or redirects to the
// client.
// @see docs/protocol.md 4.1

import { isImplicit, readRequest, readTarget, stateOf } from '../domain/oauth/authorization-request.ts';
import { refusalLocation } from '../domain/oauth/authorization-response.ts';
import { isDashboard } from '../domain/oauth/dashboard-client.ts';
import type { ANSWERED, Handlers } from '../http/route-handler.ts';
import { approve, isApproved } from './approve.ts';
import { seeOther } from './browser-response.ts';
import { consentHandlers } from './consent.ts';
import { loginHandlers } from './login/login.ts';
import { type AuthorizationContext, showConsent, showLogin } from './show-forms.ts';

type AuthorizeOperation = 'authorize.show' | 'authorize.login' | 'authorize.consent' | 'authorize.logout';

/** Makes the handlers of the pages and forms. */
export const authorizeHandlers = (context: AuthorizationContext): Handlers<AuthorizeOperation> => {
  const { store, sessions, baseUrl } = context;
  return {
    'authorize.show': async ({ sentQuery: asked, request, response }): Promise<typeof ANSWERED> => {
      const target = readTarget(asked, (id) => store.get('clients', id));
      const wanted = readRequest(asked, target);
      if ('error' in wanted) {
        const reply = { redirectUri: target.redirectUri, state: stateOf(asked), issuer: baseUrl() };
        return seeOther(response, refusalLocation(reply, wanted, isImplicit(asked)));
      }
      const session = sessions.find(request);
      // A client serves the users of its own tenant only.
      const user = session?.user?.tenant === target.client.tenant ? session.user : undefined;
      if (session === undefined || user === undefined) return showLogin(context, response, wanted, session);
      // A HEAD request must not issue anything.
      const isEnough = request.method === 'GET' && (isDashboard(wanted.clientId) || isApproved(context, wanted, user));
      return isEnough
        ? seeOther(response, await approve(context, wanted, user))
        : showConsent(context, response, wanted, session, user);
    },
    ...loginHandlers(context),
    ...consentHandlers(context),
  };
};
