// Browser sessions, identified by a cookie. A session without a user (a visit) only ties forms to a browser before the
// login. It needs no credential, so it is stored entirely in its cookie.
// @see docs/conformance/security.md R94, R95, R96, R243
import type { IncomingMessage } from 'node:http';
import type { UserRecord } from '../domain/records/account-records.ts';
import { joinKey } from '../domain/records/record-key.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Store } from '../ports/store.ts';
import type { Vault } from '../ports/vault.ts';
import { createExpiringMap } from './expiring-map.ts';
import { createSignedTexts } from './signed-text.ts';

/** The logged-in user. The password hash ends the session when the password changes. */
export type SignedIn = Pick<UserRecord, 'tenant' | 'username' | 'passwordHash'>;

export interface Session {
  readonly key: string;
  /** Identifies the browser. It stays the same at login, so that its open forms stay valid. */
  readonly browser: string;
  readonly startedAt: number;
  readonly user?: SignedIn;
}

export interface BegunSession {
  readonly session: Session;
  readonly cookie: string;
}

export type Sessions = ReturnType<typeof createSessions>;

export interface SessionDependencies {
  readonly store: Store;
  readonly vault: Vault;
  readonly ids: Ids;
  readonly clock: Clock;
  /** An https base URL restricts the cookie to https. */
  readonly baseUrl: () => string;
}

/** Name of the cookie. All ports of a host share cookies, so the name must be unique. */
const COOKIE = 'actorctl_session';

const MINUTE = 60_000;
const IDLE_MS = 60 * MINUTE;
const ABSOLUTE_MS = 12 * 60 * MINUTE;
const MAX_SESSIONS = 5_000;

const cookieValues = ({ headers }: IncomingMessage, name: string): string[] =>
  (headers.cookie ?? '').split(';').flatMap((pair) => {
    const equals = pair.indexOf('=');
    return pair.slice(0, Math.max(equals, 0)).trim() === name ? [pair.slice(equals + 1).trim()] : [];
  });

/** Sessions are in memory, so users log in again after a restart. */
export const createSessions = ({ store, vault, ids, clock, baseUrl }: SessionDependencies) => {
  /** Cookies of visits: sessions without a user. Each text is the id of the browser. */
  const visits = createSignedTexts({ vault, ids });
  const sessions = createExpiringMap<Session>(MAX_SESSIONS);

  const keep = (session: Session): void => {
    const now = clock.now();
    sessions.put(session.key, session, Math.min(now + IDLE_MS, session.startedAt + ABSOLUTE_MS), now);
  };
  const hasSamePassword = ({ tenant, username, passwordHash }: SignedIn): boolean =>
    store.get('users', joinKey(tenant, username))?.passwordHash === passwordHash;

  const isSecure = (): boolean => baseUrl().startsWith('https:');
  const name = (): string => (isSecure() ? `__Host-${COOKIE}` : COOKIE);
  /**
   * SameSite is Lax, not Strict: the session must be sent when a link of the client leads here.
   * @see docs/conformance/security.md R96
   */
  const cookie = (value: string, more: string): string =>
    `${name()}=${value}; Path=/; HttpOnly; SameSite=Lax${isSecure() ? '; Secure' : ''}${more}`;

  return {
    /** The session that the request's cookie names, if it is valid. Each call extends it up to an absolute limit. */
    find: (request: IncomingMessage): Session | undefined => {
      let visit: Session | undefined;
      for (const value of cookieValues(request, name())) {
        const key = vault.digest(value);
        const session = sessions.get(key, clock.now());
        if (session?.user !== undefined && hasSamePassword(session.user)) {
          keep(session);
          return session;
        }
        sessions.delete(key);
        const browser = visits.read(value);
        if (browser !== undefined) visit ??= { key, browser, startedAt: clock.now() };
      }
      return visit;
    },
    /** Starts a session with a new id, or a visit without a user, and ends `before`. Ids are never taken from a request. */
    begin: (user?: SignedIn, before?: Session): BegunSession => {
      if (before !== undefined) sessions.delete(before.key);
      const browser = before?.browser ?? ids.secret();
      const id = user === undefined ? visits.make(browser) : ids.secret();
      const session: Session = {
        key: vault.digest(id),
        browser,
        startedAt: clock.now(),
        ...(user && { user: { tenant: user.tenant, username: user.username, passwordHash: user.passwordHash } }),
      };
      if (user !== undefined) keep(session);
      return { session, cookie: cookie(id, '') };
    },
    /** Ends a session. Returns the Set-Cookie header that deletes the cookie. */
    end: (session: Session): string => {
      sessions.delete(session.key);
      return cookie('', '; Max-Age=0');
    },
    /** Ends every session of a user. Call it when the password changes or the user is deleted. */
    endAllOf: (tenant: string, username: string): void => {
      for (const [key, { user }] of sessions.entries()) {
        if (user?.tenant === tenant && user.username === username) sessions.delete(key);
      }
    },
  };
};
