// Handlers of the login and logout forms of a pending authorization. @see docs/conformance/security.md R92, R93, R94, R95, R96, R103

import { Failure } from '../../domain/failure.ts';
import { requestLocation } from '../../domain/oauth/authorization-response.ts';
import { addressOf } from '../../http/request/owner.ts';
import type { ANSWERED, Handlers } from '../../http/route-handler.ts';
import { demandOwnForm, seeOther, sendPage } from '../browser-response.ts';
import type { LoginProblem } from '../pages/model.ts';
import { signedOutPage } from '../pages/signed-out.ts';
import type { PendingAuthorization } from '../pending-authorization.ts';
import type { Session } from '../session.ts';
import { type AuthorizationContext, clientOf, showLogin } from '../show-forms.ts';
import { createSingleFlight } from '../single-flight.ts';

/** No username is longer than this. A longer one is not shown in the form again. */
const LONGEST_SHOWN = 256;

const throttledProblem = (error: unknown): LoginProblem | undefined => {
  if (!(error instanceof Failure) || error.code !== 'THROTTLED') return undefined;
  const seconds = error.detail?.['retryAfter'];
  return { kind: 'throttled', retryAfter: typeof seconds === 'number' ? seconds : 1 };
};

interface LoggedIn {
  readonly kind: 'in';
  readonly location: string;
  readonly cookie: string;
}

export const loginHandlers = (context: AuthorizationContext): Handlers<'authorize.login' | 'authorize.logout'> => {
  const { sessions, transactions, checkPassword, baseUrl, vault } = context;
  const singleFlight = createSingleFlight<LoggedIn | LoginProblem>();

  const logIn = async (
    pending: PendingAuthorization,
    session: Session,
    username: string,
    password: string,
    source: string,
  ) => {
    const { tenant } = clientOf(context, pending.request);
    try {
      const user = await checkPassword({ tenant, username, password, lane: 'form', source });
      const begun = user && (await sessions.begin(user, session));
      if (begun === undefined) return 'wrong';
      transactions.answer(pending, username);
      return { kind: 'in', location: requestLocation(pending.request), cookie: begun.cookie } as const;
    } catch (error) {
      const throttled = throttledProblem(error);
      if (throttled === undefined) throw error;
      return throttled;
    }
  };

  const findPending = (
    posted: Parameters<typeof transactions.find>[0],
    session: Session,
  ): PendingAuthorization | undefined => {
    try {
      return transactions.find(posted, session, 'consent');
    } catch (error) {
      if (error instanceof Failure) return undefined;
      throw error;
    }
  };

  return {
    'authorize.login': async ({ input, request, response }): Promise<typeof ANSWERED> => {
      demandOwnForm(request, baseUrl());
      const session = await sessions.find(request);
      const pending = transactions.find(input, session, 'login');
      const { username = '', password = '', csrf = '', transaction = '' } = input;
      // This form was submitted before: redirect to its authorization request again. No password is checked, and no
      // session begins.
      if (transactions.wasAnswered(pending, username)) return seeOther(response, requestLocation(pending.request));
      if (session === undefined) {
        return showLogin(context, response, pending.request, undefined, { problem: 'expired' });
      }
      // Shares the response of identical submissions only. A different password is a separate attempt.
      const key = vault.digest(JSON.stringify([pending.key, session.key, username, password]));
      const source = addressOf(request);
      const outcome = await singleFlight(key, () => logIn(pending, session, username, password, source));
      if (typeof outcome === 'object' && outcome.kind === 'in') {
        return seeOther(response, outcome.location, outcome.cookie);
      }
      return showLogin(context, response, pending.request, session, {
        keys: { csrf, transaction },
        ...(username.length <= LONGEST_SHOWN && { username }),
        problem: outcome,
      });
    },
    'authorize.logout': async ({ input, request, response }): Promise<typeof ANSWERED> => {
      demandOwnForm(request, baseUrl());
      const session = await sessions.find(request);
      if (session === undefined) {
        return sendPage(response, signedOutPage({}));
      }
      const pending = findPending(input, session);
      const cookie = await sessions.end(session);
      if (pending === undefined) {
        return sendPage(response, signedOutPage(session.user ?? {}), cookie);
      }
      transactions.close(pending);
      return seeOther(response, requestLocation(pending.request), cookie);
    },
  };
};
