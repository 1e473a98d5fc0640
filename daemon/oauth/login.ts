// The login and logout forms: who the person is, for a pending authorization. @see auth.md R92-R96, R103
import { requestLocation } from '../domain/authorization-answer.ts';
import { Failure } from '../domain/failure.ts';
import type { ANSWERED, Handlers } from '../http/on.ts';
import { askLogin, clientOf, type Desk } from './ask.ts';
import { demandOwnForm, seeOther, sendPage } from './browser.ts';
import type { LoginProblem } from './pages/model.ts';
import { signedOutPage } from './pages/signed-out.ts';
import type { Session } from './session.ts';
import type { Pending } from './transaction.ts';

/** A longer name is nobody's, and is not shown again. */
const LONGEST_SHOWN = 256;

const throttledFor = (error: unknown): LoginProblem | undefined => {
  if (!(error instanceof Failure) || error.code !== 'THROTTLED') return undefined;
  const seconds = error.detail?.['retryAfter'];
  return { kind: 'throttled', retryAfter: typeof seconds === 'number' ? seconds : 1 };
};

export const loginHandlers = (desk: Desk): Handlers<'authorize.login' | 'authorize.logout'> => {
  const { sessions, transactions, checkPassword, baseUrl } = desk;

  const check = async (tenant: string, username: string, password: string, source: string) => {
    try {
      return await checkPassword({ tenant, username, password, source });
    } catch (error) {
      const throttled = throttledFor(error);
      if (throttled === undefined) throw error;
      return throttled;
    }
  };

  const pendingOf = (posted: Parameters<typeof transactions.find>[0], session: Session): Pending | undefined => {
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
      const session = sessions.find(request);
      const pending = transactions.find(input, session, 'login');
      const { username = '', password = '', csrf = '', transaction = '' } = input;
      if (session === undefined) {
        transactions.close(pending);
        return askLogin(desk, response, pending.request, undefined, { problem: 'expired' });
      }
      const { tenant } = clientOf(desk, pending.request);
      const outcome = await check(tenant, username, password, request.socket.remoteAddress ?? '');
      if (outcome !== undefined && typeof outcome === 'object' && 'passwordHash' in outcome) {
        transactions.close(pending);
        return seeOther(response, requestLocation(pending.request), sessions.begin(outcome, session).cookie);
      }
      return askLogin(desk, response, pending.request, session, {
        keys: { csrf, transaction },
        ...(username.length <= LONGEST_SHOWN && { username }),
        problem: outcome ?? 'wrong',
      });
    },
    'authorize.logout': ({ input, request, response }) => {
      demandOwnForm(request, baseUrl());
      const session = sessions.find(request);
      if (session === undefined) {
        return sendPage(response, signedOutPage({}));
      }
      const pending = pendingOf(input, session);
      const cookie = sessions.end(session);
      if (pending === undefined) {
        return sendPage(response, signedOutPage(session.user ? { username: session.user.username } : {}), cookie);
      }
      transactions.close(pending);
      return seeOther(response, requestLocation(pending.request), cookie);
    },
  };
};
