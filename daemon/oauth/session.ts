// Browser sessions, identified by a cookie. They are stored, so users stay logged in over a restart. A session without a
// user (a visit) only ties forms to a browser before the login. It needs no credential, so its cookie holds all of it.
// @see docs/conformance/security.md R94, R95, R96, R243
import type { IncomingMessage } from 'node:http';
import { isOver } from '../domain/oauth/browser-session.ts';
import type { SessionRecord, UserRecord } from '../domain/records/account-records.ts';
import { joinKey } from '../domain/records/record-key.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Store } from '../ports/store.ts';
import type { Vault } from '../ports/vault.ts';
import { createSignedTexts } from './signed-text.ts';

/** The logged-in user. The password hash shows whether the password changed during a request. */
export type SignedIn = Pick<UserRecord, 'tenant' | 'username' | 'passwordHash'>;

export interface Session {
  readonly key: string;
  /** Identifies the browser. It stays the same at login, so that its open forms stay valid. */
  readonly browser: string;
  readonly startedAt: number;
  readonly user?: SignedIn;
}

/** A session with a logged-in user. */
export type UserSession = Session & { readonly user: SignedIn };

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

/** A use is stored at most once in this time, so that a session ends up to a minute before an idle hour. */
const SEEN_STEP_MS = 60_000;
/** A login beyond this number ends the oldest session of the user. */
const MAX_SESSIONS_PER_USER = 50;

const cookieValues = ({ headers }: IncomingMessage, name: string): string[] =>
  (headers.cookie ?? '').split(';').flatMap((pair) => {
    const equals = pair.indexOf('=');
    return pair.slice(0, Math.max(equals, 0)).trim() === name ? [pair.slice(equals + 1).trim()] : [];
  });

export const createSessions = ({ store, vault, ids, clock, baseUrl }: SessionDependencies) => {
  /** Cookies of visits: sessions without a user. Each text identifies the browser. */
  const visits = createSignedTexts({ vault, ids });

  const isSecure = (): boolean => baseUrl().startsWith('https:');
  const name = (): string => (isSecure() ? `__Host-${COOKIE}` : COOKIE);
  /**
   * SameSite is Lax, not Strict: the session must be sent when a link of the client leads here.
   * @see docs/conformance/security.md R96
   */
  const cookie = (value: string, more: string): string =>
    `${name()}=${value}; Path=/; HttpOnly; SameSite=Lax${isSecure() ? '; Secure' : ''}${more}`;

  const sessionOf = ({ hash: key, browser, startedAt }: SessionRecord, user: SignedIn): Session => {
    const { tenant, username, passwordHash } = user;
    return { key, browser, startedAt, user: { tenant, username, passwordHash } };
  };

  /** Stores that the session is in use. If the disk refuses that, the session ends earlier, and the request goes on. */
  const see = (key: string, now: number): Promise<void> =>
    store
      .transact((tx) => {
        const present = tx.get('sessions', key);
        if (present !== undefined) tx.put('sessions', { ...present, seenAt: now });
      })
      .catch(() => undefined);

  return {
    /** The session that the request's cookie names, if it is valid. Each call extends it up to an absolute limit. */
    find: async (request: IncomingMessage): Promise<Session | undefined> => {
      const now = clock.now();
      let visit: Session | undefined;
      for (const value of cookieValues(request, name())) {
        const key = vault.digest(value);
        const record = store.get('sessions', key);
        const user = record && store.get('users', joinKey(record.tenant, record.username));
        if (record !== undefined && user !== undefined && !isOver(record, now)) {
          if (now - record.seenAt >= SEEN_STEP_MS) await see(key, now);
          return sessionOf(record, user);
        }
        const browser = visits.read(value);
        if (browser !== undefined) visit ??= { key, browser: vault.digest(browser), startedAt: now };
      }
      return visit;
    },
    /** Starts a visit. */
    visit: (): BegunSession => {
      const browser = ids.secret();
      const id = visits.make(browser);
      const session = { key: vault.digest(id), browser: vault.digest(browser), startedAt: clock.now() };
      return { session, cookie: cookie(id, '') };
    },
    /**
     * Starts a session with a new id, and ends `before`. Ids are never taken from a request. Undefined if the password
     * of the user has changed since it was checked. The session is durable when the promise resolves.
     */
    begin: (user: SignedIn, before?: Session): Promise<BegunSession | undefined> => {
      const id = ids.secret();
      const now = clock.now();
      const { tenant, username } = user;
      const record: SessionRecord = {
        hash: vault.digest(id),
        browser: before?.browser ?? vault.digest(ids.secret()),
        tenant,
        username,
        startedAt: now,
        seenAt: now,
      };
      const owner = joinKey(tenant, username);
      return store.transact((tx) => {
        if (tx.get('users', owner)?.passwordHash !== user.passwordHash) return undefined;
        if (before !== undefined) tx.delete('sessions', before.key);
        const oldestFirst = tx.by('sessions', 'user', owner).toSorted((a, b) => a.startedAt - b.startedAt);
        const surplus = Math.max(0, oldestFirst.length + 1 - MAX_SESSIONS_PER_USER);
        for (const { hash } of oldestFirst.slice(0, surplus)) tx.delete('sessions', hash);
        tx.put('sessions', record);
        return { session: sessionOf(record, user), cookie: cookie(id, '') };
      });
    },
    /** Ends a session durably. Returns the Set-Cookie header that deletes the cookie. */
    end: async ({ key, user }: Session): Promise<string> => {
      if (user !== undefined) await store.transact((tx) => tx.delete('sessions', key));
      return cookie('', '; Max-Age=0');
    },
  };
};
