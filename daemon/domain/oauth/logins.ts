// The logins of a user: grants with valid tokens, and browsers with a session. They can be listed and ended one by one.
// @see docs/conformance/security.md R84, R88, R95
import type { TimedFlow } from '../../../src/contract/oauth/grants.ts';
import type { ReadView, Transaction } from '../../ports/store.ts';
import { approvalKey, type SessionRecord, type TokenRecord } from '../records/account-records.ts';
import { joinKey } from '../records/record-key.ts';
import { isOver, sessionEnd } from './browser-session.ts';
import { isDashboard } from './dashboard-client.ts';
import { findClient } from './find-client.ts';
import { revokeGrant } from './revocation.ts';
import { isValid } from './token-lifetime.ts';

interface Person {
  readonly tenant: string;
  readonly username: string;
}

type Digest = (text: string) => string;

export interface GrantLogin {
  readonly kind: 'grant';
  readonly id: string;
  readonly flow: TimedFlow;
  readonly clientId: string;
  readonly clientName: string;
  readonly scope: string;
  readonly begunAt: number;
  /** Undefined if the tokens were never renewed. */
  readonly renewedAt: number | undefined;
  /** Undefined if the grant does not end by time. */
  readonly endsAt: number | undefined;
  /** Id of the browser in which the grant was approved, if it is still logged in. */
  readonly browser: string | undefined;
}

export interface BrowserLogin {
  readonly kind: 'browser';
  readonly id: string;
  readonly begunAt: number;
  readonly seenAt: number;
  readonly endsAt: number;
}

const ID_LENGTH = 24;

/** The public id of a browser. It reveals neither the cookie nor what the forms of the browser contain. */
const browserId = (browser: string, digest: Digest): string => `B${digest(browser).slice(0, ID_LENGTH)}`;

const flowOf = ({ flow }: TokenRecord): TimedFlow | undefined =>
  flow === 'execution' || flow === 'refresh_token' ? undefined : flow;

/** True for a token of a login. Tokens of executions end with their executions, and are no logins. */
const isOfLogin = (token: TokenRecord, now: number): boolean => token.executionId === undefined && isValid(token, now);

const begunAt = (token: TokenRecord): number => token.begunAt ?? token.issuedAt;

const grantLogin = (
  view: Pick<ReadView, 'get'>,
  tokens: readonly [TokenRecord, ...TokenRecord[]],
  browsers: ReadonlyMap<string, string>,
): GrantLogin | undefined => {
  const [first] = tokens;
  const flow = flowOf(first);
  const client = findClient(view, first.clientId);
  if (flow === undefined || client === undefined) return undefined;
  const begun = Math.min(...tokens.map(begunAt));
  const renewed = Math.max(...tokens.map(({ issuedAt }) => issuedAt));
  const ends = tokens.map(({ expiresAt }) => expiresAt ?? Number.POSITIVE_INFINITY);
  const end = Math.max(...ends);
  return {
    kind: 'grant',
    id: first.grantId,
    flow,
    clientId: client.id,
    clientName: client.name,
    scope: first.scope,
    begunAt: begun,
    renewedAt: renewed > begun ? renewed : undefined,
    endsAt: Number.isFinite(end) ? end : undefined,
    browser: first.browser === undefined ? undefined : browsers.get(first.browser),
  };
};

/** The logins of a user at `now`, newest first. */
export const loginsOf = (
  view: Pick<ReadView, 'get' | 'each'>,
  { tenant, username }: Person,
  now: number,
  digest: Digest,
): readonly (GrantLogin | BrowserLogin)[] => {
  const user = joinKey(tenant, username);
  const sessions = new Map<string, SessionRecord>();
  for (const session of view.each('sessions', 'user', user)) {
    if (!isOver(session, now)) sessions.set(session.browser, session);
  }
  const browsers = new Map([...sessions.keys()].map((browser) => [browser, browserId(browser, digest)]));
  const byGrant = new Map<string, [TokenRecord, ...TokenRecord[]]>();
  for (const token of view.each('tokens', 'user', user)) {
    if (!isOfLogin(token, now)) continue;
    const before = byGrant.get(token.grantId);
    if (before === undefined) byGrant.set(token.grantId, [token]);
    else before.push(token);
  }
  const grants = [...byGrant.values()].flatMap((tokens) => grantLogin(view, tokens, browsers) ?? []);
  const ofBrowsers = [...sessions.values()].map((session): BrowserLogin => {
    const { browser, startedAt, seenAt } = session;
    return {
      kind: 'browser',
      id: browsers.get(browser) ?? '',
      begunAt: startedAt,
      seenAt,
      endsAt: sessionEnd(session),
    };
  });
  return [...grants, ...ofBrowsers].sort((a, b) => b.begunAt - a.begunAt);
};

export interface EndedLogin {
  /** Number of valid tokens that ended. */
  readonly revoked: number;
  /** True if a browser was logged out. */
  readonly browser: boolean;
}

/**
 * Logs a browser out: its session, codes that nobody has redeemed yet, and the dashboard pages in it, which would
 * otherwise keep their tokens.
 */
const endBrowser = (tx: Transaction, { tenant, username }: Person, browser: string, now: number): EndedLogin => {
  const user = joinKey(tenant, username);
  const sessions = tx.by('sessions', 'user', user).filter((session) => session.browser === browser);
  for (const { hash } of sessions) tx.delete('sessions', hash);
  for (const code of tx.by('codes', 'user', user)) {
    if (code.browser === browser && code.usedAt === undefined) tx.delete('codes', code.hash);
  }
  const pages = tx
    .by('tokens', 'user', user)
    .filter((token) => token.browser === browser && isDashboard(token.clientId))
    .map(({ grantId }) => grantId);
  const revoked = [...new Set(pages)].reduce((sum, grantId) => sum + revokeGrant(tx, grantId, now), 0);
  return { revoked, browser: sessions.length > 0 };
};

/** A client of the implicit flow that was approved before could get a new token without a question. */
const endApprovals = (tx: Transaction, { tenant, username }: Person, clientId: string): void => {
  for (const approval of tx.by('approvals', 'user', joinKey(tenant, username))) {
    if (approval.clientId === clientId) tx.delete('approvals', approvalKey(approval));
  }
};

/** Ends one login of a user. Undefined if the user has no such login at `now`. */
export const endLogin = (
  tx: Transaction,
  person: Person,
  id: string,
  now: number,
  digest: Digest,
): EndedLogin | undefined => {
  const { tenant, username } = person;
  const isOwn = (token: TokenRecord) => token.tenant === tenant && token.username === username;
  const token = tx.by('tokens', 'grant', id).find((each) => isOwn(each) && isOfLogin(each, now));
  if (token !== undefined) {
    const revoked = revokeGrant(tx, id, now);
    if (token.flow === 'implicit') endApprovals(tx, person, token.clientId);
    // The session of the browser would log the page in again at once.
    if (token.browser === undefined || !isDashboard(token.clientId)) return { revoked, browser: false };
    const rest = endBrowser(tx, person, token.browser, now);
    return { revoked: revoked + rest.revoked, browser: rest.browser };
  }
  const session = tx
    .by('sessions', 'user', joinKey(tenant, username))
    .find((each) => browserId(each.browser, digest) === id && !isOver(each, now));
  return session && endBrowser(tx, person, session.browser, now);
};
