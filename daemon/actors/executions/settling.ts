// Waits until executions and their effects have ended. @see docs/http-api.md#settled
import { parseCursor } from '../../../src/contract/event-cursor.ts';
import type { Operation, ResultOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { isOver } from '../../domain/events/delivery-status.ts';
import { causeIdOf, type Effect, type EffectTree, trackEffects } from '../../domain/executions/effects.ts';
import { isFinal } from '../../domain/executions/execution-status.ts';
import { Failure } from '../../domain/failure.ts';
import { causingExecution } from '../../domain/records/event-records.ts';
import type { Caller, HandlerContext, Reply } from '../../http/route-handler.ts';
import type { ReadView, Store } from '../../ports/store.ts';
import { eventAccess } from '../events/access.ts';
import { epochOf } from '../events/log.ts';
import { deliverySight } from '../webhook-sight.ts';

type Settlement = ResultOf<Operations['executions.settle']>;
type EffectView = Settlement['effects'][number];

type SettlingRequest = Pick<HandlerContext<Operations['executions.settleAll']>, 'caller' | 'query'> &
  Pick<HandlerContext<Operation>, 'signal' | 'reauthorize'>;

type Sight = ReturnType<typeof deliverySight>;

const effectView = (effect: Effect, sight: Sight): EffectView => {
  const { kind } = effect;
  const causedBy = causeIdOf(effect);
  if (effect.kind === 'delivery') {
    const { id, actorId, status, url, httpStatus, error } = sight(effect.record);
    return {
      kind,
      id,
      actorId,
      ...(causedBy !== undefined && { causedBy }),
      status,
      url,
      ...(httpStatus !== undefined && { httpStatus }),
      ...(error !== undefined && { error }),
    };
  }
  const { id, actorId, status, exitCode, reason, statusMessage, linkProblem } = effect.record;
  return {
    kind,
    id,
    actorId,
    ...(causedBy !== undefined && { causedBy }),
    status,
    ...(exitCode !== undefined && { exitCode }),
    ...(reason !== undefined && { reason }),
    ...(statusMessage !== undefined && { statusMessage }),
    ...(linkProblem !== undefined && { linkProblem }),
  };
};

/** True if the caller may read the effect now. An effect of a deleted actor is readable by its former owner. */
const readableBy = (store: ReadView, caller: Caller): ((effect: Effect) => boolean) => {
  const may = eventAccess(store, caller, false);
  return ({ kind, record }) => {
    const { tenant, actorId } = record;
    const owner = kind === 'delivery' ? record.owner : '';
    const at = kind === 'delivery' ? record.createdAt : record.receivedAt;
    return may({ tenant, actorId, owner, at });
  };
};

/** All executions and deliveries that have not ended, of actors that the caller may read. */
export const unfinishedOf = function* (store: ReadView, caller: Caller): Generator<Effect> {
  const mayRead = readableBy(store, caller);
  for (const { executionId, tenant } of store.all('messages')) {
    const record = tenant === caller.tenant ? store.get('executions', executionId) : undefined;
    if (record !== undefined && mayRead({ kind: 'execution', record })) yield { kind: 'execution', record };
  }
  for (const record of store.each('executions', 'running', 'yes')) {
    if (mayRead({ kind: 'execution', record })) yield { kind: 'execution', record };
  }
  for (const record of store.each('deliveries', 'pendingOfTenant', caller.tenant)) {
    if (mayRead({ kind: 'delivery', record })) yield { kind: 'delivery', record };
  }
};

/** The executions whose end has an event after a cursor. A cursor of other data stands before the oldest event. */
export const endedAfter = function* (store: ReadView, caller: Caller, after: string | undefined): Generator<Effect> {
  const cursor = after === undefined ? undefined : parseCursor(after);
  if (cursor === undefined) return;
  const isForeign = cursor.epoch !== undefined && cursor.epoch !== epochOf(store);
  const mayRead = readableBy(store, caller);
  for (const event of store.each('events', 'tenant', caller.tenant, { newestFirst: true })) {
    if (!isForeign && event.serial <= cursor.number) return;
    const record = store.get('executions', causingExecution(event) ?? '');
    if (record !== undefined && mayRead({ kind: 'execution', record })) yield { kind: 'execution', record };
  }
};

/** Calls listeners when an execution or delivery has ended, or when an actor is in ERROR, by its id. */
const createEndings = (store: Pick<Store, 'watch'>) => {
  const listeners = new Map<string, Set<() => void>>();
  const tell = (id: string): void => {
    for (const listener of [...(listeners.get(id) ?? [])]) listener();
  };
  store.watch('executions', ({ id, status }) => {
    if (isFinal(status)) tell(id);
  });
  store.watch('deliveries', ({ id, status }) => {
    if (isOver(status)) tell(id);
  });
  store.watch('actors', ({ id, status }) => {
    if (status === 'ERROR') tell(id);
  });
  /** Listens until the returned function is called. */
  return (id: string, listener: () => void): (() => void) => {
    const ofId = listeners.get(id) ?? new Set();
    listeners.set(id, ofId.add(listener));
    return () => {
      ofId.delete(listener);
      if (ofId.size === 0 && listeners.get(id) === ofId) listeners.delete(id);
    };
  };
};

/** Resolves when the effects have ended, when they are blocked, when the time is over, or when the signal fires. */
const untilSettled = (
  store: Store,
  listen: ReturnType<typeof createEndings>,
  roots: Iterable<Effect>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<EffectTree> =>
  new Promise((resolve) => {
    const unlisten = new Map<string, () => void>();
    const stop = (id: string): void => {
      unlisten.get(id)?.();
      unlisten.delete(id);
    };
    const done = (): void => {
      for (const id of [...unlisten.keys()]) stop(id);
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve(tree);
    };
    const check = (): void => {
      if (tree.isSettled() || tree.isBlocked() || signal.aborted) done();
    };
    const listenOnce = (id: string, listener: () => void): void => {
      if (!unlisten.has(id)) unlisten.set(id, listen(id, listener));
    };
    const tree = trackEffects(store, roots, ({ record: { id, actorId } }) => {
      listenOnce(id, () => {
        stop(id);
        tree.ended(id);
        check();
      });
      listenOnce(actorId, () => check());
    });
    const timer = setTimeout(done, timeoutMs);
    signal.addEventListener('abort', done);
    check();
  });

/** Makes the function that waits and describes the outcome for a caller. It throws Failure SHUTTING_DOWN. */
export const createSettling = ({ store }: { readonly store: Store }) => {
  const listen = createEndings(store);
  return async (
    { query: { timeout = 0 }, ...request }: SettlingRequest,
    roots: Iterable<Effect>,
  ): Promise<Reply<Settlement>> => {
    const signal = request.signal();
    const tree = await untilSettled(store, listen, roots, { timeoutMs: timeout * 1_000, signal });
    if (signal.aborted) throw new Failure('SHUTTING_DOWN', 'The daemon is stopping. Ask again after it has started.');
    const settled = tree.isSettled();
    const caller = (await request.reauthorize()) ?? request.caller;
    const mayRead = readableBy(store, caller);
    const sight = deliverySight(store, caller);
    const views = (effects: readonly Effect[]): EffectView[] =>
      effects.filter(mayRead).map((effect) => effectView(effect, sight));
    const open = tree.open();
    const result = {
      settled,
      blocked: tree.isBlocked(),
      total: tree.total(),
      unfinished: open.length,
      failures: views(tree.failures()),
      effects: views([...tree.retained(), ...open.slice(0, 1_000)]),
    };
    return { result, message: settled ? 'Everything has ended.' : 'Some of it has not ended.' };
  };
};
