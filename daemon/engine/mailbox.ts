// The messages of one actor in the order in which they were taken; the store is the truth, this only knows the order.
import type { MessageRecord } from '../domain/records/actor-records.ts';
import type { ReadView } from '../ports/store.ts';

export interface Mailbox {
  /** The oldest message that waits and is in nobody's hands; it is in the caller's then, until `putBack` or `forget`. */
  take(): MessageRecord | undefined;
  /** Whether nothing that was sent before it waits or is in anybody's hands. */
  isFirst(message: MessageRecord): boolean;
  /** It was not run and waits again, in its place. */
  putBack(message: MessageRecord): void;
  /** It is claimed, or gone. */
  forget(executionId: string): void;
}

interface Place {
  readonly executionId: string;
  readonly sequence: number;
}

/**
 * The order is read from the store when the last known message is taken, not at every take: a mailbox of n messages costs n look-ups in all.
 * Sequences become durable in order, so what was not there at one reading comes behind all that was.
 */
export const createMailbox = (store: ReadView, actorId: string): Mailbox => {
  let places: Place[] = [];
  let next = 0;
  /** Sequences by execution. */
  const taken = new Map<string, number>();

  const read = (): void => {
    places = store
      .by('messages', 'actor', actorId)
      .filter(({ executionId }) => !taken.has(executionId))
      .map(({ executionId, sequence }) => ({ executionId, sequence }))
      .sort((a, b) => a.sequence - b.sequence);
    next = 0;
  };

  /** The oldest known message that waits; what was purged is passed over. */
  const oldest = (): MessageRecord | undefined => {
    for (let place = places[next]; place !== undefined; place = places[next]) {
      const message = store.get('messages', place.executionId);
      if (message !== undefined) return message;
      next += 1;
    }
    return undefined;
  };

  return {
    take() {
      let message = oldest();
      if (message === undefined) {
        read();
        message = oldest();
      }
      if (message === undefined) return undefined;
      next += 1;
      taken.set(message.executionId, message.sequence);
      return message;
    },
    isFirst({ sequence }) {
      for (const other of taken.values()) if (other < sequence) return false;
      const waiting = oldest();
      return waiting === undefined || waiting.sequence > sequence;
    },
    putBack({ executionId, sequence }) {
      taken.delete(executionId);
      const waiting = places.slice(next);
      const at = waiting.findIndex((place) => place.sequence > sequence);
      waiting.splice(at === -1 ? waiting.length : at, 0, { executionId, sequence });
      places = waiting;
      next = 0;
    },
    forget(executionId) {
      taken.delete(executionId);
    },
  };
};
