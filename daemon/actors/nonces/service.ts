// Creates, lists and deletes the nonces of an actor or an alias.

import type { Dialect } from '../../../src/contract/dialect.ts';
import { type NonceRequest, newNonce, UNLIMITED } from '../../domain/actors/nonce.ts';
import { Failure } from '../../domain/failure.ts';
import type { ActorRecord } from '../../domain/records/actor-records.ts';
import { type AliasRecord, type NonceRecord, nameKey } from '../../domain/records/resource-records.ts';
import type { Caller } from '../../http/route-handler.ts';
import type { Ids } from '../../ports/ids.ts';
import type { ReadView, Transaction } from '../../ports/store.ts';
import { unknownActor, unknownAlias } from '../access.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { demandOwner, quotaOf } from '../quotas.ts';
import { sealedFor } from './secrets.ts';
import { makeRoomForNonce } from './sweep.ts';

type Dependencies = Pick<ActorsDependencies, 'store' | 'vault' | 'seal' | 'clock' | 'ids' | 'quotas'>;

/** The actor or alias of a nonce, as the guard found it. */
export type NonceSubject = { readonly actor: ActorRecord } | { readonly alias: AliasRecord };

export type NonceInput = Partial<{ readonly [K in keyof NonceRequest]: NonceRequest[K] | undefined }>;

export interface NewNonce {
  readonly nonce: NonceRecord;
  readonly secret: string;
}

/** Random characters of a secret: 190 bits. @see docs/conformance/security.md R126 */
const SECRET_LENGTH = 32;

/** Makes a secret of letters and digits, which needs no quoting in shells and forms. */
const newSecret = (ids: Ids): string => {
  let text = '';
  while (text.length < SECRET_LENGTH) text += ids.secret().replace(/[^A-Za-z0-9]/g, '');
  return text.slice(0, SECRET_LENGTH);
};

const unknownNonce = () =>
  new Failure('NOT_FOUND', 'There is no such nonce. The list of nonces of this actor or alias shows them all.');

const belongs = (nonce: NonceRecord, of: NonceSubject): boolean =>
  'alias' in of ? nonce.alias === of.alias.alias && nonce.tenant === of.alias.tenant : nonce.actorId === of.actor.id;

/** Checks that the actor or alias still exists. It may have been deleted since the guard ran. */
const demandSubject = (tx: Transaction, of: NonceSubject): void => {
  if ('actor' in of) {
    if (tx.get('actors', of.actor.id) === undefined) throw unknownActor();
    return;
  }
  const { tenant, alias, actorId } = of.alias;
  // The guard checked the level on this actor only, so the alias must still point to it.
  if (tx.get('aliases', nameKey(tenant, alias))?.actorId !== actorId) throw unknownAlias();
};

/**
 * An execution may create nonces for its own actor only. Any other nonce would let the code act after its execution has
 * ended.
 * @see docs/conformance/security.md R154
 */
const demandOwnActor = (tx: Transaction, { executionId }: Caller, of: NonceSubject): void => {
  if (executionId === undefined) return;
  if ('actor' in of && tx.get('executions', executionId)?.actorId === of.actor.id) return;
  throw new Failure(
    'FORBIDDEN',
    'The token of an execution can create nonces for its own actor only. Use the token of a login.',
  );
};

/** Refuses level UPDATE for an alias. The alias may later point to an actor whose owner does not know of the nonce. */
const refuseUpdate = (of: NonceSubject, { level }: NonceInput): void => {
  if ('actor' in of || level !== 'UPDATE') return;
  throw new Failure(
    'ALIAS_NONCE_LEVEL',
    'level cannot be UPDATE for a nonce of an alias. Use READ or EXECUTE, or create the nonce for the actor itself.',
    { field: 'level' },
  );
};

export const nonceService = ({ store, vault, seal, clock, ids, quotas }: Dependencies) => {
  const find = (view: ReadView, of: NonceSubject, id: string): NonceRecord => {
    const nonce = view.get('nonces', id) ?? view.by('nonces', 'hash', vault.digest(id))[0];
    if (nonce === undefined || !belongs(nonce, of)) throw unknownNonce();
    return nonce;
  };
  return {
    /** The nonces of an actor or alias, oldest first. */
    list: (of: NonceSubject): readonly NonceRecord[] =>
      'actor' in of
        ? store.by('nonces', 'actor', of.actor.id)
        : store.by('nonces', 'alias', nameKey(of.alias.tenant, of.alias.alias)),

    /**
     * Stores the hash of the secret, and for a request of the legacy dialect also the sealed secret.
     * @throws Failure NOT_FOUND, ALIAS_NONCE_LEVEL for level UPDATE on an alias, FORBIDDEN for an execution that asks for
     * a nonce of anything but its own actor, STORE_UNAVAILABLE if a secret cannot be sealed
     */
    async create(caller: Caller, of: NonceSubject, input: NonceInput, dialect: Dialect): Promise<NewNonce> {
      const { tenant, username, roles } = caller;
      refuseUpdate(of, input);
      const id = `${tenant}_${ids.id()}`;
      const secret = `${id}${newSecret(ids)}`;
      const nonce = newNonce(
        {
          id,
          hash: vault.digest(secret),
          tenant,
          owner: username,
          roles,
          target: 'actor' in of ? { actorId: of.actor.id } : { alias: of.alias.alias },
        },
        {
          level: input.level ?? 'EXECUTE',
          maxUses: input.maxUses ?? UNLIMITED,
          description: input.description ?? '',
          expiresIn: input.expiresIn,
        },
        clock.now(),
      );
      const stored = await store.transact((tx) => {
        demandSubject(tx, of);
        demandOwnActor(tx, caller, of);
        makeRoomForNonce(tx, caller, { limit: quotaOf('nonces', quotas), now: nonce.createdAt });
        demandOwner(tx, caller, 'nonces', quotas);
        // Sealed inside the transaction, so that a change of keys finds the nonce.
        const made = dialect === 'legacy' ? { ...nonce, sealed: seal.seal(secret, sealedFor(nonce)) } : nonce;
        tx.put('nonces', made);
        return made;
      });
      return { nonce: stored, secret };
    },

    /** @param id public id of the nonce, or its secret @throws Failure NOT_FOUND */
    show: (of: NonceSubject, id: string): NonceRecord => find(store, of, id),

    /** @throws Failure NOT_FOUND */
    remove: (of: NonceSubject, id: string): Promise<void> =>
      store.transact((tx) => tx.delete('nonces', find(tx, of, id).id)),
  };
};
