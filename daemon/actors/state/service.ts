// Reads, sets and restores the state of an actor.
import { STATE_LIMIT } from '../../../src/contract/actors/state.ts';
import { EMPTY_STATE, newestState, type nextState, putNextState } from '../../domain/actors/state.ts';
import type { Matches } from '../../domain/actors/state-match.ts';
import { Failure } from '../../domain/failure.ts';
import type { ActorRecord } from '../../domain/records/actor-records.ts';
import { type StateRecord, stateKey } from '../../domain/records/resource-records.ts';
import type { Caller } from '../../http/route-handler.ts';
import type { ReadView, Transaction } from '../../ports/store.ts';
import { demandActor } from '../access.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import type { SentState } from './body.ts';

type Dependencies = Pick<ActorsDependencies, 'store' | 'clock'>;

/** Clients compare this text, so it must not change. @throws Failure ACTOR_STATELESS @see docs/http-api.md#errors */
export const demandStateful = (actor: Pick<ActorRecord, 'stateless'>): void => {
  if (actor.stateless) throw new Failure('ACTOR_STATELESS', 'actor is stateless.');
};

/** @throws Failure PAYLOAD_TOO_LARGE */
const demandSize = (bytes: number, limit: number): void => {
  if (bytes <= limit) return;
  throw new Failure(
    'PAYLOAD_TOO_LARGE',
    `state has ${bytes} bytes of JSON, more than the ${limit} that one state may have. Store a part of it elsewhere.`,
    { field: 'state', limit },
  );
};

const isEmptyObject = (text: string): boolean => /^\s*\{\s*\}\s*$/.test(text);

/**
 * Sets the state of a new or updated actor in its transaction. Does nothing if `text` is undefined.
 * @param text JSON text as sent
 * @param limit bytes of JSON
 * @throws Failure ACTOR_STATELESS, PAYLOAD_TOO_LARGE
 */
export const setDescribedState = (
  tx: Transaction,
  actor: ActorRecord,
  { by, at, text }: { readonly by: string; readonly at: number; readonly text: string | undefined },
  limit = STATE_LIMIT,
): void => {
  if (text === undefined) return;
  // Clients send back the empty state that they read, even for stateless actors.
  if (isEmptyObject(text) && tx.countBy('states', 'actor', actor.id) === 0) return;
  demandStateful(actor);
  const bytes = Buffer.byteLength(text);
  demandSize(bytes, limit);
  putNextVersion(tx, actor, { text, bytes, by, at }, () => true);
};

/** Version 0: the state of an actor before the first change. */
const initialState = (actor: ActorRecord): StateRecord => ({
  actorId: actor.id,
  tenant: actor.tenant,
  version: 0,
  text: EMPTY_STATE,
  bytes: EMPTY_STATE.length,
  by: actor.owner,
  at: actor.createdAt,
});

const keptVersions = (view: ReadView, actor: ActorRecord): readonly StateRecord[] => {
  const kept = view.by('states', 'actor', actor.id);
  return (kept[0]?.version ?? 1) === 1 ? [initialState(actor), ...kept] : kept;
};

const demandVersion = (view: ReadView, actor: ActorRecord, version: number): StateRecord => {
  const found = version === 0 ? initialState(actor) : view.get('states', stateKey(actor.id, version));
  if (found !== undefined) return found;
  throw new Failure(
    'NOT_FOUND',
    `There is no version ${version} of this state, or it is no longer stored. The list of versions shows the stored versions.`,
  );
};

/** Writes the next version in the caller's transaction. */
const putNextVersion = (
  tx: Transaction,
  actor: ActorRecord,
  set: Parameters<typeof nextState>[2],
  matches: Matches,
): StateRecord => {
  demandActor(tx, actor.id);
  const current = newestState(tx.by('states', 'actor', actor.id))?.version ?? 0;
  if (!matches(current)) {
    throw new Failure(
      'STALE_VERSION',
      `The state was changed meanwhile: its version is ${current}. Read it again, and send the new state with If-Match: "${current}".`,
      { version: current },
    );
  }
  return putNextState(tx, actor, set);
};

export const states = ({ store, clock }: Dependencies) => {
  const from = ({ username, executionId }: Caller) => ({
    by: username,
    at: clock.now(),
    executionId,
  });
  return {
    /** The current version. */
    current: (actor: ActorRecord): StateRecord =>
      newestState(store.by('states', 'actor', actor.id)) ?? initialState(actor),
    /** The stored versions, oldest first. */
    versions: (actor: ActorRecord): readonly StateRecord[] => keptVersions(store, actor),
    /** @throws Failure NOT_FOUND if the version never existed or is no longer kept */
    version: (actor: ActorRecord, version: number): StateRecord => demandVersion(store, actor, version),
    /**
     * Creates the next version.
     * @throws Failure STALE_VERSION, NOT_FOUND if the actor was deleted meanwhile
     */
    set: (actor: ActorRecord, caller: Caller, sent: SentState, matches: Matches): Promise<StateRecord> =>
      store.transact((tx) => putNextVersion(tx, actor, { ...sent, ...from(caller) }, matches)),
    /** Creates the next version with the content of an earlier one. @throws Failure as `version` and `set` */
    restore: (actor: ActorRecord, caller: Caller, version: number, matches: Matches): Promise<StateRecord> =>
      store.transact((tx) => {
        const { text, bytes } = demandVersion(tx, actor, version);
        return putNextVersion(tx, actor, { text, bytes, ...from(caller) }, matches);
      }),
  };
};
