// Forwards webhooks that `webhooks listen` receives to another URL.
import { readBody } from '../../client/transport.ts';
import type { Post, Reply } from '../../client/webhook-receiver.ts';
import type { CommandContext } from '../../context.ts';
import { DELIVERY_HEADER, EVENT_HEADER } from '../../contract/for-client.ts';
import { CliFailure, usage } from '../../failure.ts';

/** Longest wait for the response of the forward URL, in milliseconds. The service does not wait longer either. */
const FORWARD_MS = 10_000;
/** Longest part of that response that is returned, in bytes. */
const ANSWER_LIMIT = 64 * 1024;

const passedOn = ['content-type', 'user-agent', EVENT_HEADER, DELIVERY_HEADER] as const;

/** The value of a header that was sent once. */
export const headerOf = ({ headers }: Post, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
};

/** Forwards a request. If the URL is unreachable, returns 502 like a gateway. */
export const forward = async ({ transport, signal, output }: CommandContext, to: URL, post: Post): Promise<Reply> => {
  const headers = Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = headerOf(post, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  try {
    const answer = await transport(to.origin, {
      method: 'POST',
      path: `${to.pathname}${to.search}`,
      headers,
      body: post.body,
      timeoutMs: FORWARD_MS,
      signal,
    });
    const body = await readBody(answer, ANSWER_LIMIT);
    return { status: answer.status, contentType: answer.headers['content-type'], body };
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    if (!signal.aborted) output.warn(`cannot forward: ${error.message}`);
    return { status: 502 };
  }
};

export const forwardUrl = (given: string | undefined): URL | undefined => {
  if (given === undefined) return undefined;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw usage(`--forward-to must be an http or https URL, not "${given}"`);
};
