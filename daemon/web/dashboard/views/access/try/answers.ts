// Reads responses: the body of a response, and the address to which the service redirected. @see RFC 6749 4.1.2, 4.2.2
import type { Field } from './requests.ts';

/** The fields of a body. Text that is not a JSON object becomes one field without a name. */
export const bodyFields = (text: string): readonly Field[] => {
  if (text === '') return [];
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [{ name: '', value: text }];
  return Object.entries(body).map(([name, value]) => ({
    name,
    value: typeof value === 'string' ? value : JSON.stringify(value),
  }));
};

export const fieldIn = (fields: readonly Field[], wanted: string): string | undefined =>
  fields.find(({ name }) => name === wanted)?.value;

export interface Expected {
  readonly redirectUri: string;
  readonly state: string;
  /** @see RFC 9207 */
  readonly issuer: string;
}

const parse = (text: string): URL => {
  try {
    return new URL(text.trim());
  } catch {
    throw new Error('This is not an address. Copy the whole address that the browser went to.');
  }
};

const place = ({ protocol, host, pathname }: URL): string => `${protocol}//${host}${pathname}`;

/** @throws Error if the answer belongs to another request or another service */
export const redirectFields = (address: string, { redirectUri, state, issuer }: Expected): readonly Field[] => {
  const url = parse(address);
  if (place(url) !== place(new URL(redirectUri))) {
    throw new Error(`This address does not begin with the redirect URI ${redirectUri}.`);
  }
  const query = new URLSearchParams(url.search);
  // A refusal of the implicit flow is both in the query and in the fragment.
  const parameters = query.has('state') ? query : new URLSearchParams(url.hash.slice(1));
  const only = (name: string): string | undefined => {
    const [value, ...more] = parameters.getAll(name);
    if (more.length > 0) throw new Error(`The response is refused: it contains ${name} twice.`);
    return value;
  };
  if (only('state') !== state) {
    throw new Error('The response is refused: its state is not that of this request. Begin again.');
  }
  if (only('iss') !== issuer) throw new Error(`The response is refused: its issuer is not ${issuer}.`);
  only('code');
  only('access_token');
  return [...parameters].map(([name, value]) => ({ name, value }));
};

/** True if the redirect leads to the dashboard page, which reads the response. */
export const isOwnPage = (redirectUri: string, origin: string): boolean => {
  if (!URL.canParse(redirectUri)) return false;
  const url = new URL(redirectUri);
  return url.origin === origin && url.pathname === '/';
};
