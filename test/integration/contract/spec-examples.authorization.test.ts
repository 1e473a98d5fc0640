// Sections 4.1 and 4.2 of the interface specification: every request as printed, every field of its response.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserless, locationOf } from '../../support/browser/browserless.ts';
import { sendPrinted, type Values } from '../../support/contract/printed-request.ts';
import { CALLBACK, callbackClient, codeFor, type TestClient } from '../../support/service/authorize-calls.ts';
import { ADMIN_PASSWORD, type Platform, startPlatform } from '../../support/service/platform.ts';
import { textOf } from '../../support/service/token-calls.ts';

let platform: Platform;
let client: TestClient;
let values: Values;
const send = (printed: string, more: Values = {}) => sendPrinted(platform.baseUrl, printed, { ...values, ...more });
const FORM = 'Content-Type: application/x-www-form-urlencoded';
const BASIC = 'Authorization: Basic <BASIC>';

const PASSWORD_GRANT = `POST {auth_url}/token
  ${BASIC}
  ${FORM}

  grant_type=password&username=<USERNAME>&password=<PASSWORD>&scope=PRODUCTION`;

beforeAll(async () => {
  platform = await startPlatform();
  client = await callbackClient(platform);
  values = {
    CLIENT_ID: client.id,
    CLIENT_SECRET: client.secret,
    BASIC: client.header.authorization.slice('Basic '.length),
    REDIRECT_URI: encodeURIComponent(CALLBACK),
    USERNAME: 'admin',
    PASSWORD: encodeURIComponent(ADMIN_PASSWORD),
  };
});
afterAll(() => platform.close());

/** Every response also has `scope` (RFC 6749 5.1), and a refresh response has a refresh token, as the text permits. */
const token = { access_token: expect.any(String), token_type: 'bearer', expires_in: 14_400, scope: 'PRODUCTION' };
const refreshable = { ...token, refresh_token: expect.any(String) };

describe('4.1 GET {auth_url}/authorize', () => {
  const path = '/authorize?client_id=<CLIENT_ID>&redirect_uri=<REDIRECT_URI>&scope=PRODUCTION&state=<STATE>';
  const decide = async (query: string, decision: 'approve' | 'deny') => {
    const browser = browserless(platform.baseUrl);
    const filled = `${path}&${query}`
      .replace('<CLIENT_ID>', client.id)
      .replace('<REDIRECT_URI>', encodeURIComponent(CALLBACK))
      .replace('<STATE>', 'xyz');
    const page = await browser.login(filled, 'admin', ADMIN_PASSWORD);
    const { origin, pathname, search, hash } = locationOf(await browser.decide(page, decision));
    expect(origin + pathname).toBe(CALLBACK);
    return {
      query: Object.fromEntries(new URLSearchParams(search)),
      fragment: Object.fromEntries(new URLSearchParams(hash.slice(1))),
    };
  };
  const denied = { error: 'access_denied', error_description: expect.any(String), state: 'xyz' };

  // `iss` is an addition (RFC 9207).
  it('response_type=code, approved: code and state in the query', async () => {
    expect(await decide('response_type=code', 'approve')).toEqual({
      query: { code: expect.any(String), state: 'xyz', iss: platform.baseUrl },
      fragment: {},
    });
  });

  it('response_type=code, denied: error and state in the query', async () => {
    expect(await decide('response_type=code', 'deny')).toEqual({
      query: { ...denied, iss: platform.baseUrl },
      fragment: {},
    });
  });

  // The text says query string, the example shows the fragment.
  it('response_type=token with show_dialog=true, approved: the token after #, as in the example', async () => {
    expect(await decide('response_type=token&show_dialog=true', 'approve')).toEqual({
      query: {},
      fragment: {
        access_token: expect.any(String),
        token_type: 'bearer',
        expires_in: '3600',
        state: 'xyz',
        iss: platform.baseUrl,
      },
    });
  });

  it('response_type=token with show_dialog=true, denied: error and state in the query', async () => {
    const { query } = await decide('response_type=token&show_dialog=true', 'deny');
    expect(query).toEqual({ ...denied, iss: platform.baseUrl });
  });
});

describe('4.1 POST {auth_url}/token', () => {
  it('authorization code exchange, with the client in the form', async () => {
    const answer = await send(
      `POST {auth_url}/token
      ${FORM}

      grant_type=authorization_code&code=<CODE>&client_id=<CLIENT_ID>&client_secret=<CLIENT_SECRET>&redirect_uri=<REDIRECT_URI>`,
      { CODE: await codeFor(platform, client) },
    );
    expect([answer.status, answer.json]).toEqual([200, refreshable]);
  });

  it('password', async () => {
    const answer = await send(PASSWORD_GRANT);
    expect([answer.status, answer.json]).toEqual([200, refreshable]);
  });

  it.each([
    ['refresh (authorization code flow)', 'grant_type=refresh_token&refresh_token=<REFRESH_TOKEN>'],
    ['refresh (password flow)', 'grant_type=refresh_token&refresh_token=<REFRESH_TOKEN>&scope=PRODUCTION'],
  ])('%s', async (_, body) => {
    const first = await send(PASSWORD_GRANT);
    const answer = await send(`POST {auth_url}/token\n${BASIC}\n${FORM}\n\n${body}`, {
      REFRESH_TOKEN: textOf(first, 'refresh_token'),
    });
    expect([answer.status, answer.json]).toEqual([200, { ...token, refresh_token: textOf(first, 'refresh_token') }]);
  });

  it.each(['grant_type=client_credentials', 'grant_type=client_credentials&scope=PRODUCTION'])('%s', async (body) => {
    const answer = await send(`POST {auth_url}/token\n${BASIC}\n${FORM}\n\n${body}`);
    expect([answer.status, answer.json]).toEqual([200, token]);
  });
});

describe('4.2 GET {base_url}/profiles/v2/me', () => {
  const shape1 = {
    create_time: expect.stringMatching(/^\d{14}Z$/),
    email: '',
    first_name: '',
    full_name: 'admin',
    last_name: '',
    mobile_phone: '',
    phone: '',
    status: 'Active',
    uid: 1,
    username: 'admin',
  };
  const empty = ['email', 'firstName', 'lastName', 'position', 'institution', 'phone', 'fax', 'researchArea']
    .concat(['department', 'city', 'state', 'country', 'gender'])
    .map((name) => [name, '']);
  const profile = () => ({
    ...Object.fromEntries(empty),
    _links: {
      self: { href: `${platform.baseUrl}/profiles/v2/admin` },
      users: { href: `${platform.baseUrl}/profiles/v2` },
    },
    ...shape1,
  });
  const me = async (query: string) =>
    send(`GET {base_url}/profiles/v2/me${query}\nAuthorization: Bearer <ACCESS_TOKEN>`, {
      ACCESS_TOKEN: textOf(await send(PASSWORD_GRANT), 'access_token'),
    });

  it.each(['', '?pretty=true'])('%s: the fields of both shapes in the envelope', async (query) => {
    const { status, json } = await me(query);
    expect(status).toBe(200);
    expect(json).toEqual({ message: expect.any(String), result: profile(), status: 'success', version: '1.9.1' });
  });

  it.each(['?naked', '?naked=true', '?pretty=true&naked=true'])(
    '%s: the fields of both shapes alone',
    async (query) => {
      const { status, json } = await me(query);
      expect([status, json]).toEqual([200, profile()]);
    },
  );
});

describe('5 and 7: what is refused', () => {
  it('a redirect_uri that differs in a trailing slash is not valid, and nothing is redirected', async () => {
    const { status, headers } = await send(
      'GET {auth_url}/authorize?response_type=code&client_id=<CLIENT_ID>&redirect_uri=<REDIRECT_URI>%2F',
    );
    expect([status, headers.location]).toEqual([400, undefined]);
  });

  it('a scope other than PRODUCTION does not exist', async () => {
    const answer = await send(`POST {auth_url}/token\n${BASIC}\n${FORM}\n\ngrant_type=client_credentials&scope=OTHER`);
    expect([answer.status, answer.json]).toMatchObject([400, { error: 'invalid_scope' }]);
  });

  it('a request without a token', async () => {
    expect((await send('GET {base_url}/profiles/v2/me')).status).toBe(401);
  });
});
