// Forwards webhooks that `webhooks listen` receives to another URL.
import { trustHint } from '../../client/address.ts';
import { readBody } from '../../client/transport.ts';
import { type Post, type Reply, receiverAt, type WebhookReceiver } from '../../client/webhook-receiver.ts';
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
  const headers = {
    ...basic(to),
    ...Object.fromEntries(
      passedOn.flatMap((name) => {
        const value = headerOf(post, name);
        return value === undefined ? [] : [[name, value]];
      }),
    ),
  };
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
    const hint = trustHint(error.cause);
    if (!signal.aborted) output.warn(`cannot forward: ${error.message}${hint === undefined ? '' : `. ${hint}`}`);
    return { status: 502 };
  }
};

/** The credentials of a URL, as Basic authentication. */
const basic = ({ username, password }: URL): Readonly<Record<string, string>> => {
  if (username === '' && password === '') return {};
  // Unlike decodeURIComponent, it accepts a percent sign that begins no escape.
  const { unescape: plain } = process.getBuiltinModule('node:querystring');
  const pair = `${plain(username)}:${plain(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
};

/** @throws CliFailure USAGE if requests would return to this command */
export const refuseOwnPort = async ({ transport }: CommandContext, to: URL, { port, id }: WebhookReceiver) => {
  if (Number(to.port || 80) !== port || (await receiverAt(transport, to)) !== id) return;
  throw usage(
    `--forward-to ${to.origin} is the address of this command, so each request would go in a loop`,
    'name the port of your program, or another --port',
  );
};

export const forwardUrl = (given: string | undefined): URL | undefined => {
  if (given === undefined) return undefined;
  // `localhost:4242` is a URL too, with the scheme `localhost`.
  const whole = /^(?:[^/]*@)?(?:[^\s/:@]+|\[[\da-f:]+\]):\d+(?:[/?]|$)/i.test(given) ? `http://${given}` : given;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw usage(`--forward-to must be an http or https URL, not "${given}"`, '--forward-to http://127.0.0.1:3000/hook');
};
