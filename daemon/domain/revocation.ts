// Ending what was issued: every record that a client or a user could still be reached with goes in one decision. @see auth.md C10, R84
import type { Transaction } from '../ports/store.ts';
import { approvalKey, type ClientRecord, joinKey, type TokenRecord } from './records.ts';

/** Codes and remembered approvals: what could still become tokens. */
const endPromises = (tx: Transaction, index: 'client' | 'user', value: string): void => {
  for (const { hash } of tx.by('codes', index, value)) tx.delete('codes', hash);
  for (const approval of tx.by('approvals', index, value)) tx.delete('approvals', approvalKey(approval));
};

const endTokens = (tx: Transaction, tokens: readonly TokenRecord[]): number => {
  for (const { hash } of tokens) tx.delete('tokens', hash);
  return tokens.length;
};

/** Ends every token that came through a client; answers how many those were. */
export const revokeClient = (tx: Transaction, clientId: string): number => {
  endPromises(tx, 'client', clientId);
  return endTokens(tx, tx.by('tokens', 'client', clientId));
};

/** Ends the tokens that a client holds by grants which it does not have any more; answers how many those were. */
export const revokeLostGrants = (tx: Transaction, { id, grants }: Pick<ClientRecord, 'id' | 'grants'>): number =>
  endTokens(
    tx,
    tx.by('tokens', 'client', id).filter(({ kind, flow }) => {
      const isKept = grants.some((grant) => grant === flow) && (kind === 'access' || grants.includes('refresh_token'));
      return !isKept;
    }),
  );

/** Ends every token that acts for a user, those of running executions included; answers how many those were. */
export const revokeUser = (tx: Transaction, tenant: string, username: string): number => {
  const user = joinKey(tenant, username);
  endPromises(tx, 'user', user);
  return endTokens(tx, tx.by('tokens', 'user', user));
};
