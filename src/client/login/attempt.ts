// What makes a login ours alone: the state that comes back with it, and the proof key that nobody else has. @see RFC 7636, auth.md R160
import { createHash, randomBytes } from 'node:crypto';

/** 256 bits, as 43 characters of the alphabet that RFC 7636 4.1 allows. */
const chance = (): string => randomBytes(32).toString('base64url');

/** One login under way. */
export interface Attempt {
  /** Comes back with the answer, unchanged. */
  readonly state: string;
  /** Secret until the code is exchanged. */
  readonly verifier: string;
}

/** Makes state and verifier anew; neither is ever used twice. */
export const newAttempt = (): Attempt => ({ state: chance(), verifier: chance() });

/** The challenge of a verifier, by S256. @see RFC 7636 4.2 */
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');
