// Stores the validated request between the forms of an authorization, so that a form cannot change it. Consent forms
// are stored here. A login form needs no credential, so nothing is stored for it: it contains its request, signed.
// @see docs/conformance/security.md R17, R92, R243

import { Failure } from '../domain/failure.ts';
import type { AuthorizationRequest } from '../domain/oauth/authorization-request.ts';
import { joinKey } from '../domain/records/record-key.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Vault } from '../ports/vault.ts';
import { createExpiringMap } from './expiring-map.ts';
import type { Session } from './session.ts';
import { createSignedTexts } from './signed-text.ts';

export type Step = 'login' | 'consent';

export interface PendingAuthorization {
  /** Digest of the transaction id in the form. */
  readonly key: string;
  readonly request: AuthorizationRequest;
  /** The browser to which the form was shown. */
  readonly browser: string;
  /** Store key of the logged-in user to whom the form was shown. */
  readonly user?: string;
  readonly csrfHash: string;
  /** Digest of the user name that was submitted with the form within the last minute. Only for login forms. */
  readonly answeredBy?: string;
}

interface LoginForm extends Pick<PendingAuthorization, 'request' | 'browser' | 'csrfHash'> {
  readonly until: number;
}

interface Answered {
  readonly by: string;
  readonly repeatableUntil: number;
}

export interface FormKeys {
  readonly transaction: string;
  readonly csrf: string;
}

type Posted = Readonly<Partial<Record<keyof FormKeys, string | undefined>>>;

export type PendingAuthorizations = ReturnType<typeof createPendingAuthorizations>;

export interface PendingAuthorizationDependencies {
  readonly vault: Vault;
  readonly ids: Ids;
  readonly clock: Clock;
}

const LIFE_MS = 60 * 60_000;
const REPEATABLE_MS = 60_000;
/** Maximum number of pending consent forms. Each one holds a `state` of up to about 16 kB. */
const MAX_PENDING = 1_000;
const MAX_PENDING_PER_USER = 50;
/** Maximum number of login forms whose submission is remembered. Each one had a correct password. */
const MAX_ANSWERED = 1_000;

const answeredForm = () =>
  new Failure('VALIDATION', 'This form was already submitted, or it has expired. It approved nothing.');

const foreignForm = () =>
  new Failure('FORBIDDEN', 'This form was not made for this browser, or its keys are missing. Nothing was approved.');

export const createPendingAuthorizations = ({ vault, ids, clock }: PendingAuthorizationDependencies) => {
  const consents = createExpiringMap<PendingAuthorization>(MAX_PENDING);
  const logins = createSignedTexts({ vault, ids });
  const answered = createExpiringMap<Answered>(MAX_ANSWERED);

  const putConsent = (entry: PendingAuthorization, now: number): void => {
    const own = [...consents.entries()].filter(([, { user }]) => user === entry.user);
    for (const [oldest] of own.slice(0, Math.max(0, own.length + 1 - MAX_PENDING_PER_USER))) consents.delete(oldest);
    consents.put(entry.key, entry, now + LIFE_MS, now);
  };
  const readLogin = (transaction: string, key: string, now: number): PendingAuthorization | undefined => {
    const text = logins.read(transaction);
    if (text === undefined) return undefined;
    const { until, ...form } = JSON.parse(text) as LoginForm;
    const answer = answered.get(key, now);
    if (until <= now || (answer !== undefined && answer.repeatableUntil <= now)) return undefined;
    return { ...form, key, ...(answer && { answeredBy: answer.by }) };
  };
  return {
    /**
     * Creates a pending authorization for a form. If the user already has the maximum number of open consent forms, the
     * oldest one ends.
     */
    open: (request: AuthorizationRequest, { browser, user }: Session, step: Step): FormKeys => {
      const csrf = ids.secret();
      const now = clock.now();
      const form = { request, browser, csrfHash: vault.digest(csrf) };
      if (step === 'login') {
        const signed: LoginForm = { ...form, until: now + LIFE_MS };
        return { transaction: logins.make(JSON.stringify(signed)), csrf };
      }
      const transaction = ids.secret();
      const asked = user && { user: joinKey(user.tenant, user.username) };
      putConsent({ key: vault.digest(transaction), ...form, ...asked }, now);
      return { transaction, csrf };
    },
    /**
     * Finds the pending authorization of a form.
     * @throws Failure VALIDATION if answered or expired, FORBIDDEN from another service or browser
     */
    find: ({ transaction = '', csrf = '' }: Posted, session: Session | undefined, step: Step): PendingAuthorization => {
      if (transaction === '' || csrf === '') throw foreignForm();
      const [key, now] = [vault.digest(transaction), clock.now()];
      const found = step === 'login' ? readLogin(transaction, key, now) : consents.get(key, now);
      if (found === undefined) throw answeredForm();
      if (!vault.matches(csrf, found.csrfHash) || (session !== undefined && session.browser !== found.browser))
        throw foreignForm();
      return found;
    },
    /**
     * Marks a login form as submitted. `find` still returns it for a minute, because a double click sends it again, and
     * a refusal would leave the user without a way forward.
     */
    answer: ({ key }: PendingAuthorization, username: string): void => {
      const now = clock.now();
      answered.put(key, { by: vault.digest(username), repeatableUntil: now + REPEATABLE_MS }, now + LIFE_MS, now);
    },
    /** True if the form was submitted with this user name. @throws Failure VALIDATION if it was with another one */
    wasAnswered: ({ answeredBy }: PendingAuthorization, username: string): boolean => {
      if (answeredBy !== undefined && answeredBy !== vault.digest(username)) throw answeredForm();
      return answeredBy !== undefined;
    },
    /** Removes the pending authorization of a consent form, which is no longer accepted. */
    close: ({ key }: PendingAuthorization): void => consents.delete(key),
  };
};
