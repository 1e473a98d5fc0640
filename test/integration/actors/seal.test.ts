// The seal of secret configs, its key file, and crashes during a key rotation.
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configsOf } from '../../../daemon/actors/configs/injection.ts';
import { keyRotation } from '../../../daemon/actors/configs/rotation.ts';
import type { ConfigRecord, NonceRecord } from '../../../daemon/domain/records/resource-records.ts';
import type { Logger } from '../../../daemon/ports/logger.ts';
import type { Seal } from '../../../daemon/ports/seal.ts';
import type { Store } from '../../../daemon/ports/store.ts';
import { openStore } from '../../../daemon/store/store.ts';
import { createClock } from '../../../daemon/vault/clock.ts';
import { openSeal } from '../../../daemon/vault/seal.ts';
import { replaceFile } from '../../../src/local/atomic-file.ts';
import { executionRecord } from '../../support/service/records.ts';

const quiet: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
const OWNER = { tenant: 'DEV', name: 'db' };

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'actorctl-seal-'));
  file = join(folder, 'config-key.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const replace = (path: string, text: string) => replaceFile(path, (append) => append(text));
const open = (inUse = false) => openSeal({ file, replace, inUse });

describe('a seal', () => {
  it('R130 opens only for the same tenant and name, and never gives the same text twice', async () => {
    const seal = await open();
    const sealed = seal.seal('"hunter2"', OWNER);
    expect(seal.open(sealed, OWNER)).toBe('"hunter2"');
    expect(sealed).not.toContain('hunter2');
    expect(new Set(Array.from({ length: 500 }, () => seal.seal('x', OWNER))).size).toBe(500);
    expect(() => seal.open(sealed, { ...OWNER, tenant: 'OTHER' })).toThrow(/modified/);
    expect(() => seal.open(sealed, { ...OWNER, name: 'other' })).toThrow(/modified/);
    expect(() => seal.open(sealed, { ...OWNER, kind: 'nonce' })).toThrow(/secret of the nonce .* was modified/);
    expect((await open(true)).open(sealed, OWNER)).toBe('"hunter2"');
  });
  it.each([0, 11, 12, 20, -1])('R130 with byte %d changed does not open', async (at) => {
    const seal = await open();
    const [kind, version, id, body = ''] = seal.seal('"hunter2"', OWNER).split(':');
    const bytes = Buffer.from(body, 'base64url');
    const index = at < 0 ? bytes.length + at : at;
    bytes[index] = (bytes[index] ?? 0) ^ 1;
    const changed = [kind, version, id, bytes.toString('base64url')].join(':');
    expect(() => seal.open(changed, OWNER)).toThrow(/modified/);
  });
  it.each(['', 'sealed:v1:', 'sealed:v1:0123456789abcdef:AAAA', '"hunter2"'])('%j does not open', async (text) => {
    const seal = await open();
    expect(() => seal.open(text, OWNER)).toThrow(/cannot be decrypted/);
  });
  it('R130 R140 has its key in a separate file that only its owner can read', async () => {
    await open();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ version: 1, keys: [{ id: expect.any(String) }] });
  });
});

describe('an unavailable key', () => {
  const expectLocked = (seal: Seal, words: RegExp): void => {
    expect(seal.locked).toMatch(words);
    expect(() => seal.seal('x', OWNER)).toThrow(/^Secret configs are locked/);
    expect(() => seal.seal('x', { ...OWNER, kind: 'nonce' })).toThrow(/^Nonces of this listener are locked/);
    expect(() => seal.open('sealed:v1:0123456789abcdef:AAAA', OWNER)).toThrow(words);
  };
  it('makes the existing secrets unreadable, and no new key is created silently', async () => {
    expectLocked(await open(true), /missing/);
    expect(existsSync(file)).toBe(false);
  });
  it('R140 is refused if other users can read its file', async () => {
    await open();
    chmodSync(file, 0o640);
    expectLocked(await open(), /chmod 600/);
  });
  it('is refused if its file is a symbolic link', async () => {
    await open();
    const link = join(folder, 'link');
    symlinkSync(file, link);
    expectLocked(await openSeal({ file: link, replace, inUse: true }), /link/);
  });
  it.each(['', '{}', '{"version":1,"keys":[]}', '{"version":1,"keys":[{"id":"0123456789abcdef","key":"short"}]}'])(
    'is refused, unchanged and unquoted, if the file holds %j',
    async (content) => {
      writeFileSync(file, content, { mode: 0o600 });
      expectLocked(await open(), /does not contain valid keys/);
      expect(readFileSync(file, 'utf8')).toBe(content);
    },
  );
});

describe('a key rotation', () => {
  const config = (name: string, value: string, isSecret: boolean): ConfigRecord => ({
    tenant: 'DEV',
    name,
    value,
    isSecret,
    actors: '',
    revision: 1,
    owner: 'ana',
    permissions: {},
    createdAt: 1,
    updatedAt: 1,
  });
  const filledStore = async (): Promise<{ store: Store; seal: Seal }> => {
    const store = await openStore({ folder: join(folder, 'data'), clock: createClock({ floor: 0 }), logger: quiet });
    const seal = await open();
    await store.transact((tx) => {
      for (const name of ['a', 'b', 'c']) {
        tx.put('configs', config(name, seal.seal(`"${name}"`, { tenant: 'DEV', name }), true));
      }
      tx.put('configs', config('open', '1', false));
    });
    return { store, seal };
  };
  const values = (store: Store, seal: Seal) =>
    [...store.all('configs')].map((each) => (each.isSecret ? seal.open(each.value, each) : each.value));

  it('seals the secrets that a running execution received again', async () => {
    const { store, seal } = await filledStore();
    const { seal: sealFor, open: openFor } = configsOf({ store, seal });
    const owner = { id: 'e1', tenant: 'DEV' };
    const secrets = sealFor(owner, ['"received"']);
    await store.transact((tx) => tx.put('executions', executionRecord('e1', { status: 'RUNNING', secrets })));
    expect(await keyRotation({ store, seal, logger: quiet }).rotate()).toBe(3);
    const resealed = store.get('executions', 'e1')?.secrets ?? '';
    expect(resealed).not.toBe(secrets);
    expect(openFor(owner, resealed)).toEqual(['"received"']);
    expect(() => openFor({ ...owner, id: 'e2' }, resealed)).toThrow('secrets of the execution "e2"');
    await store.close();
  });

  it('R130 seals every secret again, deletes the old key, and changes no other field', async () => {
    const { store, seal } = await filledStore();
    const before = [...store.all('configs')];
    const keys = readFileSync(file, 'utf8');
    expect(await keyRotation({ store, seal, logger: quiet }).rotate()).toBe(3);
    expect(values(store, seal)).toEqual(['"a"', '"b"', '"c"', '1']);
    expect([...store.all('configs')].map(({ value: _, ...rest }) => rest)).toEqual(
      before.map(({ value: _, ...rest }) => rest),
    );
    const old = JSON.parse(keys) as { keys: { key: string }[] };
    expect(readFileSync(file, 'utf8')).not.toContain(old.keys[0]?.key);
    expect(values(store, await open(true))).toEqual(['"a"', '"b"', '"c"', '1']);
    for (const each of before.filter(({ isSecret }) => isSecret)) {
      expect(() => seal.open(each.value, each)).toThrow(/does not contain the key/);
    }
    await store.close();
  });
  it('R130 interrupted at any point leaves every secret readable, and the next start completes it', async () => {
    const { store, seal } = await filledStore();
    for (const cut of [0, 1, 2, 3]) {
      let left = cut;
      const dying: Store = {
        ...store,
        transact: (decide) => {
          if (left === 0) return Promise.reject(new Error('killed'));
          left -= 1;
          return store.transact(decide);
        },
      };
      await expect(keyRotation({ store: dying, seal, logger: quiet }).rotate()).rejects.toThrow('killed');
      const next = await open(true);
      expect(values(store, next)).toEqual(['"a"', '"b"', '"c"', '1']);
      expect(next.hasOldKeys()).toBe(true);
      await keyRotation({ store, seal: next, logger: quiet }).resume();
      expect(next.hasOldKeys()).toBe(false);
      expect(values(store, next)).toEqual(['"a"', '"b"', '"c"', '1']);
      // The killed process does not know the new state. The test replaces its seal with the reopened one.
      Object.assign(seal, next);
    }
    await store.close();
  });
  it('R130 also seals secrets that were sealed just before and are not yet on disk', async () => {
    const { store, seal } = await filledStore();
    const owner = { tenant: 'DEV', name: 'late' };
    let late: Promise<void> | undefined;
    const busy: Seal = {
      ...seal,
      addKey: async () => {
        const text = seal.seal('"late"', owner);
        await seal.addKey();
        late = store.transact((tx) => tx.put('configs', config('late', text, true)));
      },
    };
    expect(await keyRotation({ store, seal: busy, logger: quiet }).rotate()).toBe(4);
    await late;
    expect(values(store, await open(true))).toEqual(['"a"', '"b"', '"c"', '1', '"late"']);
    await store.close();
  });
  it('requested twice at once runs twice, one after the other', async () => {
    const { store, seal } = await filledStore();
    const rotation = keyRotation({ store, seal, logger: quiet });
    expect(await Promise.all([rotation.rotate(), rotation.rotate()])).toEqual([3, 3]);
    expect(values(store, await open(true))).toEqual(['"a"', '"b"', '"c"', '1']);
    await store.close();
  });
  it('R130 seals the secrets of nonces again, and drops one that cannot be opened', async () => {
    const { store, seal } = await filledStore();
    const nonce = (id: string): NonceRecord => ({
      ...{ id, hash: id, tenant: 'DEV', owner: 'ana', roles: [], level: 'READ', actorId: 'A1', maxUses: -1 },
      ...{ currentUses: 0, description: '', createdAt: 1 },
    });
    const owner = { kind: 'nonce', tenant: 'DEV', name: 'DEV_n' } as const;
    const plain = { ...nonce('DEV_plain') };
    const before = { ...nonce('DEV_n'), sealed: seal.seal('secret', owner) };
    await store.transact((tx) => {
      for (const each of [plain, before, { ...nonce('DEV_bad'), sealed: 'sealed:v1:0123456789abcdef:AAAA' }])
        tx.put('nonces', each);
    });
    expect(await keyRotation({ store, seal, logger: quiet }).rotate()).toBe(4);
    const after = store.get('nonces', 'DEV_n');
    expect(after).toEqual({ ...before, sealed: expect.not.stringContaining(before.sealed) });
    expect((await open(true)).open(after?.sealed ?? '', owner)).toBe('secret');
    expect([store.get('nonces', 'DEV_plain'), store.get('nonces', 'DEV_bad')]).toEqual([plain, nonce('DEV_bad')]);
    await store.close();
  });
  it('keeps the old key while one secret cannot be opened', async () => {
    const { store, seal } = await filledStore();
    await store.transact((tx) => tx.put('configs', config('bad', 'sealed:v1:0123456789abcdef:AAAA', true)));
    await expect(keyRotation({ store, seal, logger: quiet }).rotate()).rejects.toThrow(/"bad" cannot be decrypted/);
    expect(seal.hasOldKeys()).toBe(true);
    await store.close();
  });
});
