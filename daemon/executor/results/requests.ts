// Requests to the receiver, and the answers to them. Requests about one socket are answered in order.
import type { Frame } from '../frames.ts';
import type { Receiver } from './receiver.ts';

export interface Requests {
  /** Sends a request and returns the answer `o`, `e` or `f`; undefined if none comes. */
  ask(to: Receiver, verb: 'open' | 'flush', name: string, rest?: string): Promise<Frame | undefined>;
  /** Passes on an answer. */
  take(answer: Frame): void;
  /** Forgets a socket that is closed. */
  forget(name: string): void;
  /** Ends all requests, because the receiver has ended. */
  fail(): void;
}

const ANSWER_MS = 10_000;

export const createRequests = (): Requests => {
  const waiting = new Map<string, ((frame: Frame | undefined) => void)[]>();
  return {
    ask: (to, verb, name, rest = '') =>
      new Promise((resolve) => {
        const timer = setTimeout(() => resolve(undefined), ANSWER_MS);
        const mine = waiting.get(name) ?? [];
        mine.push((frame) => {
          clearTimeout(timer);
          resolve(frame);
        });
        waiting.set(name, mine);
        to.request(`${verb} ${name}${rest}`);
      }),
    take: (answer) => waiting.get(answer.id)?.shift()?.(answer),
    forget: (name) => void waiting.delete(name),
    fail() {
      for (const resolvers of waiting.values()) for (const resolve of resolvers.splice(0)) resolve(undefined);
    },
  };
};
