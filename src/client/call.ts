// Calls an operation of the contract over HTTP and returns its result, or throws a CliFailure.
import type { Envelope } from '../contract/envelope.ts';
import { exactText, parseExact } from '../contract/exact-json.ts';
import { type Route, routes } from '../contract/for-client.ts';
import { NONCE_PARAMETER, type ResultOf, takesNonce, takesOwner } from '../contract/operation.ts';
import type { OperationId, Operations } from '../contract/operations.ts';
import { CliFailure, usage } from '../failure.ts';
import type { GivenNonce } from '../local/credentials/run-nonce.ts';
import type { Address } from './address.ts';
import { failureOf } from './answer.ts';
import { nameMissing } from './not-found.ts';
import type { Session } from './session.ts';
import { type Query, type RawAnswer, type RawRequest, readBody, type Transport } from './transport.ts';

export type Authentication =
  | 'bearer'
  /** No token at the management socket, else `bearer`. */
  | 'owner-or-bearer'
  | 'none'
  | { readonly username: string; readonly password: string }
  | { readonly nonce: string };

export interface CallInput {
  /** Values of the path parameters, not yet URL-encoded. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Query;
  readonly body?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  /** Body, sent unchanged. Needs a `content-type` in `headers`. */
  readonly bytes?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Default: the nonce of the command (`--nonce`) if the operation accepts a nonce, else `bearer`. Public
   * operations use `none`, and those for the owner of the data `owner-or-bearer`.
   */
  readonly authentication?: Authentication;
  readonly signal?: AbortSignal;
  /** Time limit in milliseconds. 0: no limit. */
  readonly timeoutMs?: number;
}

/**
 * Calls an operation and returns its result as received.
 * @throws CliFailure with code, message, status and request id of the service; DAEMON_NOT_RUNNING, NETWORK,
 * AUTH_REQUIRED, CANCELLED
 */
export type Call = <Id extends OperationId>(id: Id, input?: CallInput) => Promise<ResultOf<Operations[Id]>>;

/**
 * Sends a request with credentials and returns the response, whatever its status. The caller must read or destroy
 * the body.
 */
export type Request = (request: RawRequest & { readonly authentication?: Authentication }) => Promise<RawAnswer>;

export interface ClientInput {
  readonly transport: Transport;
  readonly address: Address;
  readonly session: Pick<Session, 'token' | 'renew'>;
  /** Name of the flag or variable that has the token. Undefined if the token can be renewed. */
  readonly tokenFrom?: string | undefined;
  readonly received?: (envelope: Envelope<unknown>) => void;
  readonly signal: AbortSignal;
}

export const pathOf = (operation: Pick<Route, 'path'>, params: Readonly<Record<string, string>> = {}): string =>
  operation.path.replaceAll(/:([A-Za-z]+)/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined || value === '') throw new CliFailure('USAGE', `${name} must not be empty`);
    // A server or proxy that normalises paths would resolve an unescaped dot segment.
    return value === '.' || value === '..' ? value.replaceAll('.', '%2E') : encodeURIComponent(value);
  });

const contentOf = (input: CallInput): { headers: Record<string, string>; body?: string | Uint8Array } => {
  if (input.bytes) return { headers: {}, body: input.bytes };
  if (input.form) {
    return {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(input.form).toString(),
    };
  }
  if (input.body !== undefined) return { headers: { 'content-type': 'application/json' }, body: exactText(input.body) };
  return { headers: {} };
};

/** If the service refuses the token, the function renews it and sends the request again. */
export const createRequest =
  ({ transport, address, session, tokenFrom, signal }: ClientInput): Request =>
  async ({ authentication = 'bearer', ...request }) => {
    const isLocal = typeof address !== 'string';
    const ask = (credential: Readonly<Record<string, string>> = {}): Promise<RawAnswer> =>
      transport(address, {
        ...request,
        signal: request.signal ?? signal,
        headers: { accept: 'application/json', ...request.headers, ...credential },
      });
    if (authentication === 'none' || (authentication === 'owner-or-bearer' && isLocal)) return ask();
    if (typeof authentication === 'object' && 'nonce' in authentication) {
      return ask({ [NONCE_PARAMETER]: authentication.nonce });
    }
    if (typeof authentication === 'object') {
      const pair = `${authentication.username}:${authentication.password}`;
      return ask({ authorization: `Basic ${Buffer.from(pair).toString('base64')}` });
    }
    const token = await session.token();
    const answer = await ask({ authorization: `Bearer ${token}` });
    if (answer.status !== 401) return answer;
    const renewed = await session.renew(token);
    if (renewed === undefined) return tokenFrom === undefined ? answer : { ...answer, tokenFrom };
    answer.body.destroy();
    return ask({ authorization: `Bearer ${renewed}` });
  };

/**
 * Returns the nonce of the command if the operation accepts a nonce. @throws CliFailure USAGE if `--nonce` was
 * given for an operation that accepts no nonce
 */
export const authenticationFor = (
  { guard, id }: Pick<Route, 'guard' | 'id'>,
  nonce: GivenNonce | undefined,
): Authentication => {
  if (nonce !== undefined && takesNonce(guard)) return { nonce: nonce.value };
  if (nonce?.byFlag === true) {
    throw usage(
      `cannot use --nonce for ${id}`,
      'a nonce works for one actor, named by its id, or one alias: leave --nonce out',
    );
  }
  if (takesOwner(guard)) return 'owner-or-bearer';
  return guard === 'public' || guard === 'owner' ? 'none' : 'bearer';
};

/** Explains a refused token of a flag or variable. A login would not replace it. */
const givenTokenRefused = ({ code, extras }: CliFailure, from: string): CliFailure =>
  new CliFailure(
    code,
    code === 'TOKEN_EXPIRED'
      ? `the token of ${from} has expired`
      : `the service refuses the token of ${from}: it is unknown, was revoked or has long expired`,
    {
      ...extras,
      hint: from.startsWith('--')
        ? `write a new token to the file of ${from}, or leave ${from} out to use your login`
        : `set ${from} to a new token, or unset it to use your login`,
    },
  );

/**
 * The failure for an error response. The hint does not suggest a login if the credential was a nonce, or a token of a
 * flag or variable.
 */
export const refusalOf = (
  authentication: Authentication,
  { status, headers, tokenFrom }: Pick<RawAnswer, 'status' | 'headers' | 'tokenFrom'>,
  text: string,
): CliFailure => {
  const failure = failureOf(status, headers, text);
  if (tokenFrom !== undefined) return givenTokenRefused(failure, tokenFrom);
  const byNonce = typeof authentication === 'object' && 'nonce' in authentication;
  if (!byNonce || failure.code !== 'AUTH_FAILED') return failure;
  const hint = 'name the actor by its id, or the alias, for which the nonce was created';
  return new CliFailure(failure.code, failure.message, { ...failure.extras, hint });
};

export const createCall =
  (request: Request, received?: (envelope: Envelope<unknown>) => void, nonce?: GivenNonce): Call =>
  async <Id extends OperationId>(id: Id, input: CallInput = {}) => {
    const operation: Route = routes[id];
    const authentication = input.authentication ?? authenticationFor(operation, nonce);
    const content = contentOf(input);
    const answer = await request({
      method: operation.method,
      path: pathOf(operation, input.params),
      query: input.query,
      headers: { ...content.headers, ...input.headers },
      body: content.body,
      authentication,
      signal: input.signal,
      timeoutMs: input.timeoutMs,
    });
    const text = (await readBody(answer)).toString('utf8');
    if (answer.status < 200 || answer.status > 299)
      throw nameMissing(refusalOf(authentication, answer, text), operation, input.params);
    return resultOf(id, text, received);
  };

export const resultOf = <Id extends OperationId>(
  id: Id,
  text: string,
  received?: (envelope: Envelope<unknown>) => void,
): ResultOf<Operations[Id]> => {
  const operation: Route = routes[id];
  let result: unknown;
  try {
    const document: unknown = parseExact(text);
    if (operation.answer === 'envelope') {
      const envelope = document as Envelope<unknown>;
      received?.(envelope);
      result = envelope.result;
    } else result = document;
  } catch (error) {
    throw new CliFailure('DAEMON_VERSION', `the response to ${id} is not the JSON that this actorctl expects`, {
      cause: error,
    });
  }
  // Not validated: the daemon uses the same contract, and `version` compares the two. Unknown fields of a newer daemon
  // are passed on.
  return result as ResultOf<Operations[Id]>;
};
