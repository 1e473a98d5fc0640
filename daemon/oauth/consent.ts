// Handler of the consent form. Each decision is carried out once. @see docs/conformance/security.md R15, R16, R17, R102
import { Failure } from '../domain/failure.ts';
import { joinKey } from '../domain/records/record-key.ts';
import { addressOf } from '../http/request/owner.ts';
import type { ANSWERED, Handlers } from '../http/route-handler.ts';
import { approve, refuse } from './approve.ts';
import { demandOwnForm, seeOther } from './browser-response.ts';
import type { PendingAuthorization } from './pending-authorization.ts';
import type { UserSession } from './session.ts';
import { type AuthorizationContext, showLogin } from './show-forms.ts';
import { createSingleFlight } from './single-flight.ts';

type Decision = 'approve' | 'deny';

export const consentHandlers = (context: AuthorizationContext): Handlers<'authorize.consent'> => {
  const { sessions, transactions, logger, baseUrl } = context;
  const singleFlight = createSingleFlight<string>();

  const decide = async (
    pending: PendingAuthorization,
    session: UserSession,
    decision: Decision,
    source: string,
  ): Promise<string> => {
    const { tenant, username } = session.user;
    const { clientId, flow } = pending.request;
    logger.info({ event: 'consent', decision, tenant, user: username, client: clientId, flow, source }, 'consent');
    return decision === 'deny'
      ? refuse(context, pending.request, { error: 'access_denied', description: 'The user denied the request.' })
      : await approve(context, pending.request, session);
  };

  const decideOnce = (
    pending: PendingAuthorization,
    session: UserSession,
    decision: Decision,
    source: string,
  ): Promise<string> =>
    singleFlight(pending.key, () =>
      decide(pending, session, decision, source).finally(() => {
        transactions.close(pending);
      }),
    );

  return {
    'authorize.consent': async ({ input, request, response }): Promise<typeof ANSWERED> => {
      demandOwnForm(request, baseUrl());
      const session = await sessions.find(request);
      const pending = transactions.find(input, session, 'consent');
      const user = session?.user;
      if (session === undefined || user === undefined || joinKey(user.tenant, user.username) !== pending.user) {
        transactions.close(pending);
        return showLogin(context, response, pending.request, session, { problem: 'expired' });
      }
      const { decision } = input;
      if (decision !== 'approve' && decision !== 'deny') {
        throw new Failure('VALIDATION', 'The form contains neither approve nor deny. Nothing was approved.');
      }
      return seeOther(response, await decideOnce(pending, { ...session, user }, decision, addressOf(request)));
    },
  };
};
