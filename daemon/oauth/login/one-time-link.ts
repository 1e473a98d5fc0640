// One-time links that log a browser in. Only the management socket issues them.
// @see docs/conformance/security.md C29
import { Failure } from '../../domain/failure.ts';
import type { ANSWERED, Handlers } from '../../http/route-handler.ts';
import { seeOther, sendPage } from '../browser-response.ts';
import { createExpiringMap } from '../expiring-map.ts';
import { usedLinkPage } from '../pages/used-link.ts';
import type { SignedIn } from '../session.ts';
import type { AuthorizationContext } from '../show-forms.ts';

/** Lifetime of a link in ms. */
const LIFE_MS = 60_000;
const MAX_LINKS = 1_000;

/**
 * The user whom a link logs in. Without a name, it is the first admin. Without a tenant, only one user may have the
 * name.
 */
export interface LinkRequest {
  readonly tenant?: string;
  readonly username?: string;
}

export interface LoginLink {
  /** The URL to open. It contains the secret. */
  readonly url: string;
  readonly tenant: string;
  readonly username: string;
  readonly expiresInMs: number;
}

/** Creates the issuer of the links and the handler that redeems them. Links are kept in memory. */
export const oneTimeLogins = (context: AuthorizationContext) => {
  const { store, vault, ids, clock, sessions, baseUrl, logger } = context;
  const links = createExpiringMap<SignedIn>(MAX_LINKS);

  const userOf = ({ tenant, username }: LinkRequest): SignedIn => {
    const users = [...store.all('users')];
    if (username === undefined) {
      const admin = users.find(({ roles }) => roles.includes('admin'));
      if (admin !== undefined) return admin;
      throw new Failure('NOT_FOUND', 'There is no admin user yet. Run `actorctl up`, which creates one.');
    }
    const [found, ...more] = users.filter(
      (user) => user.username === username && (tenant === undefined || user.tenant === tenant),
    );
    if (found === undefined)
      throw new Failure('NOT_FOUND', `There is no user "${username}". Log in again with \`actorctl login\`.`);
    if (more.length === 0) return found;
    throw new Failure(
      'VALIDATION',
      `Several tenants have a user "${username}", and the tenant of your login is not known. Log in again with \`actorctl login\`.`,
    );
  };

  /** Removes and returns the link. Undefined if it was used, has expired or never existed. */
  const take = (code: unknown): SignedIn | undefined => {
    if (typeof code !== 'string') return undefined;
    const key = vault.digest(code);
    const user = links.get(key, clock.now());
    links.delete(key);
    return user;
  };

  const handlers: Handlers<'authorize.link'> = {
    'authorize.link': async ({ query, request, response }): Promise<typeof ANSWERED> => {
      // A HEAD request or a prefetch must not use the link up.
      const isVisit = request.method === 'GET' && request.headers['sec-purpose'] === undefined;
      const user = isVisit ? take(query.code) : undefined;
      const begun = user && (await sessions.begin(user, await sessions.find(request)));
      if (user === undefined || begun === undefined) {
        return sendPage(response, usedLinkPage());
      }
      const { tenant, username } = user;
      logger.info({ event: 'login-link', tenant, user: username }, 'a one-time link logged a browser in');
      return seeOther(response, `/?${new URLSearchParams({ tenant }).toString()}`, begun.cookie);
    },
  };

  return {
    handlers,
    /**
     * Issues a link.
     * @throws Failure NOT_FOUND if there is no such user, VALIDATION if there are several
     */
    issue: (asked: LinkRequest): LoginLink => {
      const user = userOf(asked);
      const code = ids.secret();
      const now = clock.now();
      const { tenant, username, passwordHash } = user;
      links.put(vault.digest(code), { tenant, username, passwordHash }, now + LIFE_MS, now);
      const query = new URLSearchParams({ code }).toString();
      return { url: `${baseUrl()}/authorize/link?${query}`, tenant, username, expiresInMs: LIFE_MS };
    },
  };
};
