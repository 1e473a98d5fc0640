// A nonce in place of a token: where a request carries it, what it shall open, and that its use is taken once.
import type { IncomingMessage } from 'node:http';
import { NONCE_PARAMETER } from '../../src/contract/operation.ts';
import type { NonceTarget } from '../domain/actors/nonce.ts';
import type { Nonces, ShownNonce } from '../ports/nonces.ts';
import type { ResourceGuard } from './guard.ts';
import type { Caller } from './route-handler.ts';

type Params = Readonly<Record<string, string>>;
type Query = Readonly<Record<string, string | readonly string[]>>;

/** The nonce of one request. */
export interface RequestNonce {
  /** Who shows it; takes no use. Once it is redeemed it may be spent. @throws Failure AUTH_FAILED, THROTTLED, FORBIDDEN */
  holder(): Caller;
  /** Takes its use; a second call takes none. @throws Failure as `holder` */
  redeem(): Promise<void>;
  readonly isRedeemed: boolean;
}

/** What opens nothing: of several nonces that differ none is meant. */
const UNUSABLE_NONCE = '';

/** The nonce of a request that has no other credential. @see facts 5.6 */
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

/** The ticket of a request; undefined when it shows no nonce, or shows one beside another credential. */
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
    source: request.socket.remoteAddress ?? '',
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
