// Stores the validated request between the forms of an authorization, so that a form cannot change it.
// @see docs/security.md R17, R92

import { Failure } from '../domain/failure.ts';
import type { AuthorizationRequest } from '../domain/oauth/authorization-request.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Vault } from '../ports/vault.ts';
import { createExpiringMap, type ExpiringMap } from './expiring-map.ts';
import type { Session } from './session.ts';

export type Step = 'login' | 'consent';

export interface PendingAuthorization {
  /** Digest of the transaction id in the form. */
  readonly key: string;
  readonly request: AuthorizationRequest;
  /** The form that was shown. */
  readonly step: Step;
  /** The browser to which the form was shown. */
  readonly browser: string;
  /** The user who was asked for consent. */
  readonly username?: string;
  readonly csrfHash: string;
  /** Digest of the user name that answered the form a moment ago. Only login forms are kept after their answer. */
  readonly answeredBy?: string;
}

/** The hidden values of a form. */
export interface FormKeys {
  readonly transaction: string;
  readonly csrf: string;
}

type Posted = Readonly<Partial<Record<keyof FormKeys, string | undefined>>>;

export interface PendingAuthorizations {
  /** Creates a pending authorization for a form. */
  open(request: AuthorizationRequest, session: Session, step: Step): FormKeys;
  /**
   * The pending authorization of a submitted form.
   * @throws Failure VALIDATION if it was answered or has expired, FORBIDDEN if the form is not from this service or
   * from another browser
   */
  find(posted: Posted, session: Session | undefined, step: Step): PendingAuthorization;
  /**
   * Ends a login form that was answered with this user name. For a minute `find` still returns it: the second click of a
   * double click sends it again, and a refusal would strand the user.
   */
  answer(pending: PendingAuthorization, username: string): void;
  /** Whether the form was answered, with this user name. @throws Failure VALIDATION if it was with another one */
  wasAnswered(pending: PendingAuthorization, username: string): boolean;
  /** Removes a pending authorization. Its forms are no longer accepted. */
  close(pending: PendingAuthorization): void;
}

export interface PendingAuthorizationDependencies {
  readonly vault: Vault;
  readonly ids: Ids;
  readonly clock: Clock;
}

const LIFE_MS = 60 * 60_000;
const ANSWERED_LIFE_MS = 60_000;
/** Pending authorizations per step. Each one holds a `state` of up to about 16 kB. */
const MAX_PENDING = 1_000;

const answeredForm = () =>
  new Failure('VALIDATION', 'This form was already answered, or it has expired. Nothing was approved by it.');

const foreignForm = () =>
  new Failure('FORBIDDEN', 'This form was not made for this browser, or its keys are missing. Nothing was approved.');

export const createPendingAuthorizations = ({
  vault,
  ids,
  clock,
}: PendingAuthorizationDependencies): PendingAuthorizations => {
  /**
   * Login forms need no credential, so they have their own map: a flood of them must not remove consent forms.
   * @see docs/security.md R76
   */
  const pending: Readonly<Record<Step, ExpiringMap<PendingAuthorization>>> = {
    login: createExpiringMap(MAX_PENDING),
    consent: createExpiringMap(MAX_PENDING),
  };
  /** Login forms after their answer. In a map of their own they take no place of a form that waits. */
  const answered = createExpiringMap<PendingAuthorization>(MAX_PENDING);
  return {
    open: (request, { browser, user }, step) => {
      const keys = { transaction: ids.secret(), csrf: ids.secret() };
      const now = clock.now();
      const entry: PendingAuthorization = {
        key: vault.digest(keys.transaction),
        request,
        step,
        browser,
        csrfHash: vault.digest(keys.csrf),
        ...(user && { username: user.username }),
      };
      pending[step].put(entry.key, entry, now + LIFE_MS, now);
      return keys;
    },
    find: ({ transaction = '', csrf = '' }, session, step) => {
      if (transaction === '' || csrf === '') throw foreignForm();
      const [key, now] = [vault.digest(transaction), clock.now()];
      const found = pending[step].get(key, now) ?? (step === 'login' ? answered.get(key, now) : undefined);
      if (found === undefined) throw answeredForm();
      if (!vault.matches(csrf, found.csrfHash) || (session !== undefined && session.browser !== found.browser))
        throw foreignForm();
      return found;
    },
    answer: (entry, username) => {
      const now = clock.now();
      pending[entry.step].delete(entry.key);
      answered.put(entry.key, { ...entry, answeredBy: vault.digest(username) }, now + ANSWERED_LIFE_MS, now);
    },
    wasAnswered: ({ answeredBy }, username) => {
      if (answeredBy !== undefined && answeredBy !== vault.digest(username)) throw answeredForm();
      return answeredBy !== undefined;
    },
    close: ({ key, step }) => pending[step].delete(key),
  };
};
