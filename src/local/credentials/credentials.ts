// Where credentials are kept: the keychain if it works, else a file that is ours alone. One entry per account.
import * as z from 'zod/mini';
import { CliFailure } from '../../failure.ts';
import { readSecretJson, writePrivate } from '../files.ts';
import { withLock } from '../lock.ts';
import type { StoreChoice } from '../settings.ts';
import { type AccountRecord, accountRecord } from './account-record.ts';
import { shortDigest } from './crypto.ts';
import type { Keychain } from './keychain.ts';

const document = z.object({
  version: z.literal(1),
  /** Why the keychain is passed over, once it has failed. */
  keychainRefused: z.optional(z.string()),
  accounts: z.record(
    z.string(),
    z.union([
      z.object({ store: z.literal('file'), record: accountRecord }),
      z.object({ store: z.literal('keychain') }),
    ]),
  ),
});

type Document = z.output<typeof document>;

export type StoreKind = Exclude<StoreChoice, 'auto'>;

/** What was found. */
export interface Found {
  readonly store: StoreKind;
  readonly record: AccountRecord;
}

/** What became of a write. */
export interface Stored {
  readonly store: StoreKind;
  /** Set when the keychain was wanted and has just been given up: why. To be said in one line. */
  readonly downgraded?: string;
}

export interface CredentialStore {
  /** Names of the accounts of which something is kept. */
  readonly accounts: () => Promise<readonly string[]>;
  /** @throws CliFailure AUTH_REQUIRED when the keychain that holds the account does not answer */
  readonly read: (account: string) => Promise<Found | undefined>;
  /**
   * @param choice where to; otherwise where the account is already, or else as the settings say
   * @throws CliFailure AUTH_FAILED when the keychain was demanded and cannot be used
   */
  readonly write: (account: string, value: AccountRecord, choice?: StoreChoice) => Promise<Stored>;
  /** Removes the account from wherever it is. */
  readonly remove: (account: string) => Promise<void>;
}

export interface CredentialsInput {
  /** Path of the credentials file. */
  readonly file: string;
  readonly keychain: Keychain;
  readonly choice: StoreChoice;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const EMPTY: Document = { version: 1, accounts: {} };

/** Why the keychain must not even be asked, or undefined. */
const gate = ({ platform, env }: CredentialsInput): string | undefined =>
  platform === 'linux' && !env['DBUS_SESSION_BUS_ADDRESS'] ? 'there is no D-Bus session' : undefined;

/** Makes the store. Touches nothing until it is asked. @see cli.md R7, R30, auth.md R161 */
export const createCredentials = (input: CredentialsInput): CredentialStore => {
  const { file, keychain } = input;
  const memory = new Map<string, AccountRecord>();
  // The keychain is one for all of a user's ACTORCTL_HOMEs; the digest keeps them apart.
  const entryName = (account: string): string => `${shortDigest(file, 8)}/${account}`;

  const load = async (): Promise<Document> => {
    const value = await readSecretJson(file);
    if (value === undefined) return EMPTY;
    const parsed = document.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new CliFailure('USAGE', `${file} is damaged`, { hint: 'move it away and run: actorctl login' });
  };
  const change = (edit: (before: Document) => Document): Promise<void> =>
    withLock(`${file}.lock`, async () => writePrivate(file, `${JSON.stringify(edit(await load()), null, 2)}\n`));
  const put = (account: string, entry: Document['accounts'][string], keychainRefused?: string): Promise<void> =>
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
    accounts: async () => [...new Set([...Object.keys((await load()).accounts), ...memory.keys()])],

    read: async (account) => {
      const kept = memory.get(account);
      if (kept) return { store: 'memory', record: kept };
      const { accounts } = await load();
      const entry = Object.hasOwn(accounts, account) ? accounts[account] : undefined;
      if (!entry) return undefined;
      if (entry.store === 'file') return { store: 'file', record: entry.record };
      const reply = await keychain.ask({ operation: 'get', account: entryName(account) });
      if (!reply.ok) {
        throw new CliFailure('AUTH_REQUIRED', `the keychain that holds the login cannot be used: ${reply.reason}`, {
          hint: 'actorctl login --store file',
        });
      }
      if (reply.secret === null) return undefined;
      const parsed = accountRecord.safeParse(JSON.parse(reply.secret));
      return parsed.success ? { store: 'keychain', record: parsed.data } : undefined;
    },

    write: async (account, value, choice) => {
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
        throw new CliFailure('AUTH_FAILED', `the keychain cannot be used: ${reason}`, { hint: 'use --store file' });
      }
      await put(account, { store: 'file', record: value }, reason);
      return { store: 'file', downgraded: reason };
    },

    remove: async (account) => {
      memory.delete(account);
      const { accounts } = await load();
      const entry = Object.hasOwn(accounts, account) ? accounts[account] : undefined;
      if (!entry) return;
      if (entry.store === 'keychain') await keychain.ask({ operation: 'delete', account: entryName(account) });
      await change(({ accounts: { [account]: _gone, ...rest }, ...before }) => ({ ...before, accounts: rest }));
    },
  };
};
