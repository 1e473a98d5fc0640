// Authorizes the requests of one operation by its guard, by a nonce or by the caller's credential.
import type { IncomingMessage } from 'node:http';
import { ACTOR_NAME_HEADER, type Operation, takesActorName, takesNonce } from '../../src/contract/operation.ts';
import { Failure } from '../domain/failure.ts';
import type { Nonces } from '../ports/nonces.ts';
import type { ListenerDialect } from './dialect/listener-dialect.ts';
import type { Exchange } from './exchange.ts';
import {
  type AuthorizedResources,
  authorizeResource,
  demandAdmin,
  isOwnRequest,
  needsCaller,
  type ResourceAccess,
  refuseUnsafeNames,
  resourceGuardOf,
} from './guard.ts';
import { mapMaybe } from './maybe-promise.ts';
import { demandOwner } from './request/owner.ts';
import { NO_QUERY, type Query } from './request/query.ts';
import { requestNonceOf } from './request-nonce.ts';
import type { Caller } from './route-handler.ts';

export type Authenticate = (request: IncomingMessage, accepts: { readonly basic: boolean }) => Caller | Promise<Caller>;

export interface AuthorizationOptions {
  readonly authenticate: Authenticate;
  readonly access: ResourceAccess;
  readonly nonces?: Nonces | undefined;
  readonly onlyExecutionTokens: boolean;
  readonly legacy?: ListenerDialect | undefined;
}

type Request = IncomingMessage & { readonly params: Record<string, string> };

export const authorizationOf = (
  operation: Operation,
  { access, authenticate, onlyExecutionTokens, legacy, ...options }: AuthorizationOptions,
) => {
  const { guard } = operation;
  const guarded = resourceGuardOf(guard);
  // Nonces are ignored on the listener for containers, where every caller has the token of its execution.
  // @see docs/conformance/security.md C23
  const nonces = takesNonce(guard) && !onlyExecutionTokens ? options.nonces : undefined;
  // The hosted platform does not support names in paths, so a listener for its programs does not either.
  const readsNames = takesActorName(guard) && legacy === undefined;
  const accepts = { basic: guard === 'basic-or-caller' && !onlyExecutionTokens };
  const needsCredential = needsCaller(guard) || onlyExecutionTokens;

  return (request: Request, exchange: Exchange, query: Query | Failure) => {
    let { params } = request;
    const nonce =
      nonces && guarded && requestNonceOf(nonces, guarded, request, query instanceof Failure ? NO_QUERY : query);
    const naming = readsNames && nonce === undefined ? request.headers[ACTOR_NAME_HEADER] : undefined;
    const byName = naming === 'true' || naming === 'own';
    const authorizeAs = (caller: Caller | undefined): AuthorizedResources => {
      exchange.caller = caller;
      if (caller && (guard === 'admin' || guard === 'owner-or-admin')) demandAdmin(caller);
      refuseUnsafeNames(params);
      if (guard === 'public' || !caller) return {};
      if (byName) params = { ...params, actorId: access.idOrText(caller, params['actorId'] ?? '', naming === 'own') };
      access.withinReach(caller, operation, params);
      if (!guarded) return {};
      const found = authorizeResource(access, caller, guarded, params);
      // The alias in the path is replaced by the actor's id, so that later checks concern the same actor even if
      // the alias is repointed.
      if (guarded.kind === 'actor' && found.actor) params = { ...params, actorId: found.actor.id };
      return found;
    };
    return {
      nonce,
      byName,
      /** The path parameters, with the id of the actor once the request is authorized. */
      params: (): Record<string, string> => params,
      /**
       * Authorizes the request, and may be called repeatedly. Returns no promise unless a password is checked, because
       * a stream calls it for each event.
       */
      authorize: (): AuthorizedResources | Promise<AuthorizedResources> => {
        if (guard === 'owner') demandOwner(request);
        if (!needsCredential || isOwnRequest(guard, request)) return authorizeAs(exchange.caller);
        return mapMaybe(nonce ? nonce.holder() : authenticate(request, accepts), authorizeAs);
      },
    };
  };
};
