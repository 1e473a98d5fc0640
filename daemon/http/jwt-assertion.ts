// Authenticates the caller of a request by the signed JWT assertion of a gateway, in the header
// `X-Jwt-Assertion-<TENANT>`.
import { type KeyObject, verify } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import * as z from 'zod/mini';
import { Failure } from '../domain/failure.ts';
import { joinKey } from '../domain/records/record-key.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import type { Authenticate } from './authorization.ts';
import { parseJson } from './request/json.ts';
import type { Caller } from './route-handler.ts';

const HEADER = 'x-jwt-assertion-';

/** The claims that the daemon reads. The hosted platform's gateway writes the user as `[DOMAIN/]NAME[@TENANT]`. */
const claimsSchema = z.object({
  exp: z.number(),
  nbf: z.optional(z.number()),
  'http://wso2.org/claims/enduser': z.string().check(z.regex(/^[^\0]{1,320}$/)),
});

/** The tenant name that the gateway writes if no tenant is configured in it. */
const NO_TENANT = 'carbon.super';

/** Times above this value are milliseconds, as the gateway writes them, and not seconds (RFC 7519 4.1.4). */
const LARGEST_SECONDS = 100_000_000_000;

/** A time claim in milliseconds. */
const timeOf = (claim: number): number => (claim > LARGEST_SECONDS ? claim : claim * 1_000);

/** Maximum time (ms) from now for which an assertion may be valid. A gateway signs a new one for each request. */
const LONGEST_MS = 24 * 60 * 60_000;

/** The signature algorithm of each kind of key. No other algorithm is accepted, whatever a header says. */
const algorithms: Readonly<Record<string, string>> = { rsa: 'RS256', ec: 'ES256' };

/** The name and the tenant of a user. A name may itself contain `@`, so the last one begins the tenant. */
const splitUser = (user: string): readonly [name: string, tenant: string] => {
  const at = user.lastIndexOf('@');
  return at === -1 ? [user, NO_TENANT] : [user.slice(0, at), user.slice(at + 1)];
};

const isLoopback = (address = ''): boolean => /^(::ffff:)?127\.|^::1$/.test(address);

const refused = (why: string): Failure =>
  new Failure('AUTH_FAILED', `The JWT assertion is not valid: ${why}. Send one that the gateway has just signed.`);

/** Tenant ids are compared without case and in the form of header names, with dashes only. */
const plain = (tenant: string): string => tenant.toLowerCase().replace(/[._]/g, '-');

const jsonOf = (part: string): unknown => {
  try {
    return parseJson(Buffer.from(part, 'base64url'));
  } catch {
    throw refused('it cannot be read');
  }
};

interface Assertion {
  readonly tenant: string;
  readonly token: string;
}

const assertionOf = ({ headers }: IncomingMessage): Assertion | undefined => {
  const [first, ...others] = Object.entries(headers).filter(([name]) => name.startsWith(HEADER));
  if (first === undefined) return undefined;
  const [name, token] = first;
  if (others.length > 0 || typeof token !== 'string') throw refused('there is more than one');
  return { tenant: plain(name.slice(HEADER.length)), token };
};

const verified = (token: string, key: KeyObject, now: number): z.output<typeof claimsSchema> => {
  const [head = '', body = '', signature = '', ...more] = token.split('.');
  if (more.length > 0 || head === '' || body === '') throw refused('it is no signed JWT');
  const { alg } = z.catch(z.object({ alg: z.string() }), { alg: '' }).parse(jsonOf(head));
  const wanted = algorithms[key.asymmetricKeyType ?? ''];
  if (alg !== wanted) throw refused(`its algorithm must be ${wanted}`);
  const signed = Buffer.from(`${head}.${body}`);
  if (!verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url')))
    throw refused('the key of the gateway did not sign it');
  const claims = claimsSchema.safeParse(jsonOf(body));
  if (!claims.success) throw refused('it needs the claims exp and http://wso2.org/claims/enduser');
  const { exp, nbf } = claims.data;
  if (timeOf(exp) <= now) throw refused('it has expired');
  if (timeOf(exp) > now + LONGEST_MS) throw refused('it is valid for more than a day');
  if (nbf !== undefined && timeOf(nbf) > now) throw refused('it is not valid yet');
  return claims.data;
};

export interface AssertionOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly gateway: {
    readonly key: KeyObject;
    /**
     * The tenant of the gateway's users. If absent, the first tenant. The header that contains the tenant is not
     * signed.
     */
    readonly tenant?: string;
  };
}

/**
 * Accepts an assertion instead of a token, only from this machine. The caller is the user whom the assertion names,
 * with the roles stored for that user. Requests with a token or without an assertion go to `next`.
 * @see docs/conformance/security.md R184
 */
export const acceptAssertions = ({ store, clock, gateway }: AssertionOptions, next: Authenticate): Authenticate => {
  const callerOf = ({ tenant, token }: Assertion): Caller => {
    const claims = verified(token, gateway.key, clock.now());
    const [first] = store.all('tenants');
    const pinned = gateway.tenant ?? first?.id ?? '';
    if (plain(pinned) !== tenant) throw refused('its header names another tenant than --legacy-jwt-public-key');
    const [name, domain] = splitUser(claims['http://wso2.org/claims/enduser']);
    if (domain !== NO_TENANT && plain(domain) !== tenant) throw refused('it is for another tenant');
    const user = store.get('users', joinKey(pinned, name.slice(name.indexOf('/') + 1)));
    if (user === undefined) throw refused('there is no such user in that tenant');
    return { tenant: user.tenant, username: user.username, roles: user.roles };
  };
  return (request, accepts) => {
    if (request.headers.authorization !== undefined) return next(request, accepts);
    const assertion = assertionOf(request);
    if (assertion === undefined) return next(request, accepts);
    if (!isLoopback(request.socket.remoteAddress)) throw refused('it is accepted from this machine only');
    return callerOf(assertion);
  };
};
