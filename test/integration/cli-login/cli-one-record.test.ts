// Changes of one stored account at the same time: each change holds the lock, so no change is lost.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClientCredentials, Grant } from '../../../src/client/grant.ts';
import { createSession, type Session } from '../../../src/client/session.ts';
import { bootstrap } from '../../../src/commands/daemon/bootstrap.ts';
import type { CommandContext } from '../../../src/context.ts';
import type { OwnerOperationId } from '../../../src/contract/operations.ts';
import { CliFailure } from '../../../src/failure.ts';
import type { AccountRecord, Login } from '../../../src/local/credentials/account-record.ts';
import { type CredentialStore, createCredentials } from '../../../src/local/credentials/credentials.ts';
import type { ManageStatus } from '../../../src/local/daemon/manage.ts';

let folder: string;
let credentials: CredentialStore;
let session: Session;
/** Clients that the daemon has created. Only the last one is valid. */
let made: number;
/** Runs while the daemon creates a client. */
let meanwhile: () => void;
/** The response of the token endpoint. */
let grantOf: Grant;

const settings = { account: 'local/default' };
const { signal } = new AbortController();
const login = (username: string): Login => ({
  username,
  tenant: null,
  flow: 'password',
  clientId: null,
  accessToken: `access of ${username}`,
  refreshToken: `refresh of ${username}`,
  expiresAt: 1,
});
const record = async (): Promise<AccountRecord | undefined> => (await credentials.read(settings.account))?.record;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'actorctl-record-'));
  made = 0;
  accepts = true;
  meanwhile = () => undefined;
  grantOf = async ({ secret }) => {
    if (secret === `secret ${made}`) return { access_token: 'renewed', token_type: 'bearer', expires_in: 60 };
    throw new CliFailure('AUTH_FAILED', 'refused', { details: { error: 'invalid_client' } });
  };
  const keychain = { ask: async () => ({ ok: false, reason: 'there is none' }) as const };
  const file = path.join(folder, 'credentials.json');
  credentials = createCredentials({ file, keychain, choice: 'file', platform: 'linux', env: {}, signal });
  session = createSession({
    settings,
    credentials,
    grant: (client, form) => grantOf(client, form),
    makeClient: async () => {
      meanwhile();
      await new Promise((resolve) => setTimeout(resolve, 100));
      made += 1;
      return { id: 'actorctl', secret: `secret ${made}` };
    },
    publicClient: async () => ({ id: 'actorctl-cli.DEV' }),
    readTokenFile: async () => '',
    lockFile: path.join(folder, 'session.lock'),
    clock: { now: () => 2, ask: async () => 2 },
    signal,
  });
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Whether the service accepts the stored tokens. */
let accepts: boolean;

/** Completes the first start of a daemon, or a start with other data. */
const start = (created: boolean, replaced = false): Promise<unknown> => {
  const manage = async (id: OwnerOperationId) => {
    if (id === 'daemon.bootstrap') return { created, username: 'dev', tenant: null };
    throw new Error('the session asks for the client');
  };
  const context = {
    session,
    credentials,
    settings: { ...settings, admin: { password: 'x' } },
    manage,
    output: { verbose: () => undefined },
    askAsClient: async (_path: string, client: ClientCredentials) => {
      await unlessOld(client);
      return JSON.stringify({ active: false });
    },
    transport: async () => ({ status: accepts ? 200 : 401, headers: {}, body: Readable.from([]) }),
  };
  const status = { bootstrapped: !created } as ManageStatus;
  return bootstrap({ ...context, prompt: { allowed: false } } as unknown as CommandContext, status, replaced);
};

it.each([
  ['a start', false, false],
  ['a first start', true, false],
  ['a start with other data', false, true],
])('%s keeps a login that is stored while it requests the client', async (_name, created, replaced) => {
  let stored: Promise<unknown> | undefined;
  meanwhile = () => {
    stored = session.change((before) => ({ ...before, login: login('ana') }));
  };
  await start(created, replaced);
  await stored;
  expect(await record()).toEqual({ client: { id: 'actorctl', secret: 'secret 1' }, login: login('ana') });
});

it.each([
  ['a first start', true, false],
  ['a start with data that have neither', false, true],
])('%s removes the previous client and logins', async (_name, created, replaced) => {
  accepts = false;
  grantOf = () => Promise.reject(new CliFailure('AUTH_FAILED', 'spent', { details: { error: 'invalid_grant' } }));
  await session.change(() => ({ client: { id: 'old', secret: 'old' }, login: login('dev'), others: [login('ana')] }));
  await start(created, replaced);
  expect(await record()).toEqual({ client: { id: 'actorctl', secret: 'secret 1' } });
});

it('a start with data that have the client and the logins keeps both', async () => {
  const before = { client: { id: 'actorctl', secret: 'known' }, login: login('dev'), others: [login('ana')] };
  await session.change(() => before);
  await start(false, true);
  expect(await record()).toEqual(before);
});

/** Refuses the client with the old secret. */
const unlessOld = async ({ secret }: ClientCredentials): Promise<void> => {
  if (secret === 'old') throw new CliFailure('AUTH_FAILED', 'refused', { details: { error: 'invalid_client' } });
};

it('a token renewal, a login and a start that replace the client run one after the other', async () => {
  await session.change(() => ({ client: { id: 'actorctl', secret: 'old' }, login: login('dev') }));
  let others: Promise<unknown> | undefined;
  meanwhile = () => {
    const put = ({ login: last = login('dev'), ...kept }: AccountRecord) => ({
      ...kept,
      login: login('ana'),
      others: [last],
    });
    others = Promise.all([session.change(put), session.withOwnClient(unlessOld), start(false)]);
  };
  expect(await session.token()).toBe('renewed');
  await others;
  expect(await record()).toMatchObject({
    client: { secret: 'secret 1' },
    login: { username: 'ana' },
    others: [{ accessToken: 'renewed' }],
  });
});

describe('a token that is refused after another user became current', () => {
  const client = { id: 'actorctl', secret: 'secret 0' };
  const lasting = (username: string): Login => ({ ...login(username), expiresAt: null });

  beforeEach(async () => {
    await session.change(() => ({ client, login: lasting('ana'), others: [lasting('dev')] }));
    expect(await session.token()).toBe('access of ana');
  });

  it('is renewed for its user, and the current user does not change', async () => {
    await session.change(() => ({ client, login: lasting('dev'), others: [lasting('ana')] }));
    expect(await session.renew('access of ana')).toBe('renewed');
    expect(await record()).toMatchObject({
      login: { username: 'dev', accessToken: 'access of dev' },
      others: [{ username: 'ana', accessToken: 'renewed', refreshToken: 'refresh of ana' }],
    });
  });

  it('is replaced by the token that another process got for its user', async () => {
    const newer = { ...lasting('ana'), accessToken: 'newer' };
    await session.change(() => ({ client, login: lasting('dev'), others: [newer] }));
    expect(await session.renew('access of ana')).toBe('newer');
  });

  it('is not replaced by a token of another user', async () => {
    await session.change(() => ({ client, login: lasting('dev') }));
    expect(await session.renew('access of ana')).toBeUndefined();
  });

  it('ends the login of its user only, if the service refuses the renewal', async () => {
    grantOf = () => Promise.reject(new CliFailure('AUTH_FAILED', 'spent', { details: { error: 'invalid_grant' } }));
    await session.change(() => ({ client, login: lasting('dev'), others: [lasting('ana')] }));
    expect(await session.renew('access of ana')).toBeUndefined();
    expect(await record()).toEqual({ client, login: lasting('dev') });
  });
});
