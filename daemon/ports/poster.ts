// Port of the poster: sends one POST to one receiver, without retries.
import type { Attempt } from '../domain/events/delivery-status.ts';

export interface Post {
  readonly url: string;
  /** JSON text. */
  readonly body: string;
  /** Headers in addition to those of every post, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Poster {
  /**
   * Sends the post at most once, if its address is allowed for webhooks, and resolves with the result. Also resolves
   * without a response: after a time limit, or soon after `cut`. Never rejects.
   */
  post(post: Post): Promise<Attempt>;
  /** Disconnects the posts in progress and refuses new ones. Both end as `cut`, unless the response has begun. */
  cut(): void;
  /** Closes idle connections. */
  close(): void;
}
