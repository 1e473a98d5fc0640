// The valid secrets of a client: the current one and, during the grace period of a rotation, the previous one. @see
// docs/conformance/security.md R48, R49
import type { ClientRecord } from '../records/account-records.ts';

/** SHA-256 digests to compare with. Undefined where no secret is valid. */
export interface SecretDigests {
  readonly current: string | undefined;
  readonly previous: string | undefined;
}

export const secretDigests = (client: ClientRecord | undefined, now: number): SecretDigests => {
  if (client === undefined || client.secretHash === '') return { current: undefined, previous: undefined };
  const { secretHash: current, previousSecret } = client;
  const isGood = previousSecret !== undefined && now < previousSecret.validUntil;
  return { current, previous: isGood ? previousSecret.hash : undefined };
};

/**
 * The client with a new secret. The current secret stays valid for `graceMs`; an older secret ends at once.
 * @param hash SHA-256 of the new secret, hex
 */
export const withNewSecret = (client: ClientRecord, hash: string, graceMs: number, now: number): ClientRecord => {
  const { previousSecret: _, ...rest } = client;
  const next = { ...rest, secretHash: hash };
  return graceMs > 0 ? { ...next, previousSecret: { hash: client.secretHash, validUntil: now + graceMs } } : next;
};

/**
 * True if the client still exists and the secret in `proven`, its earlier record, is still the current or the previous
 * one.
 */
export const isStillProven = (present: ClientRecord | undefined, proven: ClientRecord): boolean =>
  present !== undefined && [present.secretHash, present.previousSecret?.hash].includes(proven.secretHash);
