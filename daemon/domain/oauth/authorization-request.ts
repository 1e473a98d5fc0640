// Validates an authorization request: ordered checks, each a small named rule.
// @see docs/oauth.md#authorization-code, RFC 6749 4.1.1, 4.2.1

import type { Grant } from '../../../src/contract/oauth/grants.ts';
import { Failure } from '../failure.ts';
import type { ClientRecord } from '../records/account-records.ts';
import { challengeFault } from './pkce.ts';
import { grantedScope } from './scope.ts';

/** Decoded query parameters; a repeated parameter is a list. */
export type AuthorizationParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Where the response may be sent: a client and one of its registered redirect URIs. */
export interface Target {
  readonly client: ClientRecord;
  readonly redirectUri: string;
}

export type AuthorizationFlow = 'code' | 'token';

export interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly flow: AuthorizationFlow;
  readonly scope: string;
  /** The client's `state`, returned unchanged with every response. */
  readonly state?: string;
  /** S256 challenge. Only in the code flow. */
  readonly challenge?: string;
  /** True if the user must be asked even after an earlier approval. */
  readonly alwaysAsk: boolean;
  /**
   * True if the client may renew the access. The consent page shows this, and a later change of the client cannot
   * extend it.
   */
  readonly isRenewable: boolean;
}

export interface Refusal {
  readonly error:
    | 'invalid_request'
    | 'unauthorized_client'
    | 'access_denied'
    | 'unsupported_response_type'
    | 'invalid_scope'
    | 'server_error'
    | 'temporarily_unavailable';
  readonly description: string;
}

const isRepeated = (asked: AuthorizationParameters, name: string): boolean => typeof asked[name] === 'object';

/** The value of a parameter. Undefined if it is absent, empty or repeated. @see RFC 6749 3.1 */
const single = (asked: AuthorizationParameters, name: string): string | undefined => {
  const value = asked[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

interface TargetFacts {
  readonly asked: AuthorizationParameters;
  readonly client: ClientRecord | undefined;
}
/** Why the response cannot be sent anywhere. Undefined if the request satisfies the rule. */
type TargetRule = (facts: TargetFacts) => string | undefined;

const clientIsNamedOnce: TargetRule = ({ asked }) =>
  isRepeated(asked, 'client_id') ? 'The request contains more than one client_id.' : undefined;

const clientIsNamed: TargetRule = ({ asked }) =>
  single(asked, 'client_id') === undefined ? 'The request does not contain a client_id.' : undefined;

const clientIsKnown: TargetRule = ({ client }) =>
  client === undefined ? 'No client is registered under the client_id of the request.' : undefined;

const uriIsNamedOnce: TargetRule = ({ asked }) =>
  isRepeated(asked, 'redirect_uri') ? 'The request contains more than one redirect_uri.' : undefined;

const uriIsNamed: TargetRule = ({ asked }) =>
  single(asked, 'redirect_uri') === undefined ? 'The request does not contain a redirect_uri.' : undefined;

/**
 * Compares URIs as plain strings: nothing is parsed, lower-cased, trimmed or completed.
 * @see docs/conformance/security.md R02, R03, R04
 */
const uriIsRegistered: TargetRule = ({ asked, client }) =>
  client?.redirectUris.includes(single(asked, 'redirect_uri') ?? '') === true
    ? undefined
    : 'The redirect_uri of the request is not registered for its client. The two must be identical, character for character.';

const targetRules: readonly TargetRule[] = [
  clientIsNamedOnce,
  clientIsNamed,
  clientIsKnown,
  uriIsNamedOnce,
  uriIsNamed,
  uriIsRegistered,
];

/**
 * Verifies the client and the redirect URI. Nothing may be redirected before that, so the Failure must be shown on a
 * page.
 * @see docs/conformance/security.md R01, R02, R03, R04, R05, R06, R07
 */
export const readTarget = (
  asked: AuthorizationParameters,
  findClient: (id: string) => ClientRecord | undefined,
): Target => {
  const id = single(asked, 'client_id');
  const client = id === undefined ? undefined : findClient(id);
  for (const rule of targetRules) {
    const fault = rule({ asked, client });
    if (fault !== undefined) throw new Failure('VALIDATION', fault);
  }
  const redirectUri = single(asked, 'redirect_uri');
  if (client === undefined || redirectUri === undefined)
    throw new Error('the validation accepted a request without a redirect target');
  return { client, redirectUri };
};

const flows: ReadonlyMap<string, readonly [AuthorizationFlow, Grant]> = new Map([
  ['code', ['code', 'authorization_code']],
  ['token', ['token', 'implicit']],
]);

const flowOf = (asked: AuthorizationParameters) => flows.get(single(asked, 'response_type') ?? '');

interface RequestFacts {
  readonly asked: AuthorizationParameters;
  readonly client: ClientRecord;
}
type RequestRule = (facts: RequestFacts) => Refusal | undefined;

const invalid = (description: string): Refusal => ({ error: 'invalid_request', description });

const nothingIsRepeated: RequestRule = ({ asked }) => {
  const name = Object.keys(asked).find((candidate) => isRepeated(asked, candidate));
  return name === undefined ? undefined : invalid('A parameter was sent more than once.');
};

const flowIsNamed: RequestRule = ({ asked }) =>
  single(asked, 'response_type') === undefined ? invalid('The parameter response_type is missing.') : undefined;

const flowIsKnown: RequestRule = ({ asked }) =>
  flowOf(asked) === undefined
    ? { error: 'unsupported_response_type', description: 'The response_type must be code or token.' }
    : undefined;

const flowIsAllowed: RequestRule = ({ asked, client }) => {
  const grant = flowOf(asked)?.[1];
  return grant !== undefined && client.grants.includes(grant)
    ? undefined
    : { error: 'unauthorized_client', description: 'This client is not registered for this flow.' };
};

/** The scope is required only for `token`. @see docs/oauth.md#authorization-code, docs/conformance/security.md C8, R27 */
const scopeIsGrantable: RequestRule = ({ asked }) =>
  grantedScope(single(asked, 'scope'), flowOf(asked)?.[0] === 'token') === undefined
    ? { error: 'invalid_scope', description: 'The scope must be PRODUCTION.' }
    : undefined;

const challengeIsUsable: RequestRule = ({ asked }) => {
  if (flowOf(asked)?.[0] !== 'code') return undefined;
  const fault = challengeFault(single(asked, 'code_challenge'), single(asked, 'code_challenge_method'));
  return fault === undefined ? undefined : invalid(fault);
};

/** A public client has no secret, so only a challenge makes a stolen code useless. @see RFC 9700 2.1.1 */
const publicClientHasChallenge: RequestRule = ({ asked, client }) =>
  client.secretHash === '' && flowOf(asked)?.[0] === 'code' && single(asked, 'code_challenge') === undefined
    ? invalid('A public client must send a code_challenge (PKCE, S256).')
    : undefined;

const requestRules: readonly RequestRule[] = [
  nothingIsRepeated,
  flowIsNamed,
  flowIsKnown,
  flowIsAllowed,
  scopeIsGrantable,
  challengeIsUsable,
  publicClientHasChallenge,
];

/** The `state` for the response. Undefined if it is absent or repeated. @see docs/conformance/security.md#redirected-to-the-client R09, R10 */
export const stateOf = (asked: AuthorizationParameters): string | undefined => single(asked, 'state');

/** True if the client expects the response in the URL fragment. */
export const isImplicit = (asked: AuthorizationParameters): boolean => flowOf(asked)?.[0] === 'token';

/** @see docs/conformance/security.md#redirected-to-the-client R08 */
export const readRequest = (
  asked: AuthorizationParameters,
  { client, redirectUri }: Target,
): AuthorizationRequest | Refusal => {
  for (const rule of requestRules) {
    const refusal = rule({ asked, client });
    if (refusal !== undefined) return refusal;
  }
  const [flow] = flowOf(asked) ?? [];
  const scope = grantedScope(single(asked, 'scope'), flow === 'token');
  if (flow === undefined || scope === undefined)
    throw new Error('the validation accepted a request without a flow or scope');
  const state = stateOf(asked);
  const challenge = flow === 'code' ? single(asked, 'code_challenge') : undefined;
  return {
    clientId: client.id,
    redirectUri,
    flow,
    scope,
    alwaysAsk: /^(true|1)$/i.test(single(asked, 'show_dialog') ?? ''),
    isRenewable: flow === 'code' && client.grants.includes('refresh_token'),
    ...(state !== undefined && { state }),
    ...(challenge !== undefined && { challenge }),
  };
};
