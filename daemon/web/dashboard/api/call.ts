// Sends requests to the API with the token of this page.
import { signal } from '@preact/signals';
import { accessToken, renew } from '../login/token.ts';
import { parseExact } from './exact-json.ts';
import { ApiFailure, messageIn } from './failure.ts';
import { type Answer, addressOf, type ParamsOf, type Query, type Route } from './routes.ts';
import { noteTime } from './service-time.ts';

/** False while requests get no response, because the daemon or the network is down. */
export const online = signal(true);

/**
 * Time (ms) after which a request without a response is aborted. Synchronous operations such as a redelivery take
 * longer than others.
 */
const LIMIT_MS = 60_000;

interface Given {
  readonly query?: Query | undefined;
  readonly json?: unknown;
  readonly raw?: Blob | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** True to keep the digits of all numbers, for values that `JSON.stringify` writes again. */
  readonly exact?: boolean;
}

type CallInput<R extends Route> = Given &
  (keyof ParamsOf<R> extends never ? unknown : { readonly params: ParamsOf<R> });

/**
 * Sends a request. A token that the service refuses is renewed once.
 * @throws ApiFailure with status 0 if there is no response
 */
export const send = async (address: string, init: RequestInit): Promise<Response> => {
  const once = async (obtain: () => Promise<string | undefined>): Promise<Response> => {
    try {
      const token = await obtain();
      if (token === undefined) throw new ApiFailure(401, 'Your login has ended. Log in again.');
      const response = await fetch(address, {
        credentials: 'omit',
        ...init,
        headers: { ...(init.headers as Record<string, string>), authorization: `Bearer ${token}` },
      });
      online.value = true;
      noteTime(response);
      return response;
    } catch (error) {
      if (error instanceof ApiFailure || (error instanceof DOMException && error.name === 'AbortError')) throw error;
      online.value = false;
      throw new ApiFailure(0, 'The daemon does not respond. Is it running? The command actorctl status shows it.');
    }
  };
  const response = await once(accessToken);
  return response.status === 401 ? once(renew) : response;
};

export const ask = async <R extends Route>(route: R, asked: CallInput<R>): Promise<Answer<R>> => {
  const {
    params = {},
    query,
    json,
    raw,
    headers,
    signal: given,
    exact = false,
  } = asked as Given & { params?: Record<string, string> };
  const limit = AbortSignal.timeout(LIMIT_MS);
  const response = await send(addressOf(route, params, query), {
    method: route.slice(0, route.indexOf(' ')),
    headers: {
      accept: 'application/json',
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(raw !== undefined && { body: raw }),
    signal: given === undefined ? limit : AbortSignal.any([given, limit]),
  });
  const body: unknown = await (exact ? response.text().then(parseExact) : response.json()).catch(() => undefined);
  if (!response.ok) throw new ApiFailure(response.status, messageIn(body, response.status));
  given?.throwIfAborted();
  if (body === undefined) throw new ApiFailure(response.status, 'The response of the daemon was cut off. Try again.');
  return (body as { result: Answer<R> }).result;
};
