// Stores credentials, one entry per account, in the keychain if it works, else in a private file.
import { CliFailure } from '../../failure.ts';
import { type OnBlank, readSecretJson } from '../json-file.ts';
import type { StoreChoice } from '../settings/settings.ts';
import { type AccountRecord, isAccountRecord, isFields } from './account-record.ts';
import { shortDigest } from './crypto.ts';
import type { Keychain } from './keychain.ts';

type Entry = { readonly store: 'file'; readonly record: AccountRecord } | { readonly store: 'keychain' };

interface Document {
  readonly version: 1;
  /** Why the keychain is no longer used: the reason of its first failure. */
  readonly keychainRefused?: string;
  readonly accounts: Readonly<Record<string, Entry>>;
}

const isEntry = (value: unknown): value is Entry =>
  isFields(value) && (value['store'] === 'keychain' || (value['store'] === 'file' && isAccountRecord(value['record'])));

const isDocument = (value: unknown): value is Document =>
  isFields(value) &&
  value['version'] === 1 &&
  (value['keychainRefused'] === undefined || typeof value['keychainRefused'] === 'string') &&
  isFields(value['accounts']) &&
  Object.values(value['accounts']).every(isEntry);

export type StoreKind = Exclude<StoreChoice, 'auto'>;

export interface Found {
  readonly store: StoreKind;
  readonly record: AccountRecord;
}

export type CredentialStore = ReturnType<typeof createCredentials>;

export interface CredentialsInput {
  readonly onBlank?: OnBlank;
  /** Called when the file is used because the keychain failed, once for each file. @param reason for the user */
  readonly onFallback?: (reason: string) => void;
  readonly file: string;
  readonly keychain: Keychain;
  readonly choice: StoreChoice;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts a wait for the lock of the file. */
  readonly signal: AbortSignal;
}

const EMPTY: Document = { version: 1, accounts: {} };

/** Why the keychain must not be called. Undefined if it may be called. */
const gate = ({ platform, env }: CredentialsInput): string | undefined =>
  platform === 'linux' && !env['DBUS_SESSION_BUS_ADDRESS'] ? 'there is no D-Bus session' : undefined;

/** The record in a keychain entry. Undefined if the entry is damaged; then the user must log in again. */
const recordOf = (secret: string): AccountRecord | undefined => {
  try {
    const value: unknown = JSON.parse(secret);
    return isAccountRecord(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

/**
 * Creates the store. Reads no file and no keychain until a method is called. @see docs/cli.md#where-logins-are-stored, docs/conformance/security.md R161
 */
export const createCredentials = (input: CredentialsInput) => {
  const { file, keychain, signal } = input;
  const memory = new Map<string, AccountRecord>();
  // All home folders (ACTORCTL_HOME) of a user share one keychain, so the name of an entry includes a digest of the
  // folder.
  const entryName = (account: string): string => `${shortDigest(file, 8)}/${account}`;

  const load = async (): Promise<Document> => {
    const value = await readSecretJson(file, input.onBlank);
    if (value === undefined) return EMPTY;
    if (isDocument(value)) return value;
    throw new CliFailure('USAGE', `${file} is damaged`, { hint: 'move it away and run: actorctl login' });
  };
  const change = async (edit: (before: Document) => Document): Promise<void> => {
    // The module is loaded on demand, because most commands only read credentials.
    const [{ writePrivate }, { WRITE_GRACE_MS, withLock }] = await Promise.all([
      import('../files.ts'),
      import('../lock/with-lock.ts'),
    ]);
    await withLock(`${file}.lock`, async () => writePrivate(file, `${JSON.stringify(edit(await load()), null, 2)}\n`), {
      signal,
      graceMs: WRITE_GRACE_MS,
    });
  };
  const put = (account: string, entry: Entry, keychainRefused?: string): Promise<void> =>
    change((before) => ({
      ...before,
      ...(keychainRefused !== undefined && { keychainRefused }),
      accounts: { ...before.accounts, [account]: entry },
    }));

  const intoKeychain = async (account: string, value: AccountRecord): Promise<string | undefined> => {
    const reply = await keychain.ask({ operation: 'set', account: entryName(account), secret: JSON.stringify(value) });
    if (!reply.ok) return reply.reason;
    await change(({ keychainRefused: _forgotten, ...before }) => ({
      ...before,
      accounts: { ...before.accounts, [account]: { store: 'keychain' } },
    }));
    return undefined;
  };

  return {
    accounts: async (): Promise<readonly string[]> => [
      ...new Set([...Object.keys((await load()).accounts), ...memory.keys()]),
    ],

    /** @throws CliFailure AUTH_REQUIRED if the account is in the keychain and the keychain does not respond */
    read: async (account: string): Promise<Found | undefined> => {
      const kept = memory.get(account);
      if (kept) return { store: 'memory', record: kept };
      const { accounts } = await load();
      const entry = Object.hasOwn(accounts, account) ? accounts[account] : undefined;
      if (!entry) return undefined;
      if (entry.store === 'file') return { store: 'file', record: entry.record };
      const reply = await keychain.ask({ operation: 'get', account: entryName(account) });
      if (!reply.ok) {
        throw new CliFailure('AUTH_REQUIRED', `cannot read the login from the keychain: ${reply.reason}`, {
          hint: 'actorctl login --store file',
        });
      }
      if (reply.secret === null) return undefined;
      const entered = recordOf(reply.secret);
      return entered && { store: 'keychain', record: entered };
    },

    /**
     * Writes the account to the store `choice`, or fails. Without `choice`, writes to the store that already has the
     * account, else to the store from the settings.
     */
    write: async (account: string, value: AccountRecord, choice?: StoreChoice): Promise<Pick<Found, 'store'>> => {
      const { accounts, keychainRefused } = await load();
      const present = Object.hasOwn(accounts, account) ? accounts[account]?.store : undefined;
      const wanted = choice ?? (memory.has(account) ? 'memory' : (present ?? input.choice));
      if (wanted === 'memory') {
        memory.set(account, value);
        return { store: 'memory' };
      }
      if (wanted === 'file') {
        await put(account, { store: 'file', record: value });
        return { store: 'file' };
      }
      if (wanted === 'auto' && keychainRefused !== undefined) {
        await put(account, { store: 'file', record: value });
        return { store: 'file' };
      }
      const reason = (wanted === 'auto' ? gate(input) : undefined) ?? (await intoKeychain(account, value));
      if (reason === undefined) return { store: 'keychain' };
      if (choice === 'keychain') {
        throw new CliFailure('AUTH_FAILED', `cannot use the keychain: ${reason}`, { hint: 'use --store file' });
      }
      await put(account, { store: 'file', record: value }, reason);
      input.onFallback?.(reason);
      return { store: 'file' };
    },

    /**
     * Removes the account from every store. @throws CliFailure AUTH_FAILED if the keychain refuses; the account
     * then stays stored
     */
    remove: async (account: string): Promise<void> => {
      memory.delete(account);
      const { accounts } = await load();
      const entry = Object.hasOwn(accounts, account) ? accounts[account] : undefined;
      if (!entry) return;
      if (entry.store === 'keychain') {
        const reply = await keychain.ask({ operation: 'delete', account: entryName(account) });
        if (!reply.ok) {
          throw new CliFailure('AUTH_FAILED', `cannot remove the login from the keychain: ${reply.reason}`, {
            hint: 'unlock the keychain and run this command again',
          });
        }
      }
      await change(({ accounts: { [account]: _gone, ...rest }, ...before }) => ({ ...before, accounts: rest }));
    },
  };
};
