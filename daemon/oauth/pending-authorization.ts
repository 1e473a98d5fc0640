// Pending authorizations: what was asked stays here between the forms, so that no form can change it. @see auth.md R17, R92

import { Failure } from '../domain/failure.ts';
import type { AuthorizationRequest } from '../domain/oauth/authorization-request.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Vault } from '../ports/vault.ts';
import { createExpiringMap, type ExpiringMap } from './expiring-map.ts';
import type { Session } from './session.ts';

export type Step = 'login' | 'consent';

export interface PendingAuthorization {
  /** Digest of the id in the form. */
  readonly key: string;
  readonly request: AuthorizationRequest;
  /** The form that was shown. */
  readonly step: Step;
  /** The browser it was shown to. */
  readonly browser: string;
  /** Who was asked to decide; only of a consent. */
  readonly username?: string;
  readonly csrfHash: string;
}

/** What a form carries, and nothing else. */
export interface FormKeys {
  readonly transaction: string;
  readonly csrf: string;
}

type Posted = Readonly<Partial<Record<keyof FormKeys, string | undefined>>>;

export interface PendingAuthorizations {
  /** Begins one, for a form. */
  open(request: AuthorizationRequest, session: Session, step: Step): FormKeys;
  /**
   * The pending authorization of a posted form.
   * @throws Failure VALIDATION when it is over (answered or too old), FORBIDDEN when the form is not ours or of another browser
   */
  find(posted: Posted, session: Session | undefined, step: Step): PendingAuthorization;
  /** Ends it: its forms are worth nothing from now on. */
  close(pending: PendingAuthorization): void;
}

export interface PendingAuthorizationDependencies {
  readonly vault: Vault;
  readonly ids: Ids;
  readonly clock: Clock;
}

const LIFE_MS = 60 * 60_000;
/** Of each step; each holds a state of at most some 16 kB. */
const MAX_PENDING = 1_000;

const foreignForm = () =>
  new Failure('FORBIDDEN', 'This form was not made for this browser, or its keys are missing. Nothing was approved.');

/** Makes the pending authorizations of the daemon. */
export const createPendingAuthorizations = ({
  vault,
  ids,
  clock,
}: PendingAuthorizationDependencies): PendingAuthorizations => {
  /** Login forms cost nothing to ask for, so they are kept apart: a flood of them ends no consent. @see auth.md R76 */
  const pending: Readonly<Record<Step, ExpiringMap<PendingAuthorization>>> = {
    login: createExpiringMap(MAX_PENDING),
    consent: createExpiringMap(MAX_PENDING),
  };
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
      const found = pending[step].get(vault.digest(transaction), clock.now());
      if (found === undefined) {
        throw new Failure(
          'VALIDATION',
          'This form was answered already, or it has waited too long. Nothing more was approved.',
        );
      }
      if (!vault.matches(csrf, found.csrfHash) || (session !== undefined && session.browser !== found.browser))
        throw foreignForm();
      return found;
    },
    close: ({ key, step }) => pending[step].delete(key),
  };
};
