// Asks the token endpoint: a grant in, a token response out. @see RFC 6749 4.3, 4.4, 6
import type * as z from 'zod/mini';
import { SCOPE, tokenResponse } from '../contract/oauth/token.ts';
import { operations } from '../contract/operations.ts';
import { CliFailure } from '../failure.ts';
import { failureOf } from './answer.ts';
import { readBody, type Transport } from './transport.ts';

/** A client and its secret; a public client has none. */
export interface ClientCredentials {
  readonly id: string;
  readonly secret?: string;
}

/** What is asked with. */
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

/** Asks one of the endpoints that a client proves itself at, and answers the text of a success. */
export type AskAsClient = (
  path: string,
  client: ClientCredentials,
  form: Readonly<Record<string, string>>,
) => Promise<string>;

/**
 * Makes the function that asks as a client: by Basic, its parts form-urlencoded; a public client names itself in the body.
 * @see RFC 6749 2.3.1
 */
export const createAskAsClient =
  ({ transport, origin, signal }: GrantInput): AskAsClient =>
  async (path, { id, secret }, form) => {
    const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret ?? '')}`;
    const answer = await transport(await origin(), {
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
    if (answer.status !== 200) throw failureOf(answer.status, answer.headers, text);
    return text;
  };

/** Makes the function that asks for tokens. */
export const createGrant =
  (ask: AskAsClient): Grant =>
  async (client, form) => {
    // A code was given for a scope already.
    const scope = form.grant_type === 'authorization_code' ? {} : { scope: SCOPE };
    const text = await ask(operations['token.create'].path, client, { ...form, ...scope });
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
