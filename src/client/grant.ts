// Asks the token endpoint: a grant in, a token response out. @see RFC 6749 4.3, 4.4, 6
import type * as z from 'zod/mini';
import { operations } from '../contract/operations.ts';
import { SCOPE, tokenResponse } from '../contract/token.ts';
import { CliFailure } from '../failure.ts';
import { failureOf } from './answer.ts';
import { readBody, type Transport } from './transport.ts';

/** A client and its secret. */
export interface ClientCredentials {
  readonly id: string;
  readonly secret: string;
}

/** What is asked with. */
export type GrantForm =
  | { readonly grant_type: 'password'; readonly username: string; readonly password: string }
  | { readonly grant_type: 'client_credentials' }
  | { readonly grant_type: 'refresh_token'; readonly refresh_token: string };

export type TokenResponse = z.output<typeof tokenResponse>;

/**
 * Asks for tokens.
 * @throws CliFailure AUTH_FAILED when client, user or token is refused (`details.error` is the word of RFC 6749 5.2), NETWORK,
 * DAEMON_NOT_RUNNING, CANCELLED
 */
export type Grant = (client: ClientCredentials, form: GrantForm) => Promise<TokenResponse>;

export interface GrantInput {
  readonly transport: Transport;
  readonly origin: () => Promise<string>;
  readonly signal: AbortSignal;
}

/** Makes the function that asks. The client proves itself by Basic, never in the body. */
export const createGrant =
  ({ transport, origin, signal }: GrantInput): Grant =>
  async ({ id, secret }, form) => {
    const { method, path } = operations['token.create'];
    const answer = await transport(await origin(), {
      method,
      path,
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
      },
      body: new URLSearchParams({ ...form, scope: SCOPE }).toString(),
      signal,
    });
    const text = (await readBody(answer, 1024 * 1024)).toString('utf8');
    if (answer.status !== 200) throw failureOf(answer.status, answer.headers, text);
    try {
      return tokenResponse.parse(JSON.parse(text));
    } catch (error) {
      throw new CliFailure('DAEMON_VERSION', 'the token endpoint answered something that is no token', {
        cause: error,
      });
    }
  };

/** Whether a refusal is about the client, not about user or token. */
export const isClientRefused = (error: unknown): boolean =>
  error instanceof CliFailure && error.extras.details?.['error'] === 'invalid_client';
