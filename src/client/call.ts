// Asks the daemon for an operation of the contract: operation and input in, result out, or a CliFailure.
import type { Envelope } from '../contract/envelope.ts';
import { NONCE_PARAMETER, type Operation, type ResultOf, takesNonce } from '../contract/operation.ts';
import { type OperationId, type Operations, operations } from '../contract/operations.ts';
import { CliFailure, usage } from '../failure.ts';
import type { GivenNonce } from '../local/credentials/run-nonce.ts';
import { failureOf } from './answer.ts';
import type { Session } from './session.ts';
import { type Query, type RawAnswer, type RawRequest, readBody, type Transport } from './transport.ts';

/** How a request proves who asks. */
export type Authentication =
  | 'bearer'
  | 'none'
  | { readonly username: string; readonly password: string }
  | { readonly nonce: string };

/** The parts of a request; the operation says where it goes. */
export interface CallInput {
  /** Values of the `:names` of the path; encoded here. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>>;
  /** Sent as it is; state a `content-type` header with it. */
  readonly bytes?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** The default is the nonce that was given where the operation takes one, else `bearer`, and `none` for public operations. */
  readonly authentication?: Authentication;
  readonly signal?: AbortSignal;
  /** Milliseconds; 0 waits without end. */
  readonly timeoutMs?: number;
}

/**
 * Asks for an operation and answers its result as the service gave it.
 * @throws CliFailure with the code, message, status and request id of the service; DAEMON_NOT_RUNNING, NETWORK, AUTH_REQUIRED, CANCELLED
 */
export type Call = <Id extends OperationId>(id: Id, input?: CallInput) => Promise<ResultOf<Operations[Id]>>;

/**
 * Any request below the service's origin, authenticated like a call; answers whatever came, whatever its status.
 * The caller must consume or destroy the body.
 */
export type Request = (request: RawRequest & { readonly authentication?: Authentication }) => Promise<RawAnswer>;

export interface ClientInput {
  readonly transport: Transport;
  /** Origin of the service, found when first asked for. */
  readonly origin: () => Promise<string>;
  readonly session: Pick<Session, 'token' | 'renew'>;
  /** Told of every envelope. */
  readonly received?: (envelope: Envelope<unknown>) => void;
  readonly signal: AbortSignal;
}

/** The path of an operation with its parameters filled in. */
export const pathOf = (operation: Operation, params: Readonly<Record<string, string>> = {}): string =>
  operation.path.replaceAll(/:([A-Za-z]+)/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined || value === '') throw new CliFailure('USAGE', `${name} must not be empty`);
    // A dot segment would be taken for a step up by whoever normalises the path.
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
  if (input.body !== undefined)
    return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(input.body) };
  return { headers: {} };
};

/** Makes the authenticated request: adds the credential, and on an expired token renews it and asks once more. */
export const createRequest =
  ({ transport, origin, session, signal }: ClientInput): Request =>
  async ({ authentication = 'bearer', ...request }) => {
    const base = await origin();
    const ask = (credential: Readonly<Record<string, string>> = {}): Promise<RawAnswer> =>
      transport(base, {
        signal,
        ...request,
        headers: { accept: 'application/json', ...request.headers, ...credential },
      });
    if (authentication === 'none') return ask();
    if (typeof authentication === 'object' && 'nonce' in authentication) {
      return ask({ [NONCE_PARAMETER]: authentication.nonce });
    }
    if (authentication !== 'bearer') {
      const pair = `${authentication.username}:${authentication.password}`;
      return ask({ authorization: `Basic ${Buffer.from(pair).toString('base64')}` });
    }
    const token = await session.token();
    const answer = await ask({ authorization: `Bearer ${token}` });
    if (answer.status !== 401) return answer;
    const renewed = await session.renew(token);
    if (renewed === undefined) return answer;
    answer.body.destroy();
    return ask({ authorization: `Bearer ${renewed}` });
  };

/**
 * How an operation is asked for: with the nonce that was given, if it takes one.
 * @throws CliFailure USAGE when it takes none and the flag gave one
 */
export const authenticationFor = ({ guard, id }: Operation, nonce: GivenNonce | undefined): Authentication => {
  if (nonce !== undefined && takesNonce(guard)) return { nonce: nonce.value };
  if (nonce?.byFlag === true) {
    throw usage(`--nonce cannot do ${id}`, 'a nonce opens one actor, named by its id, or one alias; leave --nonce out');
  }
  return guard === 'public' ? 'none' : 'bearer';
};

/** What a refusal means; whoever showed a nonce is not helped by a login. */
export const refusalOf = (authentication: Authentication, ...answer: Parameters<typeof failureOf>): CliFailure => {
  const failure = failureOf(...answer);
  const byNonce = typeof authentication === 'object' && 'nonce' in authentication;
  if (!byNonce || failure.code !== 'AUTH_FAILED') return failure;
  const hint = 'name the actor by its id, or the alias, that the nonce was made for';
  return new CliFailure(failure.code, failure.message, { ...failure.extras, hint });
};

/** Makes the typed call on top of the request. */
export const createCall =
  (request: Request, received?: (envelope: Envelope<unknown>) => void, nonce?: GivenNonce): Call =>
  async <Id extends OperationId>(id: Id, input: CallInput = {}) => {
    const operation: Operation = operations[id];
    const authentication = input.authentication ?? authenticationFor(operation, nonce);
    const content = contentOf(input);
    const answer = await request({
      method: operation.method,
      path: pathOf(operation, input.params),
      ...(input.query && { query: input.query }),
      headers: { ...content.headers, ...input.headers },
      ...(content.body !== undefined && { body: content.body }),
      authentication,
      ...(input.signal && { signal: input.signal }),
      ...(input.timeoutMs !== undefined && { timeoutMs: input.timeoutMs }),
    });
    const text = (await readBody(answer)).toString('utf8');
    if (answer.status < 200 || answer.status > 299)
      throw refusalOf(authentication, answer.status, answer.headers, text);
    return resultOf(id, text, received);
  };

const resultOf = <Id extends OperationId>(
  id: Id,
  text: string,
  received?: (envelope: Envelope<unknown>) => void,
): ResultOf<Operations[Id]> => {
  const operation: Operation = operations[id];
  let result: unknown;
  try {
    const document: unknown = JSON.parse(text);
    if (operation.answer === 'envelope') {
      const envelope = document as Envelope<unknown>;
      received?.(envelope);
      result = envelope.result;
    } else result = document;
  } catch (error) {
    throw new CliFailure('DAEMON_VERSION', `the answer to ${id} is not the JSON this actorctl expects`, {
      cause: error,
    });
  }
  // The contract is shared with the daemon and `version` compares the two; unknown fields of a newer daemon are passed on as they are.
  return result as ResultOf<Operations[Id]>;
};
