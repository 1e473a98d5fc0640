// Revokes codes, tokens and approvals of a client or a user in one transaction. @see docs/conformance/security.md C10, R84
import type { Transaction } from '../../ports/store.ts';
import {
  type ApprovalRecord,
  approvalKey,
  type ClientRecord,
  type CodeRecord,
  type TokenRecord,
} from '../records/account-records.ts';
import { joinKey } from '../records/record-key.ts';
import { isValid } from './token-lifetime.ts';

/** Deletes tokens and returns the number of tokens that were valid until `now` (ms since the epoch). */
const endTokens = (tx: Transaction, tokens: readonly TokenRecord[], now: number): number => {
  for (const { hash } of tokens) tx.delete('tokens', hash);
  return tokens.filter((token) => isValid(token, now)).length;
};

const endCodes = (tx: Transaction, codes: readonly CodeRecord[]): void => {
  for (const { hash } of codes) tx.delete('codes', hash);
};

const endApprovals = (tx: Transaction, approvals: readonly ApprovalRecord[]): void => {
  for (const approval of approvals) tx.delete('approvals', approvalKey(approval));
};

export const revokeGrant = (tx: Transaction, grantId: string, now: number): number =>
  endTokens(tx, tx.by('tokens', 'grant', grantId), now);

/**
 * Revokes everything issued to a client and returns the number of valid tokens. Approvals stay, because they grant
 * nothing on their own.
 */
export const revokeClient = (tx: Transaction, clientId: string, now: number): number => {
  endCodes(tx, tx.by('codes', 'client', clientId));
  return endTokens(tx, tx.by('tokens', 'client', clientId), now);
};

/** Deletes a client with everything issued through it. Returns the number of valid tokens. */
export const dropClient = (tx: Transaction, clientId: string, now: number): number => {
  endApprovals(tx, tx.by('approvals', 'client', clientId));
  tx.delete('clients', clientId);
  return revokeClient(tx, clientId, now);
};

/** Deletes everything that a client obtained through grants or redirect URIs that it no longer has. */
export const revokeLost = (tx: Transaction, { id, grants, redirectUris }: ClientRecord): void => {
  const isLostUri = ({ redirectUri }: CodeRecord | ApprovalRecord) => !redirectUris.includes(redirectUri);
  const lostCodes = (code: CodeRecord) => isLostUri(code) || !grants.includes('authorization_code');
  const lostApprovals = (approval: ApprovalRecord) => isLostUri(approval) || !grants.includes('implicit');
  const lostTokens = ({ kind, flow }: TokenRecord) =>
    !grants.some((grant) => grant === flow) || (kind === 'refresh' && !grants.includes('refresh_token'));
  endCodes(tx, tx.by('codes', 'client', id).filter(lostCodes));
  endApprovals(tx, tx.by('approvals', 'client', id).filter(lostApprovals));
  for (const { hash } of tx.by('tokens', 'client', id).filter(lostTokens)) tx.delete('tokens', hash);
};

/**
 * Revokes a user's tokens, including those of running executions, and ends the user's browser sessions. Returns the
 * number of valid tokens.
 */
export const revokeUser = (tx: Transaction, tenant: string, username: string, now: number): number => {
  const key = joinKey(tenant, username);
  endCodes(tx, tx.by('codes', 'user', key));
  for (const { hash } of tx.by('sessions', 'user', key)) tx.delete('sessions', hash);
  return endTokens(tx, tx.by('tokens', 'user', key), now);
};

/** Deletes a user with all clients, codes, tokens and approvals. Returns the numbers of valid tokens and of clients. */
export const dropUser = (
  tx: Transaction,
  tenant: string,
  username: string,
  now: number,
): { readonly revoked: number; readonly clients: number } => {
  const key = joinKey(tenant, username);
  const clients = tx.by('clients', 'owner', key);
  let revoked = revokeUser(tx, tenant, username, now);
  for (const { id } of clients) revoked += dropClient(tx, id, now);
  endApprovals(tx, tx.by('approvals', 'user', key));
  tx.delete('users', key);
  return { revoked, clients: clients.length };
};
