// Lifetimes of access tokens: defaults, tenant settings, maximum and expiry. @see docs/oauth.md#lifetimes
import type { TimedFlow } from '../../../src/contract/oauth/grants.ts';
import type { TenantRecord, TokenRecord } from '../records/account-records.ts';

/** The maximum lifetime in seconds. @see docs/oauth.md#lifetimes */
const LONGEST_LIFETIME = 14_400;

/** Maximum lifetimes in seconds by flow. They are also the defaults. */
const longest: Readonly<Record<TimedFlow, number>> = {
  authorization_code: LONGEST_LIFETIME,
  // Shorter, because the token passes through the address bar and belongs to a client without a secret.
  implicit: 3_600,
  password: LONGEST_LIFETIME,
  client_credentials: LONGEST_LIFETIME,
};

/** Limits a lifetime to whole seconds, from 1 to the maximum of the flow. @see docs/conformance/security.md C9, R26, R38 */
export const tokenLifetime = (lifetimes: TenantRecord['lifetimes'], flow: TimedFlow): number => {
  const wanted = Math.floor(lifetimes[flow] ?? longest[flow]);
  return Number.isFinite(wanted) ? Math.min(Math.max(wanted, 1), longest[flow]) : longest[flow];
};

/** False for an expired access token and for a used refresh token of a public client, which stay stored for a while. */
export const isValid = ({ usedAt, expiresAt }: TokenRecord, now: number): boolean =>
  usedAt === undefined && (expiresAt === undefined || now < expiresAt);
