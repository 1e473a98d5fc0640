// The consent form: the decision of the person, taken once. @see auth.md R15-R17, R102
import { Failure } from '../domain/failure.ts';
import type { ANSWERED, Handlers } from '../http/on.ts';
import { approve, refuse } from './approve.ts';
import { askLogin, type Desk } from './ask.ts';
import { demandOwnForm, seeOther } from './browser.ts';

export const consentHandlers = (desk: Desk): Handlers<'authorize.consent'> => {
  const { sessions, transactions, logger, baseUrl } = desk;
  return {
    'authorize.consent': async ({ input, request, response }): Promise<typeof ANSWERED> => {
      demandOwnForm(request, baseUrl());
      const session = sessions.find(request);
      const pending = transactions.find(input, session, 'consent');
      const user = session?.user;
      if (user === undefined || user.username !== pending.username) {
        transactions.close(pending);
        return askLogin(desk, response, pending.request, session, { problem: 'expired' });
      }
      const { decision } = input;
      if (decision !== 'approve' && decision !== 'deny') {
        throw new Failure('VALIDATION', 'The form says neither approve nor deny. Nothing was approved.');
      }
      // Before anything is waited for: one form, one decision.
      transactions.close(pending);
      const { tenant, username } = user;
      const { clientId, flow } = pending.request;
      const source = request.socket.remoteAddress ?? '';
      logger.info({ event: 'consent', decision, tenant, user: username, client: clientId, flow, source }, 'consent');
      const location =
        decision === 'deny'
          ? refuse(desk, pending.request, { error: 'access_denied', description: 'The user denied the request.' })
          : await approve(desk, pending.request, user);
      return seeOther(response, location);
    },
  };
};
