// The waiting messages of one actor in sequence order. The messages are in the store; the mailbox holds only their
// order.
import type { MessageRecord } from '../domain/records/actor-records.ts';
import type { ReadView } from '../ports/store.ts';

export type Mailbox = ReturnType<typeof createMailbox>;

interface Place {
  readonly executionId: string;
  readonly sequence: number;
}

/**
 * The order is read from the store only when all known messages are taken, so n messages cost n look-ups in total.
 * Sequence numbers become durable in order, so a message that is missing from one read comes after all messages found
 * by it.
 */
export const createMailbox = (store: ReadView, actorId: string) => {
  let places: Place[] = [];
  let next = 0;
  const taken = new Map<string, number>();

  const read = (): void => {
    places = store
      .by('messages', 'actor', actorId)
      .filter(({ executionId }) => !taken.has(executionId))
      .map(({ executionId, sequence }) => ({ executionId, sequence }))
      .sort((a, b) => a.sequence - b.sequence);
    next = 0;
  };

  /** The oldest known message that is still waiting. Skips messages that were purged. */
  const oldest = (): MessageRecord | undefined => {
    for (let place = places[next]; place !== undefined; place = places[next]) {
      const message = store.get('messages', place.executionId);
      if (message !== undefined) return message;
      next += 1;
    }
    return undefined;
  };

  return {
    /** Takes the oldest waiting message that is not taken yet. It stays taken until `putBack` or `forget`. */
    take(): MessageRecord | undefined {
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
    /** True if no earlier message waits or is taken. */
    isFirst({ sequence }: MessageRecord): boolean {
      for (const other of taken.values()) if (other < sequence) return false;
      const waiting = oldest();
      return waiting === undefined || waiting.sequence > sequence;
    },
    /** Marks a message as taken that is about to be stored again, so that no worker takes it before `putBack`. */
    keep({ executionId, sequence }: MessageRecord): void {
      taken.set(executionId, sequence);
    },
    /** Returns a taken message that has not run to its place in the order. */
    putBack({ executionId, sequence }: MessageRecord): void {
      taken.delete(executionId);
      const waiting = places.slice(next);
      const at = waiting.findIndex((place) => place.sequence > sequence);
      waiting.splice(at === -1 ? waiting.length : at, 0, { executionId, sequence });
      places = waiting;
      next = 0;
    },
    forget(executionId: string): void {
      taken.delete(executionId);
    },
  };
};
