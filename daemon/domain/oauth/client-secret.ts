// Which secrets prove a client: its own, and for the grace of a rotation the one before. @see auth.md R48, R49
import type { ClientRecord } from '../records/account-records.ts';

/** Digests to compare with; undefined where no secret can match. */
export interface SecretDigests {
  readonly current: string | undefined;
  readonly previous: string | undefined;
}

/** A public client, and one that does not exist, have no secret to know. */
export const secretDigests = (client: ClientRecord | undefined, now: number): SecretDigests => {
  if (client === undefined || client.secretHash === '') return { current: undefined, previous: undefined };
  const { secretHash: current, previousSecret } = client;
  const isGood = previousSecret !== undefined && now < previousSecret.validUntil;
  return { current, previous: isGood ? previousSecret.hash : undefined };
};

/**
 * The client with a new secret. The one before stays good for `graceMs`; the one before that, if there is one, is dead.
 * @param hash SHA-256 of the new secret, hex
 */
export const withNewSecret = (client: ClientRecord, hash: string, graceMs: number, now: number): ClientRecord => {
  const { previousSecret: _, ...rest } = client;
  const next = { ...rest, secretHash: hash };
  return graceMs > 0 ? { ...next, previousSecret: { hash: client.secretHash, validUntil: now + graceMs } } : next;
};

/** Whether what proved a client a moment ago still does: the client is there, and its secret was not taken back. */
export const isStillProven = (present: ClientRecord | undefined, proven: ClientRecord): boolean =>
  present !== undefined && [present.secretHash, present.previousSecret?.hash].includes(proven.secretHash);
