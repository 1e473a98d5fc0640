// Sends a grant to the token endpoint and returns the token response. @see RFC 6749 4.3, 4.4, 6
import { setTimeout } from 'node:timers/promises';
import { routes, SCOPE } from '../contract/for-client.ts';
import type { ResultOf } from '../contract/operation.ts';
import type { Operations } from '../contract/operations.ts';
import { CliFailure } from '../failure.ts';
import type { Address } from './address.ts';
import { failureOf } from './answer.ts';
import { readBody, type Transport } from './transport.ts';

/** A client and its secret. A public client has no secret. */
export interface ClientCredentials {
  readonly id: string;
  readonly secret?: string;
}

export type GrantForm =
  | { readonly grant_type: 'password'; readonly username: string; readonly password: string }
  | { readonly grant_type: 'client_credentials' }
  | {
      readonly grant_type: 'authorization_code';
      readonly code: string;
      readonly redirect_uri: string;
      readonly code_verifier?: string;
    }
  | { readonly grant_type: 'refresh_token'; readonly refresh_token: string };

export type TokenResponse = ResultOf<Operations['token.create']>;

/**
 * Requests tokens.
 * @throws CliFailure AUTH_FAILED if client, user or token is refused (`details.error` has the error code of RFC 6749
 * 5.2), NETWORK, DAEMON_NOT_RUNNING, CANCELLED
 */
export type Grant = (client: ClientCredentials, form: GrantForm) => Promise<TokenResponse>;

export interface GrantInput {
  readonly transport: Transport;
  readonly address: Address;
  readonly signal: AbortSignal;
}

/** Number of attempts before the service is reported as too busy. */
const TRIES = 5;
/** Longest `Retry-After` to wait for, in milliseconds. */
const SHORT_WAIT_MS = 2_000;

export type AskAsClient = (
  path: string,
  client: ClientCredentials,
  form: Readonly<Record<string, string>>,
) => Promise<string>;

/**
 * Creates the function that authenticates as a client: by HTTP Basic with form-urlencoded parts, or for a public client
 * by the client id in the body. @see RFC 6749 2.3.1
 */
export const createAskAsClient =
  ({ transport, address, signal }: GrantInput): AskAsClient =>
  async (path, { id, secret }, form) => {
    const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret ?? '')}`;
    for (let tries = 1; ; tries += 1) {
      const answer = await transport(address, {
        method: 'POST',
        path,
        headers: {
          accept: 'application/json',
          'content-type': 'application/x-www-form-urlencoded',
          ...(secret !== undefined && { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }),
        },
        body: new URLSearchParams({ ...form, ...(secret === undefined && { client_id: id }) }).toString(),
        signal,
      });
      const text = (await readBody(answer, 1024 * 1024)).toString('utf8');
      if (answer.status === 200) return text;
      const waitMs = Number(answer.headers['retry-after']) * 1_000;
      // The service refuses such a request before it checks the credentials, so repeating the request is safe.
      const isBusy = answer.status === 429 && waitMs <= SHORT_WAIT_MS;
      if (!isBusy || tries >= TRIES) throw failureOf(answer.status, answer.headers, text);
      // After an interruption the next request fails.
      await setTimeout(waitMs, undefined, { signal }).catch(() => undefined);
    }
  };

/** Explains refused credentials in more detail than the service, which hides the cause from strangers. */
const inWords = (error: unknown, grantType: string): unknown => {
  if (!(error instanceof CliFailure)) return error;
  const words = (message: string, hint: string) =>
    new CliFailure(error.code, message, { ...error.extras, hint, cause: error });
  if (isClientRefused(error)) {
    return words(
      'the client is unknown, or its secret is wrong',
      'check the client id and the secret. The owner of the client can create a new secret: actorctl clients rotate NAME',
    );
  }
  if (grantType === 'password' && error.extras.details?.['error'] === 'invalid_grant') {
    return words(
      'the user name or the password is wrong',
      'try again. An admin can set a new password: actorctl users passwd NAME. The first admin, without a password: actorctl login --flow client',
    );
  }
  return error;
};

export const createGrant =
  (ask: AskAsClient): Grant =>
  async (client, form) => {
    // The token request has no scope, because the authorization request has already fixed it.
    const scope: Readonly<Record<string, string>> = form.grant_type === 'authorization_code' ? {} : { scope: SCOPE };
    const text = await ask(routes['token.create'].path, client, { ...form, ...scope }).catch((error: unknown) => {
      throw inWords(error, form.grant_type);
    });
    const { tokenResponse } = await import('../contract/oauth/token.ts');
    try {
      return tokenResponse.parse(JSON.parse(text));
    } catch (error) {
      throw new CliFailure('DAEMON_VERSION', 'the response of the token endpoint contains no token', {
        cause: error,
      });
    }
  };

/** True if the client was refused, not the user or the token. */
export const isClientRefused = (error: unknown): boolean =>
  error instanceof CliFailure && error.extras.details?.['error'] === 'invalid_client';
