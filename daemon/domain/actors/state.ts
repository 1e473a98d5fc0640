// The state of a stateful actor as a list of versions: the current version, the next one, and those to delete.
import type { Transaction } from '../../ports/store.ts';
import type { ActorRecord } from '../records/actor-records.ts';
import { type StateRecord, stateKey } from '../records/resource-records.ts';

/** JSON text of the state of an actor without any version; clients see it as version 0. */
export const EMPTY_STATE = '{}';

/** @param versions all versions of one actor, oldest first */
export const newestState = (versions: readonly StateRecord[]): StateRecord | undefined => versions.at(-1);

export const stateText = (versions: readonly StateRecord[]): string => newestState(versions)?.text ?? EMPTY_STATE;

/** Limits of the stored versions of one actor. The newest version is stored whatever its size. */
export interface StateHistory {
  readonly versions: number;
  /** Total bytes of the version texts. */
  readonly bytes: number;
}

export const nextState = (
  actor: Pick<ActorRecord, 'id' | 'tenant'>,
  versions: readonly StateRecord[],
  set: Pick<StateRecord, 'text' | 'bytes' | 'by' | 'executionId' | 'at'>,
): StateRecord => ({
  actorId: actor.id,
  tenant: actor.tenant,
  version: (newestState(versions)?.version ?? 0) + 1,
  ...set,
});

/**
 * The oldest versions to delete, so that the remaining ones are within the limits.
 * @param versions all versions of one actor, oldest first
 */
export const forgottenStates = (versions: readonly StateRecord[], keep: StateHistory): readonly StateRecord[] => {
  let bytes = 0;
  let kept = 0;
  for (const { bytes: size } of versions.toReversed()) {
    bytes += size;
    if (kept > 0 && (kept >= keep.versions || bytes > keep.bytes)) break;
    kept += 1;
  }
  return versions.slice(0, versions.length - kept);
};

/** Limits of the stored version history of one actor. */
const HISTORY: StateHistory = { versions: 100, bytes: 20 * 1024 * 1024 };

/** Writes the next version, and deletes versions beyond the limits. */
export const putNextState = (
  tx: Transaction,
  actor: Pick<ActorRecord, 'id' | 'tenant'>,
  set: Parameters<typeof nextState>[2],
): StateRecord => {
  const versions = tx.by('states', 'actor', actor.id);
  const next = nextState(actor, versions, set);
  for (const { version } of forgottenStates([...versions, next], HISTORY)) {
    tx.delete('states', stateKey(actor.id, version));
  }
  tx.put('states', next);
  return next;
};
