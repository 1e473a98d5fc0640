// Renaming a context: neither a keychain that refuses nor a crash separates the name from its login.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RenameInput, renameContext } from '../../../src/commands/contexts/rename-context.ts';
import { CliFailure } from '../../../src/failure.ts';
import type { AccountRecord } from '../../../src/local/credentials/account-record.ts';

const entry = { base_url: 'https://far.example' };
const record: AccountRecord = { client: { id: 'c', secret: 's' } };

let folder: string;
let contextsFile: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'actorctl-rename-'));
  contextsFile = path.join(folder, 'contexts.json');
  writeFileSync(contextsFile, JSON.stringify({ current: 'far', contexts: { far: entry } }), { mode: 0o600 });
});
afterEach(() => rmSync(folder, { recursive: true }));

const contexts = (): unknown => JSON.parse(readFileSync(contextsFile, 'utf8'));

/** Stores logins in memory. `seen` is called before each change, with the contexts of that moment. */
const inputOf = (seen: (change: string, contexts: unknown) => void, kept = new Map([['context/far', record]])) => {
  const input: RenameInput = {
    paths: { contextsFile },
    signal: new AbortController().signal,
    credentials: {
      read: async (account) => {
        const found = kept.get(account);
        return found && { store: 'keychain', record: found };
      },
      write: async (account, value, choice) => {
        seen(`write ${account} ${choice}`, contexts());
        kept.set(account, value);
        return { store: 'keychain' };
      },
      remove: async (account) => {
        seen(`remove ${account}`, contexts());
        kept.delete(account);
      },
    },
  };
  return { input, kept };
};

describe('renaming a context', () => {
  it('keeps both names until the login is stored, and removes the old login last', async () => {
    const steps: unknown[] = [];
    const { input, kept } = inputOf((...step) => steps.push(step));
    const renamed = { current: 'near', contexts: { near: entry } };
    expect(await renameContext(input, 'far', 'near')).toEqual(renamed);
    expect(steps).toEqual([
      ['write context/near keychain', { current: 'far', contexts: { far: entry, near: entry } }],
      ['remove context/far', renamed],
    ]);
    expect([...kept]).toEqual([['context/near', record]]);
  });

  it('changes nothing if the login cannot be stored', async () => {
    const refused = new CliFailure('AUTH_FAILED', 'cannot use the keychain');
    const { input, kept } = inputOf(() => {
      throw refused;
    });
    const before = contexts();
    await expect(renameContext(input, 'far', 'near')).rejects.toBe(refused);
    expect(contexts()).toEqual(before);
    expect([...kept]).toEqual([['context/far', record]]);
  });

  it('says why the login could not be stored, even if the contexts cannot be written any more', async () => {
    const refused = new CliFailure('AUTH_FAILED', 'cannot use the keychain');
    const { input, kept } = inputOf(() => {
      writeFileSync(contextsFile, 'broken');
      throw refused;
    });
    await expect(renameContext(input, 'far', 'near')).rejects.toBe(refused);
    expect([...kept]).toEqual([['context/far', record]]);
  });

  it.each([
    ['a name that is taken', 'far', 'far', 'ALREADY_EXISTS'],
    ['a name that does not exist', 'other', 'near', 'NOT_FOUND'],
    ['the daemon of this machine', 'local', 'near', 'USAGE'],
    ['to the name of that daemon', 'far', 'local', 'ALREADY_EXISTS'],
  ])('refuses %s', async (_, name, to, code) => {
    const { input } = inputOf(() => undefined);
    const before = contexts();
    await expect(renameContext(input, name, to)).rejects.toMatchObject({ code });
    expect(contexts()).toEqual(before);
  });
});
