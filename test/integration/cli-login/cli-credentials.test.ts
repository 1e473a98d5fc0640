// Storage of credentials: a private file, and a keychain that may hang. The test uses a real D-Bus socket that never
// responds.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AccountRecord } from '../../../src/local/credentials/account-record.ts';
import { type CredentialsInput, createCredentials } from '../../../src/local/credentials/credentials.ts';
import { createKeychain, type Keychain } from '../../../src/local/credentials/keychain.ts';
import { withLock } from '../../../src/local/lock/with-lock.ts';
import { failureOf } from '../../support/daemon/cli-failure.ts';
import { type SilentBus, silentBus } from '../../support/daemon/silent-bus.ts';

const program = fileURLToPath(new URL('../../../dist/actorctl.cjs', import.meta.url));

let folder: string;
let bus: SilentBus | undefined;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'actorctl-credentials-'));
});

afterEach(async () => {
  await bus?.close();
  bus = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const record: AccountRecord = {
  client: { id: 'ck', secret: 'the-client-secret' },
  login: {
    username: 'dev',
    tenant: null,
    flow: 'password',
    clientId: 'ck',
    accessToken: 'the-access-token',
    refreshToken: 'the-refresh-token',
    expiresAt: 1,
  },
};

const file = () => path.join(folder, 'config', 'credentials.json');

const idle = new AbortController().signal;

const store = (change: Partial<CredentialsInput> = {}, env: NodeJS.ProcessEnv = {}) =>
  createCredentials({
    file: file(),
    keychain: createKeychain({
      helper: { file: process.execPath, args: [program, '__keychain'] },
      env: { PATH: process.env['PATH'], HOME: folder, ...env },
      signal: idle,
    }),
    choice: 'file',
    platform: process.platform,
    env,
    signal: idle,
    ...change,
  });

describe('the credentials file', () => {
  it('R140 R161 has mode 0600 in a folder of 0700, and is replaced as a whole', async () => {
    await store().write('local/default', record);
    expect(lstatSync(file()).mode & 0o777).toBe(0o600);
    expect(lstatSync(path.dirname(file())).mode & 0o777).toBe(0o700);
    const inode = lstatSync(file()).ino;
    await store().write('local/two', record);
    expect(lstatSync(file()).ino).not.toBe(inode);
    expect(readdirSync(path.dirname(file()))).toEqual(['credentials.json']);
    expect(await store().read('local/default')).toEqual({ store: 'file', record });
  });

  it('keeps accounts separate, and a removal deletes one account only', async () => {
    await store().write('a', record);
    await store().write('b', { client: { id: 'other', secret: 's' } });
    await store().remove('a');
    expect(await store().read('a')).toBeUndefined();
    expect((await store().read('b'))?.record.client?.id).toBe('other');
  });

  it('keeps all accounts of simultaneous writers', async () => {
    await Promise.all(Array.from({ length: 12 }, (_, index) => store().write(`account-${index}`, record)));
    for (let index = 0; index < 12; index += 1) expect(await store().read(`account-${index}`)).toBeDefined();
  });

  it('R142 R161 is refused if it is a symbolic link', async () => {
    await store().write('a', record);
    const elsewhere = path.join(folder, 'elsewhere');
    writeFileSync(elsewhere, readFileSync(file()), { mode: 0o600 });
    rmSync(file());
    symlinkSync(elsewhere, file());
    expect((await failureOf(store().read('a'))).message).toContain('it is a symbolic link');
  });

  it('is refused if other users can read it, and the error explains the fix', async () => {
    await store().write('a', record);
    chmodSync(file(), 0o640);
    const { message, extras } = await failureOf(store().read('a'));
    expect(message).toContain('other users may read it');
    expect(extras.hint).toBe(`chmod 600 ${file()}`);
  });

  it('that is damaged is named and left unchanged', async () => {
    await store().write('a', record);
    writeFileSync(file(), '{"version":1', { mode: 0o600 });
    expect((await failureOf(store().write('a', record))).message).toContain('credentials.json');
    expect(readFileSync(file(), 'utf8')).toBe('{"version":1');
  });

  it.each<[string, (at: string) => void, string]>([
    ['a FIFO', (at) => execFileSync('mkfifo', ['-m', '600', at]), 'it is not a regular file'],
    ['a folder', (at) => mkdirSync(at), 'it is a folder'],
    [
      'larger than 4 MiB',
      (at) => {
        writeFileSync(at, '', { mode: 0o600 });
        truncateSync(at, 4 * 1024 * 1024 + 1);
      },
      'it has more than 4 MiB',
    ],
  ])('that is %s is refused by name, without reading it', async (_name, make, reason) => {
    await store().write('a', record);
    rmSync(file());
    make(file());
    const { code, message, extras } = await failureOf(store().read('a'));
    expect({ code, message, hint: extras.hint }).toEqual({
      code: 'USAGE',
      message: `cannot read ${file()}: ${reason}`,
      hint: 'move it away',
    });
  });

  it('R161 that is damaged is not quoted in the error', async () => {
    await store().write('a', record);
    writeFileSync(file(), 'the-access-token', { mode: 0o600 });
    const { message, extras } = await failureOf(store().read('a'));
    expect(message).toBe(`${file()}:1:1: this is not a JSON value`);
    expect(extras.cause).toBeUndefined();
  });

  it('is not waited for after an interruption if another process holds its lock', async () => {
    await store().write('a', record);
    const interruption = new AbortController();
    await withLock(
      `${file()}.lock`,
      async () => {
        const written = failureOf(store({ signal: interruption.signal }).write('b', record));
        interruption.abort();
        expect((await written).code).toBe('CANCELLED');
      },
      { signal: idle },
    );
    expect(await store().accounts()).toEqual(['a']);
  });

  it('is not written by the memory store', async () => {
    const memory = store({ choice: 'memory' });
    await memory.write('a', record);
    expect(await memory.read('a')).toEqual({ store: 'memory', record });
    expect(existsSync(file())).toBe(false);
  });
});

describe('the keychain', () => {
  it('is not used on Linux without a D-Bus session', async () => {
    const reasons: string[] = [];
    const onFallback = (reason: string) => void reasons.push(reason);
    const write = (account: string) => store({ choice: 'auto', platform: 'linux', onFallback }).write(account, record);
    expect(await write('a')).toEqual({ store: 'file' });
    expect(await write('b')).toEqual({ store: 'file' });
    expect(reasons).toEqual(['there is no D-Bus session']);
  });

  it('that never responds is abandoned after 3 s in favour of the file, and not tried again', async () => {
    bus = await silentBus(folder);
    const env = { DBUS_SESSION_BUS_ADDRESS: bus.address };
    const reasons: string[] = [];
    const onFallback = (reason: string) => void reasons.push(reason);
    const stored = await store({ choice: 'auto', platform: 'linux', onFallback }, env).write('a', record);
    expect(stored.store).toBe('file');
    expect(reasons).toEqual([expect.stringMatching(/./)]);
    const asked = bus.visits();
    expect(await store({ choice: 'auto', platform: 'linux' }, env).write('b', record)).toEqual({ store: 'file' });
    expect(await store({ choice: 'auto', platform: 'linux' }, env).read('a')).toEqual({ store: 'file', record });
    expect(bus.visits()).toBe(asked);
  });

  it('that was requested but does not respond is an error', async () => {
    bus = await silentBus(folder);
    const env = { DBUS_SESSION_BUS_ADDRESS: bus.address };
    const refused = await failureOf(store({ platform: 'linux' }, env).write('a', record, 'keychain'));
    expect(refused.code).toBe('AUTH_FAILED');
    expect(refused.extras.hint).toBe('use --store file');
    expect(existsSync(file())).toBe(false);
  });

  it('that refuses to delete an entry keeps the account, so that it can be removed later', async () => {
    const entries = new Map<string, string>();
    let locked = true;
    const keychain: Keychain = {
      ask: async ({ operation, account, secret = '' }) => {
        if (operation === 'delete' && locked) return { ok: false, reason: 'it is locked' };
        if (operation === 'set') entries.set(account, secret);
        if (operation === 'delete') entries.delete(account);
        return { ok: true, secret: entries.get(account) ?? null };
      },
    };
    await store({ keychain }).write('a', record, 'keychain');
    const refused = await failureOf(store({ keychain }).remove('a'));
    expect(refused).toMatchObject({ code: 'AUTH_FAILED', message: expect.stringContaining('it is locked') });
    expect(await store({ keychain }).read('a')).toEqual({ store: 'keychain', record });
    locked = false;
    await store({ keychain }).remove('a');
    expect([await store().accounts(), entries.size]).toEqual([[], 0]);
  });

  it.each(['{"version":1', 'null', '{"login":{}}'])(
    'with the damaged entry %s counts as not logged in',
    async (secret) => {
      await store().write('a', record);
      writeFileSync(file(), JSON.stringify({ version: 1, accounts: { a: { store: 'keychain' } } }), { mode: 0o600 });
      const keychain = { ask: async () => ({ ok: true, secret }) as const };
      expect(await store({ keychain }).read('a')).toBeUndefined();
    },
  );
});
