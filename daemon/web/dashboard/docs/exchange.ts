// Sends a request as typed, and reads a response of any kind and length.
import { send } from '../api/call.ts';
import { parseExact } from '../api/exact-json.ts';
import { loginState, renew } from '../login/token.ts';
import type { Described } from './described.ts';

/** Values by the place and name of their field. */
export type Values = Readonly<Record<string, string>>;

export interface Shown {
  readonly status: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** What is missing of the body, in words. */
  readonly note: string;
}

/** Characters of a body that are shown. */
const LIMIT = 200_000;

const requestOf = ({ method, path, fields, types }: Described, values: Values, type: string, body: string) => {
  const query = new URLSearchParams();
  const headers: Record<string, string> = { accept: 'application/json, */*;q=0.5' };
  let address = path;
  for (const { name, place } of fields) {
    const value = values[`${place}.${name}`] ?? '';
    if (place === 'path') address = address.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== '' && place === 'query') query.set(name, value);
    else if (value !== '') headers[name] = value;
  }
  const hasBody = types.length > 0 && body !== '';
  if (hasBody) headers['content-type'] = type;
  const search = query.size === 0 ? '' : `?${query.toString()}`;
  return { address: `${address}${search}`, init: { method, headers, ...(hasBody && { body }) } };
};

const indented = (text: string): string => {
  try {
    return JSON.stringify(parseExact(text), null, 2);
  } catch {
    return text;
  }
};

/** Shows the response while it is read, because some streams do not end. */
export const exchange = async (
  described: Described,
  typed: { readonly values: Values; readonly type: string; readonly body: string },
  show: (shown: Shown) => void,
  signal: AbortSignal,
): Promise<void> => {
  // Without a login, the form gives way to a button that logs in.
  if (described.needsLogin && loginState.value !== 'in' && (await renew()) === undefined) return;
  const { address, init } = requestOf(described, typed.values, typed.type, typed.body);
  const response = described.needsLogin
    ? await send(address, { ...init, signal })
    : await fetch(address, { ...init, signal, credentials: 'omit' });
  const head = { status: `${response.status} ${response.statusText}`.trim(), headers: [...response.headers] };
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let body = '';
  while (reader !== undefined && body.length < LIMIT) {
    const { done, value } = await reader.read();
    body += decoder.decode(value, { stream: !done });
    if (done) return show({ ...head, body: isJson ? indented(body) : body, note: '' });
    show({ ...head, body: body.slice(0, LIMIT), note: 'The response has not ended yet.' });
  }
  await reader?.cancel();
  const note = reader === undefined ? '' : `Only the first ${LIMIT / 1_000} kB are shown.`;
  show({ ...head, body: body.slice(0, LIMIT), note });
};
