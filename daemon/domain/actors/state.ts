// The state of a stateful actor as a row of versions: which one counts, what comes next, what is forgotten.
import { Failure } from '../failure.ts';
import type { ActorRecord } from '../records/actor-records.ts';
import type { StateRecord } from '../records/resource-records.ts';

/** What an actor without any version has, as JSON text; it is called version 0. */
export const EMPTY_STATE = '{}';

/** The version that counts, of all versions of one actor in their order; undefined: none was ever set. */
export const newestState = (versions: readonly StateRecord[]): StateRecord | undefined => versions.at(-1);

/** JSON text of the state that counts. */
export const stateText = (versions: readonly StateRecord[]): string => newestState(versions)?.text ?? EMPTY_STATE;

const finite = (_: string, value: unknown): unknown => {
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  throw new Failure('VALIDATION', 'state holds a number that is too large here. Set it by POST to the state instead.', {
    field: 'state',
  });
};

/**
 * JSON text of a state that came as part of a description, already read as a value.
 * @throws Failure VALIDATION when it holds a number that reading made infinite
 */
export const textOfState = (value: unknown): string => JSON.stringify(value, finite) ?? EMPTY_STATE;

/** How much of the past is kept of one actor; the newest version stays whatever its size. */
export interface StateHistory {
  readonly versions: number;
  /** Of the texts together. */
  readonly bytes: number;
}

/** The version that follows. */
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

/** The versions that go, of all versions of one actor in their order: the oldest, until the rest is within bounds. */
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
