// Authenticates the caller of a request by bearer token, or on some routes by username and password (Basic).
import type { IncomingMessage } from 'node:http';
import { type HeldReach, heldReachOf } from '../domain/executions/token-reach.ts';
import { Failure } from '../domain/failure.ts';
import { findClient } from '../domain/oauth/find-client.ts';
import type { TokenRecord } from '../domain/records/account-records.ts';
import { joinKey } from '../domain/records/record-key.ts';
import type { Clock } from '../ports/clock.ts';
import type { PasswordCheck } from '../ports/password-check.ts';
import type { Store } from '../ports/store.ts';
import type { Vault } from '../ports/vault.ts';
import type { Authenticate } from './authorization.ts';
import { isFromOtherSite } from './request/origin.ts';
import { addressOf } from './request/owner.ts';
import type { Caller } from './route-handler.ts';

export interface AuthenticateOptions {
  readonly store: Store;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly checkPassword: PasswordCheck;
  readonly baseUrl: () => string;
  /** Refuses tokens that do not belong to a running execution. @see docs/conformance/security.md C23 */
  readonly onlyExecutionTokens?: boolean;
}

const LONGEST_HEADER = 4_096;
const B64TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

const malformed = (why: string) =>
  new Failure('VALIDATION', `The Authorization header is malformed: ${why}.`, { challenge: true });

interface Credentials {
  readonly scheme: string;
  readonly value: string;
}

/**
 * The credentials in the Authorization header. Undefined without the header.
 * @throws Failure VALIDATION if it is malformed @see RFC 7235 2.1
 */
export const readAuthorization = ({ headers }: IncomingMessage): Credentials | undefined => {
  const { authorization } = headers;
  if (authorization === undefined) return undefined;
  if (authorization.length > LONGEST_HEADER) throw malformed('it is too long');
  const space = authorization.indexOf(' ');
  const scheme = (space === -1 ? authorization : authorization.slice(0, space)).toLowerCase();
  const value = space === -1 ? '' : authorization.slice(space + 1).trim();
  if (value === '') throw malformed('it has no credentials');
  return { scheme, value };
};

/** Splits at the first colon. Undefined if the credentials are malformed. @see RFC 7617 */
export const splitBasic = (value: string): readonly [name: string, secret: string] | undefined => {
  if (!BASE64.test(value)) return undefined;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'base64'));
  } catch {
    return undefined;
  }
  const colon = text.indexOf(':');
  return colon === -1 || text.includes('\0') ? undefined : [text.slice(0, colon), text.slice(colon + 1)];
};

const unknownToken = () =>
  new Failure(
    'AUTH_FAILED',
    'The access token is not valid: it is unknown, was revoked or has long expired. Get a new one (`actorctl login`).',
  );

const MOST_KNOWN = 1_024;

/**
 * Makes the authentication. Bearer tokens are accepted only in the header. A valid token is cached until the next
 * change of the store, so a revoked token fails at once. The returned function throws Failure AUTH_REQUIRED,
 * AUTH_FAILED, TOKEN_EXPIRED, VALIDATION (malformed header) or THROTTLED.
 * @see RFC 6750, docs/conformance/security.md#bearer-tokens R118
 */
export const createAuthenticate = (options: AuthenticateOptions): Authenticate => {
  const { store, vault, clock, checkPassword, baseUrl } = options;
  const onlyExecutions = options.onlyExecutionTokens === true;

  /** What an execution token may do now. Undefined if the execution is not running. */
  const reachOf = (executionId: string): HeldReach | undefined => {
    const execution = store.get('executions', executionId);
    return execution?.status === 'RUNNING' ? heldReachOf(store.get('actors', execution.actorId)) : undefined;
  };

  /**
   * Cache of valid tokens for the current version of the store. Each event authenticates all streams again, often with
   * one token. The map is replaced and not cleared, because V8 links the tables of a cleared map.
   * @see docs/adr/0024-keep-short-lived-values-out-of-the-old-generation.md
   */
  let known = new Map<string, { readonly caller: Caller; readonly token: TokenRecord }>();
  let version: number | undefined;

  const isExpired = ({ expiresAt }: TokenRecord): boolean => expiresAt !== undefined && expiresAt <= clock.now();

  const callerOf = (token: TokenRecord): Caller => {
    const user = store.get('users', joinKey(token.tenant, token.username));
    if (user === undefined) throw unknownToken();
    const { tenant, clientId, grantId, executionId } = token;
    const reach = executionId === undefined ? undefined : reachOf(executionId);
    if (executionId === undefined ? findClient(store, clientId) === undefined : reach === undefined) {
      throw unknownToken();
    }
    return {
      tenant,
      username: user.username,
      // An execution has no roles, so its code cannot create users, extend its own permissions or start processes on
      // the host.
      // @see docs/conformance/security.md R154
      roles: executionId === undefined ? user.roles : [],
      ...(clientId !== '' && { clientId }),
      ...(executionId === undefined && { grantId }),
      executionId,
      reach,
    };
  };

  const bearer = (value: string): Caller => {
    if (known.size > 0 && (version !== store.version() || known.size >= MOST_KNOWN)) known = new Map();
    version = store.version();
    const found = known.get(value);
    if (found !== undefined && !isExpired(found.token)) return found.caller;
    if (!B64TOKEN.test(value)) throw malformed('the token contains invalid characters');
    const token = store.get('tokens', vault.digest(value));
    if (token === undefined || token.kind !== 'access') throw unknownToken();
    if (isExpired(token)) {
      throw new Failure(
        'TOKEN_EXPIRED',
        'The access token has expired. Refresh it or log in again (`actorctl login`).',
      );
    }
    if (onlyExecutions && token.executionId === undefined) {
      throw new Failure('AUTH_FAILED', 'This address accepts only the token of a running execution.');
    }
    const caller = callerOf(token);
    known.set(value, { caller, token });
    return caller;
  };

  const basic = async (value: string, source: string): Promise<Caller> => {
    const parts = splitBasic(value);
    if (parts === undefined) throw malformed('it is not BASE64(username:password)');
    const [name, password] = parts;
    const slash = name.indexOf('/');
    const [first] = store.all('tenants');
    const tenant = slash === -1 ? (first?.id ?? '') : name.slice(0, slash);
    const user = await checkPassword({ tenant, username: name.slice(slash + 1), password, lane: 'basic', source });
    // During the slow check, the user may have been deleted or the password changed.
    const present = user && store.get('users', joinKey(user.tenant, user.username));
    if (present === undefined || present.passwordHash !== user?.passwordHash) {
      throw new Failure('AUTH_FAILED', 'The username or password is wrong.');
    }
    return { tenant: present.tenant, username: present.username, roles: present.roles };
  };

  return (request, accepts) => {
    const credentials = readAuthorization(request);
    if (credentials?.scheme === 'bearer') return bearer(credentials.value);
    if (credentials?.scheme === 'basic' && accepts.basic) {
      // A page of another site must not guess passwords through its visitor's browser. @see docs/conformance/security.md R240
      if (isFromOtherSite(request, baseUrl())) {
        throw new Failure('FORBIDDEN', 'A page of another site cannot log in by username and password. Use a token.');
      }
      return basic(credentials.value, addressOf(request));
    }
    throw new Failure(
      'AUTH_REQUIRED',
      accepts.basic
        ? 'This request needs an access token or username:password. Send an Authorization header with Bearer or Basic.'
        : 'This request needs an access token. Send the header "Authorization: Bearer <token>" (`actorctl login` gets one).',
    );
  };
};
