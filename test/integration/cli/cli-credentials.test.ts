// Where credentials are kept: files that are ours alone, and a keychain that may hang, on a real D-Bus socket that never answers.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliFailure } from '../../../src/failure.ts';
import type { AccountRecord } from '../../../src/local/credentials/account-record.ts';
import { type CredentialsInput, createCredentials } from '../../../src/local/credentials/credentials.ts';
import { createKeychain } from '../../../src/local/credentials/keychain.ts';
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

const store = (change: Partial<CredentialsInput> = {}, env: NodeJS.ProcessEnv = {}) =>
  createCredentials({
    file: file(),
    keychain: createKeychain({
      helper: { file: process.execPath, args: [program, '__keychain'] },
      env: { PATH: process.env['PATH'], HOME: folder, ...env },
    }),
    choice: 'file',
    platform: process.platform,
    env,
    ...change,
  });

const failure = async (work: Promise<unknown>): Promise<CliFailure> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof CliFailure) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

describe('the credentials file', () => {
  it('R140 R161 is 0600 in a 0700 folder, and replaced whole', async () => {
    await store().write('local/default', record);
    expect(lstatSync(file()).mode & 0o777).toBe(0o600);
    expect(lstatSync(path.dirname(file())).mode & 0o777).toBe(0o700);
    const inode = lstatSync(file()).ino;
    await store().write('local/two', record);
    expect(lstatSync(file()).ino).not.toBe(inode);
    expect(readdirSync(path.dirname(file()))).toEqual(['credentials.json']);
    expect(await store().read('local/default')).toEqual({ store: 'file', record });
  });

  it('keeps accounts apart and forgets only the one that is removed', async () => {
    await store().write('a', record);
    await store().write('b', { client: { id: 'other', secret: 's' } });
    await store().remove('a');
    expect(await store().read('a')).toBeUndefined();
    expect((await store().read('b'))?.record.client?.id).toBe('other');
  });

  it('survives writers at the same time', async () => {
    await Promise.all(Array.from({ length: 12 }, (_, index) => store().write(`account-${index}`, record)));
    for (let index = 0; index < 12; index += 1) expect(await store().read(`account-${index}`)).toBeDefined();
  });

  it('R142 R161 is not followed when it is a link', async () => {
    await store().write('a', record);
    const elsewhere = path.join(folder, 'elsewhere');
    writeFileSync(elsewhere, readFileSync(file()), { mode: 0o600 });
    rmSync(file());
    symlinkSync(elsewhere, file());
    expect((await failure(store().read('a'))).message).toContain('it is a symbolic link');
  });

  it('is not read when others may read it, and says what to do', async () => {
    await store().write('a', record);
    chmodSync(file(), 0o640);
    const { message, extras } = await failure(store().read('a'));
    expect(message).toContain('other users may read it');
    expect(extras.hint).toBe(`chmod 600 ${file()}`);
  });

  it('that is damaged is named and left alone', async () => {
    await store().write('a', record);
    writeFileSync(file(), '{"version":1', { mode: 0o600 });
    expect((await failure(store().write('a', record))).message).toContain('credentials.json');
    expect(readFileSync(file(), 'utf8')).toBe('{"version":1');
  });

  it('is not touched by the memory store', async () => {
    const memory = store({ choice: 'memory' });
    await memory.write('a', record);
    expect(await memory.read('a')).toEqual({ store: 'memory', record });
    expect(existsSync(file())).toBe(false);
  });
});

describe('the keychain', () => {
  it('is not even asked on Linux without a D-Bus session', async () => {
    const stored = await store({ choice: 'auto', platform: 'linux' }).write('a', record);
    expect(stored).toEqual({ store: 'file', downgraded: 'there is no D-Bus session' });
  });

  it('that never answers is given up after 3 s, for the file, and not tried again', { timeout: 20_000 }, async () => {
    bus = await silentBus(folder);
    const env = { DBUS_SESSION_BUS_ADDRESS: bus.address };
    const stored = await store({ choice: 'auto', platform: 'linux' }, env).write('a', record);
    expect(stored.store).toBe('file');
    expect(stored.downgraded).not.toBe('');
    const asked = bus.visits();
    expect(await store({ choice: 'auto', platform: 'linux' }, env).write('b', record)).toEqual({ store: 'file' });
    expect(await store({ choice: 'auto', platform: 'linux' }, env).read('a')).toEqual({ store: 'file', record });
    expect(bus.visits()).toBe(asked);
  });

  it('that was demanded and does not answer is an error', { timeout: 20_000 }, async () => {
    bus = await silentBus(folder);
    const env = { DBUS_SESSION_BUS_ADDRESS: bus.address };
    const refused = await failure(store({ platform: 'linux' }, env).write('a', record, 'keychain'));
    expect(refused.code).toBe('AUTH_FAILED');
    expect(refused.extras.hint).toBe('use --store file');
    expect(existsSync(file())).toBe(false);
  });

  it('whose helper cannot be started is answered for', async () => {
    const keychain = createKeychain({ helper: { file: path.join(folder, 'none'), args: [] }, env: {} });
    expect(await keychain.ask({ operation: 'get', account: 'a' })).toMatchObject({ ok: false });
  });

  it('whose helper says nothing is answered for', async () => {
    const keychain = createKeychain({ helper: { file: process.execPath, args: ['-e', 'process.exit(3)'] }, env: {} });
    expect(await keychain.ask({ operation: 'get', account: 'a' })).toEqual({
      ok: false,
      reason: 'its helper ended with 3',
    });
  });

  it('whose helper hangs is killed for good', async () => {
    const keychain = createKeychain({
      helper: { file: process.execPath, args: ['-e', 'process.on("SIGTERM", () => {}); console.log(); for (;;);'] },
      env: {},
      limitMs: 300,
    });
    expect(await keychain.ask({ operation: 'get', account: 'a' })).toEqual({
      ok: false,
      reason: 'it did not answer within 0.3 s',
    });
  });

  it('R144 is told secrets through a pipe, never by argv', async () => {
    const spy =
      'let t="";process.stdin.on("data",d=>t+=d).on("end",()=>console.log(JSON.stringify({ok:true,secret:JSON.stringify({argv:process.argv,stdin:t})})))';
    const keychain = createKeychain({ helper: { file: process.execPath, args: ['-e', spy] }, env: {} });
    const reply = await keychain.ask({ operation: 'set', account: 'a', secret: 'the-secret' });
    const seen = JSON.parse(reply.ok ? (reply.secret ?? '') : '{}') as { argv: string[]; stdin: string };
    expect(seen.argv.join(' ')).not.toContain('the-secret');
    expect(JSON.parse(seen.stdin)).toEqual({
      operation: 'set',
      service: 'actorctl',
      account: 'a',
      secret: 'the-secret',
    });
  });
});
