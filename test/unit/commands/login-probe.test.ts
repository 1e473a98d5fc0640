// What the pages of the authorization endpoint mean for the client of actorctl before a browser is opened.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readTarget } from '../../../daemon/domain/oauth/authorization-request.ts';
import type { ClientRecord } from '../../../daemon/domain/records/account-records.ts';
import { errorPage } from '../../../daemon/oauth/pages/error.ts';
import { createSession, type SessionInput } from '../../../src/client/session.ts';
import { type BrowserLogin, prepare } from '../../../src/commands/login/login-browser.ts';
import type { CommandContext } from '../../../src/context.ts';
import type { AccountRecord } from '../../../src/local/credentials/account-record.ts';

const URI = 'http://127.0.0.1:8731/callback';

let folder: string;
let record: AccountRecord;
/** How often the daemon was asked for a client. */
let made: number;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'actorctl-probe-'));
  record = { client: { id: 'old', secret: 'old' } };
  made = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Shown {
  readonly status: number;
  readonly html: string;
}
const login: Shown = { status: 200, html: '' };

/** Prepares a login at a service that shows these pages: to the client that is stored, and to a new one. */
const attempt = (old: Shown, renewed: Shown = old) => {
  const session = createSession({
    settings: { account: 'local/default' },
    credentials: {
      read: async () => ({ store: 'file', record }),
      write: async (_account: string, value: AccountRecord) => {
        record = value;
        return { store: 'file' };
      },
    },
    makeClient: async () => {
      made += 1;
      return { id: 'new', secret: 'new' };
    },
    lockFile: path.join(folder, 'lock'),
    signal: new AbortController().signal,
  } as unknown as SessionInput);
  const transport: CommandContext['transport'] = async (_origin, { path: asked, query }) => {
    const page = query?.['client_id'] === 'old' ? old : renewed;
    const { status, html } = asked === '/authorize' ? page : { status: 404, html: '' };
    return { status, headers: {}, body: Readable.from([Buffer.from(html)]) } as never;
  };
  const context = { session, transport, authOrigin: async () => 'http://127.0.0.1:8722' };
  const wanted = { flow: 'authorization_code', showDialog: false } as unknown as BrowserLogin;
  return prepare(context as unknown as CommandContext, wanted, URI);
};

/** The page that the daemon shows for a request that names no valid client or redirect URI. */
const refusal = (client: ClientRecord | undefined) => {
  try {
    readTarget({ client_id: 'old', redirect_uri: URI }, () => client);
    throw new Error('the request is valid');
  } catch (error) {
    const { message } = error as Error;
    return errorPage({ status: 400, title: 'This request cannot be processed', text: message, requestId: 'r' });
  }
};

const unregistered = () => refusal({ redirectUris: [] } as unknown as ClientRecord);
const mismatch = (client: string) => ({
  code: 'REDIRECT_URI_MISMATCH',
  message: `${URI} is not registered for client ${client}`,
  extras: { hint: expect.stringContaining('register it') },
});

it('a client that the service does not know is created again', async () => {
  expect(await attempt(refusal(undefined), login)).toMatchObject({ client: { id: 'new' } });
  expect([made, record.client]).toEqual([1, { id: 'new', secret: 'new' }]);
});

it('a redirect URI that is not registered keeps the client, and the error lists the addresses to register', async () => {
  await expect(attempt(unregistered(), login)).rejects.toMatchObject(mismatch('old'));
  expect([made, record.client]).toEqual([0, { id: 'old', secret: 'old' }]);
});

it('the error of a recreated client lists the redirect URIs too', async () => {
  await expect(attempt(refusal(undefined), unregistered())).rejects.toMatchObject(mismatch('new'));
  expect(made).toBe(1);
});

it.each([
  [421, 'This is not the address of the platform'],
  [500, 'Something went wrong'],
  [503, 'The platform is not available now'],
])('a page with status %i keeps the client', async (status, title) => {
  const failure = attempt(errorPage({ status, title, text: 'Try again later.', requestId: 'r' }), login);
  await expect(failure).rejects.toMatchObject({ code: 'AUTH_FAILED', message: expect.stringContaining(title) });
  expect(made).toBe(0);
});
