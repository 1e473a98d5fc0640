// The state of the authorization service survives a stop and a kill of the built daemon.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserless, sentTo } from '../../support/browser/browserless.ts';
import { type BuiltDaemon, builtDaemon } from '../../support/daemon/daemon.ts';
import { ADMIN } from '../../support/daemon/home.ts';
import { type Answer, call } from '../../support/service/call.ts';
import { basic } from '../../support/service/platform.ts';

const CALLBACK = 'https://app.example/callback';
interface Client {
  readonly id: string;
  readonly secret: string;
}
type Form = Readonly<Record<string, string>>;
type Tokens = Readonly<Record<'access_token' | 'refresh_token', string>>;

let daemon: BuiltDaemon;
beforeAll(async () => {
  daemon = builtDaemon({ engine: 'none' });
  await daemon.start();
  await daemon.admit();
});
afterAll(() => daemon.remove());

/**
 * Sends SIGKILL directly after the last response, and starts again: only data that was durable before the response
 * survives.
 */
const restartHard = async () => {
  await daemon.kill();
  await daemon.start();
};

let made = 0;
const makeClient = async (): Promise<Client> => {
  made += 1;
  const json = { clientName: `client-${made}`, callbackUrl: CALLBACK };
  const { status, text, result } = await daemon.ask('POST', '/clients/v2', { json });
  if (status !== 201 && status !== 200) throw new Error(`no client: ${status} ${text}`);
  return { id: String(result['consumerKey']), secret: String(result['consumerSecret']) };
};

const post = (path: string, { id, secret }: Client, form: Form): Promise<Answer> =>
  call(daemon.baseUrl(), 'POST', path, { form, headers: { authorization: basic(id, secret) } });
const tokensOf = ({ status, text, json }: Answer): Tokens => {
  if (status !== 200) throw new Error(`no tokens: ${status} ${text}`);
  return json as Tokens;
};

const authorizePath = ({ id }: Client, more: Form = {}): string =>
  `/authorize?${new URLSearchParams({ response_type: 'code', client_id: id, redirect_uri: CALLBACK, ...more })}`;
const consentOf = async (client: Client, more: Form = {}, { username, password }: Form = ADMIN) => {
  const browser = browserless(daemon.baseUrl());
  return { browser, page: await browser.login(authorizePath(client, more), username ?? '', password ?? '') };
};
const codeFor = async (client: Client, as: Form = ADMIN): Promise<string> => {
  const { browser, page } = await consentOf(client, {}, as);
  return sentTo(await browser.decide(page, 'approve')).query.get('code') ?? '';
};
const redeem = (client: Client, code: string) =>
  post('/token', client, { grant_type: 'authorization_code', code, redirect_uri: CALLBACK });
const refresh = (client: Client, { refresh_token }: Tokens) =>
  post('/token', client, { grant_type: 'refresh_token', refresh_token });
const me = async ({ access_token }: Pick<Tokens, 'access_token'>, flag = ''): Promise<number> => {
  const headers = { authorization: `Bearer ${access_token}` };
  return (await call(daemon.baseUrl(), 'GET', `/profiles/v2/me${flag}`, { headers })).status;
};
const errorOf = ({ status, json }: Answer) => [status, (json as { error?: string }).error];
const INVALID_GRANT = [400, 'invalid_grant'];
/** What a restart must not change: the first function prepares it, and returns the one that checks it. */
const kept: readonly (readonly [title: string, prepare: () => Promise<() => Promise<void>>])[] = [
  [
    'R66 tokens and refresh tokens are unchanged',
    async () => {
      const client = await makeClient();
      const tokens = tokensOf(await redeem(client, await codeFor(client)));
      return async () => {
        expect(await me(tokens)).toBe(200);
        const next = tokensOf(await refresh(client, tokens));
        expect(next.access_token).not.toBe(tokens.access_token);
        expect(await me(next)).toBe(200);
      };
    },
  ],
  [
    'R145 R51 R52 R53 a used code stays used, and its second use revokes the tokens of the first',
    async () => {
      const client = await makeClient();
      const code = await codeFor(client);
      const tokens = tokensOf(await redeem(client, code));
      return async () => {
        expect(errorOf(await redeem(client, code))).toEqual(INVALID_GRANT);
        expect(await me(tokens)).toBe(401);
        expect(errorOf(await refresh(client, tokens))).toEqual(INVALID_GRANT);
      };
    },
  ],
  [
    'R145 an unused code can be used once',
    async () => {
      const client = await makeClient();
      const code = await codeFor(client);
      return async () => {
        tokensOf(await redeem(client, code));
        expect(errorOf(await redeem(client, code))).toEqual(INVALID_GRANT);
      };
    },
  ],
  [
    'R145 R52 the tokens of a replayed code stay revoked',
    async () => {
      const client = await makeClient();
      const code = await codeFor(client);
      const attempts = await Promise.all(Array.from({ length: 64 }, () => redeem(client, code)));
      const winners = attempts.filter(({ status }) => status === 200);
      expect(winners).toHaveLength(1);
      return async () => {
        for (const winner of winners) {
          expect(await me(tokensOf(winner))).toBe(401);
          expect(errorOf(await refresh(client, tokensOf(winner)))).toEqual(INVALID_GRANT);
        }
      };
    },
  ],
  [
    'R145 R88 a revoked token stays revoked, with its grant',
    async () => {
      const client = await makeClient();
      const [first, second] = [
        tokensOf(await redeem(client, await codeFor(client))),
        tokensOf(await redeem(client, await codeFor(client))),
      ];
      expect((await post('/revoke', client, { token: first.access_token })).status).toBe(200);
      expect((await post('/revoke', client, { token: second.refresh_token })).status).toBe(200);
      return async () => {
        expect([await me(first), await me(second)]).toEqual([401, 401]);
        tokensOf(await refresh(client, first));
        expect(errorOf(await refresh(client, second))).toEqual(INVALID_GRANT);
        const { json } = await post('/introspect', client, { token: second.access_token });
        expect(json).toEqual({ active: false });
      };
    },
  ],
  [
    'R145 C10 a changed password stays changed, and the tokens of the old one stay revoked',
    async () => {
      const username = `user-${made}`;
      const json = { username, password: 'the old password' };
      expect((await daemon.ask('POST', '/users/v2', { json })).status).toBeLessThan(300);
      const client = await makeClient();
      const tokens = tokensOf(await redeem(client, await codeFor(client, json)));
      const unused = await codeFor(client, json);
      const changed = { ...json, password: 'the new password' };
      expect((await daemon.ask('PUT', `/users/v2/${username}`, { json: changed })).status).toBe(200);
      return async () => {
        expect(await me(tokens)).toBe(401);
        expect(errorOf(await refresh(client, tokens))).toEqual(INVALID_GRANT);
        expect(errorOf(await redeem(client, unused))).toEqual(INVALID_GRANT);
        const grant = { grant_type: 'password', scope: 'PRODUCTION', username };
        expect(errorOf(await post('/token', client, { ...grant, password: json.password }))).toEqual(INVALID_GRANT);
        tokensOf(await post('/token', client, { ...grant, password: changed.password }));
      };
    },
  ],
  [
    'R145 R84 a deleted client stays deleted, and a rotated secret stays rotated',
    async () => {
      const deleted = await makeClient();
      const name = `client-${made}`;
      const tokens = tokensOf(await redeem(deleted, await codeFor(deleted)));
      const rotated = await makeClient();
      const { status, result } = await daemon.ask('POST', `/clients/v2/client-${made}/secret`, {
        json: { grace: 600 },
      });
      expect(status).toBe(200);
      expect((await daemon.ask('DELETE', `/clients/v2/${name}`)).status).toBe(200);
      return async () => {
        expect(await me(tokens)).toBe(401);
        expect(errorOf(await refresh(deleted, tokens))).toEqual([401, 'invalid_client']);
        const form = { grant_type: 'client_credentials' };
        tokensOf(await post('/token', rotated, form));
        tokensOf(await post('/token', { ...rotated, secret: String(result['consumerSecret']) }, form));
      };
    },
  ],
  [
    'R95 browser sessions and an implicit approval remain valid, and open forms have ended',
    async () => {
      const client = await makeClient();
      const more = { response_type: 'token', scope: 'PRODUCTION' };
      const { browser, page } = await consentOf(client, more);
      const pending = await consentOf(client, more);
      const { access_token = '' } = Object.fromEntries(sentTo(await browser.decide(page, 'approve')).fragment);
      return async () => {
        expect(await me({ access_token })).toBe(200);
        const again = browserless(daemon.baseUrl());
        again.cookie = browser.cookie;
        expect(sentTo(await again.get(authorizePath(client, more))).fragment.get('token_type')).toBe('bearer');
        const lost = browserless(daemon.baseUrl());
        lost.cookie = pending.browser.cookie;
        const refused = await lost.decide(pending.page, 'approve');
        expect([refused.status, refused.headers.location]).toEqual([400, undefined]);
        const back = browserless(daemon.baseUrl());
        const answer = await back.login(authorizePath(client, more), ADMIN.username, ADMIN.password);
        expect(sentTo(answer).fragment.get('token_type')).toBe('bearer');
      };
    },
  ],
  [
    'R95 a browser session that ended by a logout or a new password stays ended',
    async () => {
      const client = await makeClient();
      const json = { username: `leaver-${made}`, password: 'a password to leave' };
      await daemon.ask('POST', '/users/v2', { json });
      const [out, changed] = [(await consentOf(client, {}, json)).browser, (await consentOf(client, {}, json)).browser];
      const cookies = [out.cookie, changed.cookie];
      expect((await out.post('/authorize/logout', {})).status).toBe(200);
      await daemon.ask('PUT', `/users/v2/${json.username}`, { json: { password: 'another password' } });
      return async () => {
        for (const cookie of cookies) {
          const { text } = await call(daemon.baseUrl(), 'GET', authorizePath(client), { headers: { cookie } });
          expect(text).toContain('/authorize/login');
        }
      };
    },
  ],
];

describe('after a kill -9', () => {
  // Each daemon is killed directly after its last response.
  it.each(kept)('%s', async (_, prepare) => {
    const check = await prepare();
    await restartHard();
    await check();
  });
});

describe('after an orderly stop', () => {
  const checks = new Map<string, () => Promise<void>>();
  beforeAll(async () => {
    for (const [title, prepare] of kept) checks.set(title, await prepare());
    await daemon.stop();
    await daemon.start();
  });

  it.each(kept)('%s', async (title) => {
    await checks.get(title)?.();
    expect(checks.delete(title)).toBe(true);
  });
});
