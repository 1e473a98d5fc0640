// Sends events to webhooks: in order for each actor, in parallel for different actors, and each event at most once.
import { setMaxListeners } from 'node:events';
import { DELIVERY_HEADER, EVENT_HEADER } from '../../src/contract/actors/deliveries.ts';
import { type Attempt, beginDelivery, endDelivery } from '../domain/events/delivery-status.ts';
import { eventMessage } from '../domain/events/event.ts';
import { type DeliveryRecord, eventKey } from '../domain/records/event-records.ts';
import type { Clock } from '../ports/clock.ts';
import type { Configs } from '../ports/configs.ts';
import type { Logger } from '../ports/logger.ts';
import type { Poster } from '../ports/poster.ts';
import type { ReadView, Store, Transaction } from '../ports/store.ts';
import { createBackgroundTasks, elapse } from './background-tasks.ts';
import { maskedBody } from './runs/masked-log.ts';
import { transactWithRetry } from './scheduler-context.ts';

export interface DispatcherSettings {
  /**
   * Maximum number of parallel posts. This many receivers that do not respond would delay all other actors, so the
   * number is far above what one machine needs.
   */
  readonly maxSending: number;
  readonly retryMs: number;
  readonly retryCapMs: number;
}

const defaults: DispatcherSettings = { maxSending: 512, retryMs: 200, retryCapMs: 10_000 };

export type Dispatcher = ReturnType<typeof createDispatcher>;

interface Dependencies {
  readonly store: Store;
  readonly poster: Poster;
  readonly clock: Clock;
  readonly configs: Pick<Configs, 'receivedBy'>;
  readonly logger: Logger;
  readonly settings?: Partial<DispatcherSettings>;
}

/** Time in ms after the deadline of a stop for storing the deliveries that were cut off. */
const STORE_END_MS = 1_000;

const DAEMON_ENDED = 'the daemon ended while it sent the event; the event may have arrived and is not sent again';

/**
 * The oldest durable delivery of an actor that still waits according to `tx`. Deliveries are stored in the order of
 * their sequence numbers. The search reads the store, because reading `tx` through an index would need an index of all
 * pending changes. A delivery that is not durable yet is announced once it is.
 */
const firstWaiting = (store: ReadView, tx: ReadView, actorId: string): DeliveryRecord | undefined => {
  for (const { id } of store.each('deliveries', 'waiting', actorId)) {
    const delivery = tx.get('deliveries', id);
    if (delivery?.status === 'WAITING') return delivery;
  }
  return undefined;
};

const putEnd = (tx: Transaction, id: string, attempt: Attempt, now: number): void => {
  const delivery = tx.get('deliveries', id);
  const ended = delivery && endDelivery(delivery, attempt, now);
  if (ended) tx.put('deliveries', ended);
};

/** Creates the dispatcher. @see docs/http-api.md#events, docs/conformance/security.md R135 */
export const createDispatcher = ({ store, poster, clock, configs, logger, settings: given }: Dependencies) => {
  const settings = { ...defaults, ...given };
  const closing = new AbortController();
  const { signal } = closing;
  setMaxListeners(0, signal);
  const context = { store, logger, signal, settings };
  const tasks = createBackgroundTasks({ logger, signal });
  const sendingActors = new Set<string>();
  const waitingActors = new Set<string>();
  let accepting = false;
  let stopping = false;

  const post = async ({ id, eventNumber, url }: DeliveryRecord): Promise<Attempt> => {
    const event = store.get('events', eventKey(eventNumber));
    if (event === undefined) return { kind: 'failed', why: 'the event was deleted by retention' };
    const headers = { [DELIVERY_HEADER]: id, [EVENT_HEADER]: String(event.serial) };
    return poster.post({ url, body: JSON.stringify(eventMessage(event)), headers });
  };

  /**
   * The attempt without values of secret configs of the actor in the body of its response. If they cannot be decrypted,
   * the body is left out.
   */
  const withoutSecrets = (attempt: Attempt, { actorId: id, tenant }: DeliveryRecord): Attempt => {
    if (attempt.kind !== 'answered' || attempt.body === undefined) return attempt;
    if (store.get('actors', id)?.showSecrets === true) return attempt;
    const { body, ...rest } = attempt;
    try {
      return { ...rest, body: maskedBody(body, configs.receivedBy({ id, tenant }).secrets) };
    } catch (error) {
      logger.warn({ error, actorId: id }, 'the response of a webhook is not stored, because its secrets are unknown');
      return rest;
    }
  };

  const isCrowded = (): boolean => {
    if (sendingActors.size < settings.maxSending) return false;
    for (const actorId of waitingActors) if (!sendingActors.has(actorId)) return true;
    return false;
  };

  /**
   * Ends one delivery and begins the next in one transaction, which halves the number of disk writes. Begins none if
   * all places for parallel posts are taken and another actor waits for one.
   */
  const beginNext = (actorId: string, end?: (tx: Transaction) => void): Promise<DeliveryRecord | undefined> =>
    transactWithRetry(context, 'a delivery', (tx) => {
      end?.(tx);
      const mayBegin = accepting && !(end !== undefined && isCrowded());
      const next = mayBegin ? firstWaiting(store, tx, actorId) : undefined;
      const begun = next && beginDelivery(next, clock.now());
      if (!begun) return undefined;
      tx.put('deliveries', begun);
      return begun;
    });

  /** Sends the events of an actor until none is left or another actor waits for its place. */
  const sendAll = async (actorId: string): Promise<void> => {
    let current = await beginNext(actorId);
    while (current !== undefined) {
      const { id, eventNumber } = current;
      const attempt = withoutSecrets(await post(current), current);
      if (attempt.kind !== 'answered') {
        logger.info({ deliveryId: id, eventNumber, actorId, reason: attempt.why }, 'an event was not delivered');
      }
      current = await beginNext(actorId, (tx) => putEnd(tx, id, attempt, clock.now()));
    }
  };

  const startSending = (): void => {
    for (const actorId of waitingActors) {
      if (!accepting || sendingActors.size >= settings.maxSending) return;
      if (sendingActors.has(actorId)) continue;
      waitingActors.delete(actorId);
      if (store.countBy('deliveries', 'waiting', actorId) === 0) continue;
      sendingActors.add(actorId);
      tasks.run('deliver', async () => {
        try {
          await sendAll(actorId);
          // Events of this actor may be left. It moves to the end of the queue: `add` alone would leave it at the place
          // that it got while it was being served.
          waitingActors.delete(actorId);
          waitingActors.add(actorId);
        } finally {
          sendingActors.delete(actorId);
          startSending();
        }
      });
    }
  };

  /** Queues an actor, even while it is being served, because its sending may be ending without the new event. */
  const enqueue = (actorId: string): void => {
    waitingActors.add(actorId);
    if (!sendingActors.has(actorId)) startSending();
  };

  const begin = async (): Promise<void> => {
    const lost = await transactWithRetry(context, 'end the deliveries that the previous daemon was sending', (tx) => {
      const sending = tx.by('deliveries', 'sending', 'yes');
      for (const { id } of sending) putEnd(tx, id, { kind: 'cut', why: DAEMON_ENDED }, clock.now());
      return sending.length;
    });
    if (lost > 0)
      logger.warn({ lost }, 'events that the previous daemon was sending may have arrived; they are not sent again');
    if (stopping) return;
    accepting = true;
    store.watch('deliveries', ({ status, actorId }) => {
      if (accepting && status === 'WAITING') enqueue(actorId);
    });
    const waiting = new Set<string>();
    for (const { status, actorId } of store.all('deliveries')) if (status === 'WAITING') waiting.add(actorId);
    for (const actorId of waiting) enqueue(actorId);
  };

  return {
    /** Marks deliveries that a previous daemon was sending as UNKNOWN, then sends waiting and new ones. Call it once. */
    start: (): void => tasks.run('begin deliveries', begin),

    /** Waits up to `deadlineMs`, cuts the rest off and marks it UNKNOWN. The next start sends waiting deliveries. */
    async stop({ deadlineMs }: { readonly deadlineMs: number }): Promise<void> {
      stopping = true;
      accepting = false;
      const over = new AbortController();
      const settled = tasks.settled().then(() => true);
      const wait = (ms: number) => Promise.race([settled, elapse(ms, over.signal)]);
      await wait(deadlineMs);
      poster.cut();
      await wait(STORE_END_MS);
      over.abort();
      closing.abort(new Error('the dispatcher is stopping'));
      await settled;
      poster.close();
    },
  };
};
