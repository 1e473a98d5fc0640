// Checks the flows and redirect URIs of a client registration. @see docs/oauth.md#register-a-client, docs/conformance/security.md R06, R30

import { type Grant, grants } from '../../../src/contract/oauth/grants.ts';
import { Failure } from '../failure.ts';

/** Schemes whose URIs contain code or content themselves, or point to local content. */
const FORBIDDEN_SCHEMES = new Set([
  'javascript',
  'data',
  'file',
  'vbscript',
  'blob',
  'about',
  'filesystem',
  'view-source',
]);
const LONGEST = 2_048;
const LOOPBACK = /^(127\.0\.0\.1|\[::1\]|localhost)(:\d{1,5})?$/i;
/** Printable ASCII without space, quotes, angle brackets, backslash, backtick, braces, bar and caret. @see RFC 3986 2 */
const CHARACTERS = /^[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]+$/;
const HOST = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)(:\d{1,5})?$/i;

/**
 * Why a URI may not be registered, as the end of a sentence that begins with the URI. Undefined if it is allowed.
 * Allowed are https with any host, http on loopback, and private schemes that contain a dot
 * (`com.example.app:/callback`).
 */
export const redirectUriFault = (uri: string): string | undefined => {
  if (uri.length > LONGEST) return `is longer than ${LONGEST} characters`;
  if (!CHARACTERS.test(uri)) return 'contains a character that is not allowed in a URI (write it percent-encoded)';
  if (uri.includes('#')) return 'has a fragment';
  if (uri.includes('*')) return 'has a wildcard; register every URI in full';
  const parts = /^([a-z][a-z0-9+.-]*):(.*)/i.exec(uri);
  if (parts === null) return 'is not absolute; write it with its scheme';
  const scheme = (parts[1] ?? '').toLowerCase();
  const rest = parts[2] ?? '';
  if (FORBIDDEN_SCHEMES.has(scheme)) return `has the scheme ${scheme}, which is never allowed`;
  const authority = rest.startsWith('//') ? (rest.slice(2).split(/[/?]/, 1)[0] ?? '') : undefined;
  if (authority?.includes('@')) return 'contains a user name';
  if (scheme === 'https' || scheme === 'http') {
    if (authority === undefined || !HOST.test(authority)) return 'names no host';
    const port = /:(\d+)$/.exec(authority)?.[1];
    if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return 'has an invalid port';
    if (scheme === 'http' && !LOOPBACK.test(authority))
      return 'is plain http to another machine; use https, or http on 127.0.0.1';
  } else if (!scheme.includes('.') || rest.length === 0) {
    return `has the scheme ${scheme}; use https, http on loopback, or a scheme with a dot in it`;
  }
  // Node versions differ in which encoded labels (`xn--`) they decode. Without the prefix, each label is plain ASCII.
  return URL.canParse(uri.replace(/xn--/gi, 'x--')) ? undefined : 'cannot be parsed as a URL; check its host and port';
};

/** Flows that need no client secret. They are the default of a public client. */
const publicGrants: readonly Grant[] = ['authorization_code', 'implicit', 'refresh_token'];

const isGrant = (word: string): word is Grant => grants.some((grant) => grant === word);

const split = (text: string, separator: RegExp | string): string[] =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Reads a comma-separated list of redirect URIs. Duplicates are removed. */
export const readRedirectUris = (callbackUrl: string): readonly string[] => {
  const uris = [...new Set(split(callbackUrl, ','))];
  for (const [index, uri] of uris.entries()) {
    const fault = redirectUriFault(uri);
    if (fault === undefined) continue;
    // The error names the URI by its position, because a refused URI may contain a password.
    const comma = index > 0 && !uri.includes(':') ? ' A comma separates two URIs; write one inside a URI as %2C.' : '';
    throw new Failure('VALIDATION', `callbackUrl: URI ${index + 1} ${fault}.${comma}`, { field: 'callbackUrl' });
  }
  return uris;
};

/**
 * Reads the requested grants without duplicates. If none is requested, the client gets all grants allowed for its kind.
 * @throws Failure VALIDATION for an unknown grant, or a grant that needs a secret on a public client
 */
export const readGrants = (given: string | readonly string[] | undefined, isPublic: boolean): readonly Grant[] => {
  const allowed = isPublic ? publicGrants : grants;
  const words = typeof given === 'string' ? split(given, /[\s,]+/) : (given ?? []);
  if (words.length === 0) return allowed;
  const chosen = new Set<Grant>();
  for (const word of words) {
    if (!isGrant(word)) {
      throw new Failure('VALIDATION', `grants must be among ${grants.join(', ')}.`, { field: 'grants' });
    }
    if (!allowed.includes(word)) {
      throw new Failure(
        'VALIDATION',
        `grants: ${word} needs a secret, which a public client does not have. Use ${publicGrants.join(', ')}.`,
        { field: 'grants' },
      );
    }
    chosen.add(word);
  }
  return [...chosen];
};
