// Browser sessions: who is logged in, behind one cookie; before the login a visit, which only ties forms to a browser. @see auth.md R94-R96
import type { IncomingMessage } from 'node:http';
import type { UserRecord } from '../domain/records/account-records.ts';
import { joinKey } from '../domain/records/record-key.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Store } from '../ports/store.ts';
import type { Vault } from '../ports/vault.ts';
import { createExpiringMap } from './expiring-map.ts';

/** Who is logged in; the hash ends the session with the password it was begun with. */
export type SignedIn = Pick<UserRecord, 'tenant' | 'username' | 'passwordHash'>;

export interface Session {
  /** Digest of the id in the cookie. */
  readonly key: string;
  /** Same before and after the login: the forms of one browser belong to it. */
  readonly browser: string;
  readonly startedAt: number;
  readonly user?: SignedIn;
}

/** A session and the header that gives it to the browser. */
export interface BegunSession {
  readonly session: Session;
  readonly cookie: string;
}

export interface Sessions {
  /** The session of the browser, if it is alive; using it keeps it alive up to the absolute limit. */
  find(request: IncomingMessage): Session | undefined;
  /** A session with a new id, without a user (a visit) or with one; `before` ends. An id is never taken from outside. */
  begin(user?: SignedIn, before?: Session): BegunSession;
  /** Ends it here; answers the header that takes the cookie back. */
  end(session: Session): string;
  /** Ends every session of a user: the password has changed, or the user is gone. */
  endAllOf(tenant: string, username: string): void;
}

export interface SessionDependencies {
  readonly store: Store;
  readonly vault: Vault;
  readonly ids: Ids;
  readonly clock: Clock;
  /** Decides whether the cookie is bound to https. */
  readonly baseUrl: () => string;
}

/** Cookies know no ports: the name must not be anybody else's. */
const COOKIE = 'actorctl_session';

const MINUTE = 60_000;
const VISIT_IDLE_MS = 30 * MINUTE;
const IDLE_MS = 60 * MINUTE;
const ABSOLUTE_MS = 12 * 60 * MINUTE;
/** Visits cost nothing to make, so they are kept apart: a flood of them ends no session. */
const MAX_VISITS = 5_000;
const MAX_SESSIONS = 5_000;

const cookieValues = ({ headers }: IncomingMessage, name: string): string[] =>
  (headers.cookie ?? '').split(';').flatMap((pair) => {
    const equals = pair.indexOf('=');
    return pair.slice(0, Math.max(equals, 0)).trim() === name ? [pair.slice(equals + 1).trim()] : [];
  });

/** Makes the sessions of the daemon. They are in memory: a restart asks everybody to log in again. */
export const createSessions = ({ store, vault, ids, clock, baseUrl }: SessionDependencies): Sessions => {
  const visits = createExpiringMap<Session>(MAX_VISITS);
  const sessions = createExpiringMap<Session>(MAX_SESSIONS);

  const keep = (session: Session): void => {
    const now = clock.now();
    if (session.user === undefined) visits.put(session.key, session, now + VISIT_IDLE_MS, now);
    else sessions.put(session.key, session, Math.min(now + IDLE_MS, session.startedAt + ABSOLUTE_MS), now);
  };
  const forget = ({ key }: Session): void => {
    visits.delete(key);
    sessions.delete(key);
  };
  const hasSamePassword = ({ tenant, username, passwordHash }: SignedIn): boolean =>
    store.get('users', joinKey(tenant, username))?.passwordHash === passwordHash;

  const isSecure = (): boolean => baseUrl().startsWith('https:');
  const name = (): string => (isSecure() ? `__Host-${COOKIE}` : COOKIE);
  /** Lax, not Strict: a link of the client that leads here must find the session. @see auth.md R96 */
  const cookie = (value: string, more: string): string =>
    `${name()}=${value}; Path=/; HttpOnly; SameSite=Lax${isSecure() ? '; Secure' : ''}${more}`;

  return {
    find: (request) => {
      for (const value of cookieValues(request, name())) {
        const key = vault.digest(value);
        const session = sessions.get(key, clock.now()) ?? visits.get(key, clock.now());
        if (session === undefined) continue;
        if (session.user === undefined || hasSamePassword(session.user)) {
          keep(session);
          return session;
        }
        forget(session);
      }
      return undefined;
    },
    begin: (user, before) => {
      if (before !== undefined) forget(before);
      const id = ids.secret();
      const session: Session = {
        key: vault.digest(id),
        browser: before?.browser ?? ids.id(),
        startedAt: clock.now(),
        ...(user && { user: { tenant: user.tenant, username: user.username, passwordHash: user.passwordHash } }),
      };
      keep(session);
      return { session, cookie: cookie(id, '') };
    },
    end: (session) => {
      forget(session);
      return cookie('', '; Max-Age=0');
    },
    endAllOf: (tenant, username) => {
      for (const [key, { user }] of sessions.entries()) {
        if (user?.tenant === tenant && user.username === username) sessions.delete(key);
      }
    },
  };
};
