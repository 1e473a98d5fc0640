// A home at a daemon that several files of a worker share. Each has a tenant of its own with the admin `dev`, and a
// folder of its own, so no file sees resources of another. For files whose subject is neither the daemon nor the login:
// wrong passwords count for all callers of a daemon, and a lost client is replaced by one of the first tenant.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { NO_ENGINE } from '../daemon/daemon.ts';
import { ADMIN, type Home, homeIn, inProcessHome } from '../daemon/home.ts';
import { call } from '../service/call.ts';

/** A home whose daemon continues after its removal. The test file must not stop the daemon. */
export type SharedHome = Pick<Home, 'folder' | 'env' | 'cli' | 'start' | 'json' | 'remove'> & {
  readonly baseUrl: string;
  /** Its tenant. Basic credentials need it before the name of a user: `TENANT/NAME`. */
  readonly tenant: string;
};

/** Ports at which the command line listens during a login. */
const CALLBACKS = [8731, 8732, 8733, 8734, 8735].map((port) => `http://127.0.0.1:${port}/callback`);

const startDaemon = async (): Promise<{ readonly daemonHome: Home; readonly baseUrl: string }> => {
  const kept = process.env['ACTORCTL_TEST_KEPT'];
  if (kept === undefined) throw new Error('the global setup has not run');
  const daemonHome = inProcessHome(NO_ENGINE);
  // The end of the whole run stops the daemon: a worker does not know which file is its last one.
  writeFileSync(join(kept, 'homes', basename(daemonHome.folder)), daemonHome.folder);
  const { baseUrl } = await daemonHome.up();
  return { daemonHome, baseUrl };
};

let daemon: ReturnType<typeof startDaemon> | undefined;
let made = 0;

/** Creates a tenant at the daemon of this worker, and logs in as its admin. The first call starts the daemon. */
export const sharedHome = async (env: NodeJS.ProcessEnv = {}): Promise<SharedHome> => {
  // A start that failed does not fail the other files of the worker.
  daemon ??= startDaemon().catch((error: unknown) => {
    daemon = undefined;
    throw error;
  });
  const { daemonHome, baseUrl } = await daemon;
  made += 1;
  const tenant = `T${made}`;
  const { username, password } = ADMIN;
  await daemonHome.json('tenants', 'create', tenant);
  const created = await daemonHome.cli(
    ['users', 'create', username, '--tenant', tenant, '--role', 'admin', '--password-stdin'],
    { input: password },
  );
  if (created.code !== 0) throw new Error(`no admin: ${created.stderr}`);
  const basic = Buffer.from(`${tenant}/${username}:${password}`).toString('base64');
  const { status, text, result } = await call(baseUrl, 'POST', '/clients/v2', {
    json: { clientName: 'actorctl-cli', callbackUrl: CALLBACKS.join(',') },
    headers: { authorization: `Basic ${basic}` },
  });
  if (status !== 200) throw new Error(`no client: ${status} ${text}`);

  const folder = mkdtempSync(join(tmpdir(), 'actorctl-shared-'));
  for (const part of ['state', 'data']) symlinkSync(join(daemonHome.folder, part), join(folder, part));
  mkdirSync(join(folder, 'config'), { mode: 0o700 });
  const client = { id: String(result['consumerKey']), secret: String(result['consumerSecret']) };
  const document = { version: 1, accounts: { 'local/default': { store: 'file', record: { client } } } };
  const credentials = join(folder, 'config', 'credentials.json');
  writeFileSync(credentials, JSON.stringify(document), { mode: 0o600 });
  const { cli, start, json, env: whole } = homeIn(folder, env);
  const entered = await cli(['login', '--username', username, '--password-stdin'], { input: password });
  if (entered.code !== 0) throw new Error(`no login: ${entered.stderr}`);

  return {
    folder,
    env: whole,
    baseUrl,
    tenant,
    cli,
    start,
    json,
    async remove() {
      const actors = await json<readonly { readonly id: string }[]>('actors', 'list', '--all');
      if (actors.length > 0) await json('actors', 'delete', ...actors.map(({ id }) => id), '--force', '--yes');
      const left = JSON.parse(readFileSync(credentials, 'utf8')) as typeof document;
      rmSync(folder, { recursive: true, force: true });
      if (left.accounts['local/default']?.record.client.id !== client.id)
        throw new Error('this file has lost the client of its tenant, so it needs a daemon of its own');
    },
  };
};
