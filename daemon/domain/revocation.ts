// Ending what was issued: every record that a client or a user could still be reached with goes in one decision. @see auth.md C10, R84
import type { Transaction } from '../ports/store.ts';
import { type ClientRecord, joinKey, type TokenRecord } from './records.ts';

const endTokens = (tx: Transaction, tokens: readonly TokenRecord[]): number => {
  for (const { hash } of tokens) tx.delete('tokens', hash);
  return tokens.length;
};

/** Ends every token that came through a client; answers how many those were. */
export const revokeClient = (tx: Transaction, clientId: string): number =>
  endTokens(tx, tx.by('tokens', 'client', clientId));

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
export const revokeUser = (tx: Transaction, tenant: string, username: string): number =>
  endTokens(tx, tx.by('tokens', 'user', joinKey(tenant, username)));
