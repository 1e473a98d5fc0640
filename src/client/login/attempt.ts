// State and proof key (PKCE) that bind an authorization response to one login. @see RFC 7636, docs/conformance/security.md R160
import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits as 43 characters of the alphabet of RFC 7636 4.1. */
const chance = (): string => randomBytes(32).toString('base64url');

export interface Attempt {
  /** Returned unchanged in the authorization response. */
  readonly state: string;
  /** Secret until the code is exchanged. */
  readonly verifier: string;
}

export const newAttempt = (): Attempt => ({ state: chance(), verifier: chance() });

/** The S256 challenge of a verifier. @see RFC 7636 4.2 */
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');
