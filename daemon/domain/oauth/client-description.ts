// Checks the flows and redirect URIs of a client registration. @see docs/protocol.md 13.1, docs/security.md R06, R30
import { Failure } from '../failure.ts';
import type { Grant } from '../records/account-records.ts';
import { redirectUriFault } from './redirect-uri.ts';

/** All flows; the default of a client with a secret. */
export const allGrants: readonly Grant[] = [
  'authorization_code',
  'implicit',
  'password',
  'client_credentials',
  'refresh_token',
];

/** Flows that need no client secret; the default of a public client. */
const publicGrants: readonly Grant[] = ['authorization_code', 'implicit', 'refresh_token'];

const isGrant = (word: string): word is Grant => allGrants.some((grant) => grant === word);

const split = (text: string, separator: RegExp | string): string[] =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');

/**
 * Reads a comma-separated list of redirect URIs; duplicates are removed.
 * @throws Failure VALIDATION
 */
export const readRedirectUris = (callbackUrl: string): readonly string[] => {
  const uris = [...new Set(split(callbackUrl, ','))];
  for (const [index, uri] of uris.entries()) {
    const fault = redirectUriFault(uri);
    if (fault === undefined) continue;
    // Named by its position, because a refused URI may contain a password.
    throw new Failure('VALIDATION', `callbackUrl: URI ${index + 1} ${fault}.`, { field: 'callbackUrl' });
  }
  return uris;
};

/**
 * Reads the requested grants without duplicates; none requested means all that this kind of client may have.
 * @throws Failure VALIDATION for an unknown grant, or a grant that needs a secret on a public client
 */
export const readGrants = (given: string | readonly string[] | undefined, isPublic: boolean): readonly Grant[] => {
  const allowed = isPublic ? publicGrants : allGrants;
  const words = typeof given === 'string' ? split(given, /[\s,]+/) : (given ?? []);
  if (words.length === 0) return allowed;
  const grants = new Set<Grant>();
  for (const word of words) {
    if (!isGrant(word)) {
      throw new Failure('VALIDATION', `grants must be among ${allGrants.join(', ')}.`, { field: 'grants' });
    }
    if (!allowed.includes(word)) {
      throw new Failure(
        'VALIDATION',
        `grants: ${word} needs a secret, which a public client does not have. Use ${publicGrants.join(', ')}.`,
        { field: 'grants' },
      );
    }
    grants.add(word);
  }
  return [...grants];
};
