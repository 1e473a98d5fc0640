// Reads the nonce of a request, authenticates its caller and counts one use.
import type { IncomingMessage } from 'node:http';
import { NONCE_PARAMETER } from '../../src/contract/operation.ts';
import type { NonceTarget } from '../domain/actors/nonce.ts';
import type { Nonces, ShownNonce } from '../ports/nonces.ts';
import type { ResourceGuard } from './guard.ts';
import { addressOf } from './request/owner.ts';
import type { Caller } from './route-handler.ts';

type Params = Readonly<Record<string, string>>;
type Query = Readonly<Record<string, string | readonly string[]>>;

export interface RequestNonce {
  /**
   * Checks the nonce without counting a use. After `redeem`, the nonce may be used up, but must still exist and not
   * have expired.
   */
  holder(): Caller;
  /** Counts one use. A second call does nothing. @throws Failure as `holder` */
  redeem(): Promise<void>;
  readonly isRedeemed: boolean;
}

/** Represents several different nonces in one request. No nonce has this text. */
const UNUSABLE_NONCE = '';

/** The nonce in the query or header of a request without an Authorization header. @see docs/http-api.md#nonces */
const nonceTextOf = ({ headers }: IncomingMessage, query: Query): string | undefined => {
  if (headers.authorization !== undefined) return undefined;
  const values = [query[NONCE_PARAMETER] ?? [], headers[NONCE_PARAMETER] ?? []].flat();
  const [first, ...others] = values;
  return others.every((other) => other === first) ? first : UNUSABLE_NONCE;
};

const targetOf = ({ kind }: ResourceGuard, params: Params): NonceTarget =>
  kind === 'actor'
    ? { place: 'actor', name: params['actorId'] ?? '' }
    : { place: 'alias', name: params['alias'] ?? '' };

/** The nonce of a request. Undefined if there is none, or if the request has an Authorization header. */
export const requestNonceOf = (
  nonces: Nonces,
  guarded: ResourceGuard,
  request: IncomingMessage & { readonly params: Params },
  query: Query,
): RequestNonce | undefined => {
  const text = nonceTextOf(request, query);
  if (text === undefined) return undefined;
  const shown: ShownNonce = {
    text,
    target: targetOf(guarded, request.params),
    level: guarded.level,
    source: addressOf(request),
  };
  let redeemed = false;
  return {
    holder: () => (redeemed ? nonces.still(shown) : nonces.holder(shown)),
    redeem: async () => {
      if (redeemed) return;
      redeemed = true;
      await nonces.redeem(shown);
    },
    get isRedeemed() {
      return redeemed;
    },
  };
};
