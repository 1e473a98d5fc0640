// Sends what happened to webhooks: of each actor one after the other in order, of all actors side by side, none twice.
import { setMaxListeners } from 'node:events';
import { DELIVERY_HEADER, EVENT_HEADER } from '../../src/contract/actors/deliveries.ts';
import { type Attempt, beginDelivery, endDelivery } from '../domain/events/delivery-status.ts';
import { eventMessage } from '../domain/events/event.ts';
import { type DeliveryRecord, eventKey } from '../domain/records/event-records.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Poster } from '../ports/poster.ts';
import type { ReadView, Store, Transaction } from '../ports/store.ts';
import { createBackgroundTasks, elapse } from './background-tasks.ts';
import { durably } from './engine-context.ts';

export interface DispatcherSettings {
  /**
   * Connections at once. As many actors whose receivers do not answer can hold up the others, for as long as one post may take:
   * enough that a person's machine does not come near.
   */
  readonly maxSending: number;
  /** Waits when the disk refuses, as the engine has them. */
  readonly retryMs: number;
  readonly retryCapMs: number;
}

const defaults: DispatcherSettings = { maxSending: 512, retryMs: 200, retryCapMs: 10_000 };

export interface Dispatcher {
  /** Marks what an earlier daemon was sending as UNKNOWN, then sends what waits, and what comes. Call it once. */
  start(): void;
  /**
   * Begins nothing new at once; waits for what is being sent up to `deadlineMs`, hangs up what is left then and marks it UNKNOWN.
   * What waits is sent by the next start.
   */
  stop(options: { readonly deadlineMs: number }): Promise<void>;
}

interface Dependencies {
  readonly store: Store;
  readonly poster: Poster;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings?: Partial<DispatcherSettings>;
}

/** ms after the deadline of a stop in which what was hung up can be written down. */
const WRITE_MS = 1_000;

const DAEMON_ENDED = 'the daemon ended while it was being sent; it may have arrived, and is not sent again';

const firstWaiting = (view: ReadView, actorId: string): DeliveryRecord | undefined =>
  view
    .by('deliveries', 'waiting', actorId)
    .reduce<DeliveryRecord | undefined>(
      (first, each) => (first === undefined || each.sequence < first.sequence ? each : first),
      undefined,
    );

const putEnd = (tx: Transaction, id: string, attempt: Attempt, now: number): void => {
  const delivery = tx.get('deliveries', id);
  const ended = delivery && endDelivery(delivery, attempt, now);
  if (ended) tx.put('deliveries', ended);
};

/** Builds the dispatcher over its ports. @see spec 4.7 and 6 rules 2 and 3, auth.md R135 */
export const createDispatcher = ({ store, poster, clock, logger, settings: given }: Dependencies): Dispatcher => {
  const settings = { ...defaults, ...given };
  /** Ends the posts. */
  const cutting = new AbortController();
  /** Ends everything, also waiting for the disk. */
  const closing = new AbortController();
  const { signal } = closing;
  for (const each of [cutting.signal, signal]) setMaxListeners(0, each);
  const context = { store, logger, signal, settings };
  const tasks = createBackgroundTasks({ logger, signal });
  /** Actors of which something is being sent. */
  const lanes = new Set<string>();
  /** Actors that wait for a connection, in the order in which they came. */
  const line = new Set<string>();
  let accepting = false;
  let stopping = false;

  const post = async ({ id, eventNumber, url }: DeliveryRecord): Promise<Attempt> => {
    const event = store.get('events', eventKey(eventNumber));
    if (event === undefined) return { kind: 'failed', why: 'the event is no longer kept' };
    const headers = { [DELIVERY_HEADER]: id, [EVENT_HEADER]: String(eventNumber) };
    return poster.post({ url, body: JSON.stringify(eventMessage(event)), headers }, cutting.signal);
  };

  /** The end of one and the beginning of the next are one decision: half as often to the disk. */
  const take = (actorId: string, end?: (tx: Transaction) => void): Promise<DeliveryRecord | undefined> =>
    durably(context, 'a delivery', (tx) => {
      end?.(tx);
      const next = accepting ? firstWaiting(tx, actorId) : undefined;
      const begun = next && beginDelivery(next, clock.now());
      if (!begun) return undefined;
      tx.put('deliveries', begun);
      return begun;
    });

  const sendAll = async (actorId: string): Promise<void> => {
    let current = await take(actorId);
    while (current !== undefined) {
      const { id, eventNumber } = current;
      const attempt = await post(current);
      if (attempt.kind !== 'answered') {
        logger.info({ deliveryId: id, eventNumber, actorId, reason: attempt.why }, 'an event was not delivered');
      }
      current = await take(actorId, (tx) => putEnd(tx, id, attempt, clock.now()));
    }
  };

  const advance = (): void => {
    for (const actorId of line) {
      if (!accepting || lanes.size >= settings.maxSending) return;
      if (lanes.has(actorId)) continue;
      line.delete(actorId);
      if (store.countBy('deliveries', 'waiting', actorId) === 0) continue;
      lanes.add(actorId);
      tasks.run('deliver', async () => {
        try {
          await sendAll(actorId);
        } finally {
          lanes.delete(actorId);
          advance();
        }
      });
    }
  };

  /** An actor that is being served comes into the line all the same: what came while its lane was ending must not be left. */
  const offer = (actorId: string): void => {
    line.add(actorId);
    advance();
  };

  const begin = async (): Promise<void> => {
    const lost = await durably(context, 'deliveries under way', (tx) => {
      const sending = tx.by('deliveries', 'sending', 'yes');
      for (const { id } of sending) putEnd(tx, id, { kind: 'cut', why: DAEMON_ENDED }, clock.now());
      return sending.length;
    });
    if (lost > 0) logger.warn({ lost }, 'what the last daemon was sending may have arrived; it is not sent again');
    if (stopping) return;
    accepting = true;
    store.watch('deliveries', ({ status, actorId }) => {
      if (accepting && status === 'WAITING') offer(actorId);
    });
    const waiting = new Set<string>();
    for (const { status, actorId } of store.all('deliveries')) if (status === 'WAITING') waiting.add(actorId);
    for (const actorId of waiting) offer(actorId);
  };

  return {
    start: () => tasks.run('begin deliveries', begin),

    async stop({ deadlineMs }) {
      stopping = true;
      accepting = false;
      const over = new AbortController();
      const settled = tasks.settled().then(() => true);
      const wait = (ms: number) => Promise.race([settled, elapse(ms, over.signal)]);
      await wait(deadlineMs);
      cutting.abort();
      await wait(WRITE_MS);
      over.abort();
      closing.abort(new Error('the dispatcher is stopping'));
      await settled;
      poster.close();
    },
  };
};
