// `auth status`: the stored logins of all contexts, and whether the service still accepts them.

import type { Address } from '../../client/address.ts';
import { identityOf, type TokenSource } from '../../client/identity.ts';
import type { CommandContext } from '../../context.ts';
import { CliFailure } from '../../failure.ts';
import { type Login, loginsOf } from '../../local/credentials/account-record.ts';
import type { Found } from '../../local/credentials/credentials.ts';
import type { View } from '../../ui/format/view.ts';
import { command } from '../framework/command.ts';
import { probe } from './stored-logins.ts';

/** State of a login. `renewable` means that the token has expired and the next request renews it. */
type State = 'valid' | 'renewable' | 'expired' | 'refused' | 'unreachable' | 'unreadable';

interface Row {
  readonly context: string;
  readonly user: string | null;
  /** Null: unknown. */
  readonly tenant: string | null;
  readonly active: boolean;
  readonly valid: boolean;
  readonly state: State;
  readonly flow: Login['flow'] | null;
  readonly token_source: TokenSource | null;
  readonly expires_at: string | null;
  readonly refreshable: boolean;
}

const view: View<Row> = {
  id: ({ user }) => user ?? '-',
  fields: [
    'context',
    'user',
    'tenant',
    'active',
    'valid',
    'state',
    'flow',
    'token_source',
    'expires_at',
    'refreshable',
  ],
  columns: [
    { header: 'ACTIVE', value: ({ active }) => (active ? '*' : '') },
    { header: 'CONTEXT', value: ({ context }) => context },
    { header: 'USER', value: ({ user }) => user },
    { header: 'STATE', value: ({ state }) => state, kind: 'status' },
    { header: 'TOKEN', value: ({ token_source }) => token_source },
    { header: 'EXPIRES', value: ({ expires_at }) => expires_at, kind: 'time' },
    { header: 'TENANT', value: ({ tenant }) => tenant, wide: true },
    { header: 'FLOW', value: ({ flow }) => flow, wide: true },
  ],
};

/** A time as people and programs read it; null if it is unknown. */
export const timeOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

const contextOf = (account: string): string =>
  account === 'local/default' ? 'local' : account.replace(/^(context|url)\//, '');

const stateOf = async (context: CommandContext, account: string, login: Login): Promise<State> => {
  const { refreshable } = identityOf(login, 'file');
  const now = account === context.settings.account ? await context.serviceClock.ask() : context.now();
  if (login.expiresAt !== null && login.expiresAt <= now) return refreshable ? 'renewable' : 'expired';
  let address: Address;
  try {
    address = await context.addressOfAccount(account);
  } catch (error) {
    if (error instanceof CliFailure && error.code !== 'CANCELLED') return 'unreachable';
    throw error;
  }
  return probe(context, address, login.accessToken);
};

const isGood = (state: State): boolean => state === 'valid' || state === 'renewable';

const rowOf = async (
  context: CommandContext,
  account: string,
  login: Login,
  source: Found['store'],
  active: boolean,
): Promise<Row> => {
  const state = await stateOf(context, account, login);
  const { username, tenant, flow, expiresAt, refreshable } = identityOf(login, source);
  return {
    context: contextOf(account),
    user: username,
    tenant,
    active,
    valid: isGood(state),
    state,
    flow,
    token_source: source,
    expires_at: timeOf(expiresAt),
    refreshable,
  };
};

const rowsOf = async (context: CommandContext, account: string, shadowed: boolean): Promise<readonly Row[]> => {
  let found: Found | undefined;
  try {
    found = await context.credentials.read(account);
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code !== 'AUTH_REQUIRED') throw error;
    context.output.warn(error.message);
  }
  if (!found) return [];
  const { record, store } = found;
  const current = account === context.settings.account && !shadowed;
  return Promise.all(
    loginsOf(record).map((login) => rowOf(context, account, login, store, current && login === record.login)),
  );
};

/** A row for the credential of the environment, which takes precedence over stored logins. */
const shadowRow = async (context: CommandContext): Promise<Row | undefined> => {
  const { session, settings } = context;
  const identity = await session.identity();
  if (!identity || ['keychain', 'file', 'memory'].includes(identity.source)) return undefined;
  let user: string | null = null;
  let state: State;
  try {
    user = (await context.call('profiles.me')).username;
    state = 'valid';
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code === 'CANCELLED') throw error;
    state = /^(NETWORK|DAEMON_.*)$/.test(error.code) ? 'unreachable' : 'refused';
  }
  return {
    context: contextOf(settings.account),
    user,
    tenant: identity.tenant,
    active: true,
    valid: isGood(state),
    state,
    flow: identity.flow,
    token_source: identity.source,
    expires_at: null,
    refreshable: identity.refreshable,
  };
};

export const status = command({
  name: 'status',
  summary: 'Show all logins and whether the service accepts them',
  operations: ['profiles.me'],
  run: async (context) => {
    const shadow = await shadowRow(context);
    const accounts = await context.credentials.accounts();
    const stored = await Promise.all(accounts.map((account) => rowsOf(context, account, shadow !== undefined)));
    const rows = [...(shadow ? [shadow] : []), ...stored.flat()];
    const active = rows.find((row) => row.active);
    // An error would leave stdout empty. If other contexts have logins, the list and the exit code show the missing
    // login instead.
    if (rows.length === 0) throw new CliFailure('AUTH_REQUIRED', 'you are not logged in', { hint: 'actorctl login' });
    context.output.rows(rows, view);
    return active?.valid ? 0 : 4;
  },
});
