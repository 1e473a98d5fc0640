// Shows the secrets of nonces that were created in the legacy dialect.
import { Failure } from '../../domain/failure.ts';
import type { NonceRecord } from '../../domain/records/resource-records.ts';
import type { Caller } from '../../http/route-handler.ts';
import type { Seal, SealedFor } from '../../ports/seal.ts';
import type { ReadView } from '../../ports/store.ts';

/** The nonce to which a sealed secret is bound. A secret sealed for one nonce cannot be opened for another. */
export const sealedFor = ({ tenant, id }: Pick<NonceRecord, 'tenant' | 'id'>): SealedFor => ({
  kind: 'nonce',
  tenant,
  name: id,
});

/** Returns the secret of a nonce for a caller. Undefined if it is not stored, or if this caller may not see it. */
export type NonceSecrets = (caller: Caller, id: string) => string | undefined;

/**
 * Makes the lookup of secrets. Only the owner of a nonce gets its secret, and only with a login token. A nonce acts as
 * its owner, so any other reader of the actor, another nonce or the code of an execution would gain rights. A secret
 * that cannot be decrypted is not shown.
 * @see docs/conformance/security.md R126
 */
export const nonceSecrets =
  ({ store, seal }: { readonly store: Pick<ReadView, 'get'>; readonly seal: Pick<Seal, 'open'> }): NonceSecrets =>
  ({ tenant, username, executionId, nonceId }, id) => {
    const nonce = store.get('nonces', id);
    if (nonce?.sealed === undefined || executionId !== undefined || nonceId !== undefined) return undefined;
    if (nonce.tenant !== tenant || nonce.owner !== username) return undefined;
    try {
      return seal.open(nonce.sealed, sealedFor(nonce));
    } catch (error) {
      if (error instanceof Failure) return undefined;
      throw error;
    }
  };
