// The port of the poster: one POST to one receiver, never repeated.
import type { Attempt } from '../domain/events/delivery-status.ts';

export interface Post {
  readonly url: string;
  /** JSON text. */
  readonly body: string;
  /** Beside those that every post has; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Poster {
  /**
   * Sends it at most once, to an address that a webhook may have, and resolves with what came of it: also when nobody answers,
   * within a bound of its own, and soon after the signal has fired. Never rejects.
   */
  post(post: Post, signal: AbortSignal): Promise<Attempt>;
  /** Hangs up what is kept open for the next post. */
  close(): void;
}
