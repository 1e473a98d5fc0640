// The rules of an authorization request, one by one, and the redirect with the response.
import { describe, expect, it, vi } from 'vitest';
import {
  type AuthorizationParameters,
  isImplicit,
  readRequest,
  readTarget,
  stateOf,
} from '../../../daemon/domain/oauth/authorization-request.ts';
import {
  codeLocation,
  refusalLocation,
  requestLocation,
  tokenLocation,
} from '../../../daemon/domain/oauth/authorization-response.ts';
import type { ClientRecord } from '../../../daemon/domain/records/account-records.ts';

const client: ClientRecord = {
  id: 'client1',
  tenant: 'DEV',
  owner: 'ana',
  name: 'app',
  description: '',
  tier: '',
  secretHash: 'x',
  redirectUris: ['https://app.example/cb', 'http://127.0.0.1:8731/callback'],
  grants: ['authorization_code', 'implicit'],
  createdAt: 0,
};
const find = (id: string) => (id === client.id ? client : undefined);
const right = { client_id: 'client1', redirect_uri: 'https://app.example/cb', response_type: 'code' };
const S256 = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' };

describe('an error that is shown on a page, because the redirect address is not verified', () => {
  it.each<[string, AuthorizationParameters, string]>([
    ['R07 no client', { ...right, client_id: '' }, 'does not contain a client_id'],
    ['R07 two clients', { ...right, client_id: ['client1', 'client1'] }, 'more than one client_id'],
    ['R07 an unknown client', { ...right, client_id: 'CLIENT1' }, 'No client is registered'],
    ['R37 a client named like a property', { ...right, client_id: '__proto__' }, 'No client is registered'],
    ['R05 C7 no redirect URI', { client_id: 'client1', response_type: 'code' }, 'does not contain a redirect_uri'],
    [
      'R07 two redirect URIs',
      { ...right, redirect_uri: [right.redirect_uri, right.redirect_uri] },
      'more than one redirect_uri',
    ],
  ])('%s', (_, asked, message) => {
    expect(() => readTarget(asked, find)).toThrow(
      expect.objectContaining({ code: 'VALIDATION', message: expect.stringContaining(message) }),
    );
  });

  it('no client is looked up for a request that names none', () => {
    const looked = vi.fn(find);
    expect(() => readTarget({}, looked)).toThrow();
    expect(looked).not.toHaveBeenCalled();
  });

  it.each([
    'https://app.example/CB',
    'https://APP.example/cb',
    'HTTPS://app.example/cb',
    'https://app.example/cb/',
    'https://app.example/cb?',
    'https://app.example/cb#',
    'https://app.example/cb?x=1',
    'https://app.example:443/cb',
    'https://user@app.example/cb',
    'https://app.example/%63b',
    'https://app.example/./cb',
    'https://app.example//cb',
    'https://app.example.evil/cb',
    'https://app.example/cb\u0000',
    'https://app.example/cb\r\nX: y',
    ' https://app.example/cb',
    'https://app.example/cb,http://127.0.0.1:8731/callback',
    'http://127.0.0.1:9999/callback',
    'http://localhost:8731/callback',
    'http://127.0.0.1/callback',
  ])('R02 R03 C6 refuses the redirect URI %j, which is similar to a registered one', (redirect_uri) => {
    expect(() => readTarget({ ...right, redirect_uri }, find)).toThrow('not registered');
  });

  it('R02 accepts the registered URI unchanged', () => {
    for (const redirect_uri of client.redirectUris) {
      expect(readTarget({ ...right, redirect_uri }, find)).toEqual({ client, redirectUri: redirect_uri });
    }
  });
});

describe('an error that is reported to the client', () => {
  const read = (changes: AuthorizationParameters, of: Partial<ClientRecord> = {}) => {
    const asker = { ...client, ...of };
    const read = readRequest({ ...right, ...changes }, { client: asker, redirectUri: right.redirect_uri });
    return 'error' in read ? read.error : read;
  };

  it.each<[string, AuthorizationParameters, string, Partial<ClientRecord>?]>([
    ['R08 no response type', { response_type: '' }, 'invalid_request'],
    ['R08 an unknown response type', { response_type: 'id_token' }, 'unsupported_response_type'],
    ['R08 a response type in capitals', { response_type: 'Code' }, 'unsupported_response_type'],
    ['R08 two response types in one', { response_type: 'code token' }, 'unsupported_response_type'],
    ['R37 a response type named like a property', { response_type: 'constructor' }, 'unsupported_response_type'],
    ['R30 a flow that the client does not have', {}, 'unauthorized_client', { grants: ['implicit'] }],
    [
      'R30 the other flow that the client does not have',
      { response_type: 'token' },
      'unauthorized_client',
      { grants: ['authorization_code'] },
    ],
    ['C8 another scope', { scope: 'production' }, 'invalid_scope'],
    ['C8 more than the scope', { scope: 'PRODUCTION other' }, 'invalid_scope'],
    ['R27 no scope for a token', { response_type: 'token' }, 'invalid_scope'],
    ['R01 a scope twice', { scope: ['PRODUCTION', 'PRODUCTION'] }, 'invalid_request'],
    ['R01 a state twice', { state: ['a', 'b'] }, 'invalid_request'],
    ['R01 anything twice', { whatever: ['a', 'b'] }, 'invalid_request'],
    ['R62 plain', { ...S256, code_challenge_method: 'plain' }, 'invalid_request'],
    ['R62 plain by default', { code_challenge: S256.code_challenge }, 'invalid_request'],
    ['R63 an unknown method', { ...S256, code_challenge_method: 's256' }, 'invalid_request'],
    ['R63 a method alone', { code_challenge_method: 'S256' }, 'invalid_request'],
    ['R63 a short challenge', { ...S256, code_challenge: 'c'.repeat(42) }, 'invalid_request'],
    ['R63 a long challenge', { ...S256, code_challenge: 'c'.repeat(44) }, 'invalid_request'],
    ['R63 a challenge outside of the alphabet', { ...S256, code_challenge: `${'c'.repeat(42)}=` }, 'invalid_request'],
    ['C18 a public client without a challenge', {}, 'invalid_request', { secretHash: '' }],
  ])('%s', (_, changes, error, of) => {
    expect(read(changes, of)).toBe(error);
  });

  it.each<[AuthorizationParameters, string, Partial<ClientRecord>?]>([
    [{ whatever: ['a', 'b'] }, 'more than once'],
    [{ response_type: '' }, 'response_type is missing'],
    [{ response_type: 'id_token' }, 'response_type must be code or token'],
    [{}, 'not registered for this flow', { grants: [] }],
    [{ scope: 'all' }, 'scope must be PRODUCTION'],
    [{ code_challenge_method: 'S256' }, 'no code_challenge'],
    [{ ...S256, code_challenge_method: 'plain' }, 'code_challenge_method must be S256'],
    [{ ...S256, code_challenge: 'short' }, '43 characters'],
    [{}, 'must send a code_challenge', { secretHash: '' }],
  ])('the refusal of %j says "%s"', (changes, description, of = {}) => {
    const target = { client: { ...client, ...of }, redirectUri: right.redirect_uri };
    expect(readRequest({ ...right, ...changes }, target)).toMatchObject({
      description: expect.stringContaining(description),
    });
  });

  it.each<[string, AuthorizationParameters]>([
    ['a public client with a challenge', S256],
    ['a public client in the implicit flow', { response_type: 'token', scope: 'PRODUCTION' }],
    ['a bad challenge in the implicit flow', { response_type: 'token', scope: 'PRODUCTION', code_challenge: 'short' }],
  ])('%s is accepted', (_, changes) => {
    expect(read(changes, { secretHash: '' })).toMatchObject({ clientId: 'client1' });
  });

  it.each<[string, AuthorizationParameters, string | undefined, boolean]>([
    ['code', { response_type: 'code', state: 'x' }, 'x', false],
    ['token', { response_type: 'token', state: 'x' }, 'x', true],
    ['none, with two states', { state: ['a', 'b'] }, undefined, false],
  ])('an invalid request still reports its state and flow: %s', (_, asked, state, implicit) => {
    expect([stateOf(asked), isImplicit(asked)]).toEqual([state, implicit]);
  });

  it('R01 an empty parameter counts as absent, and an unknown one is ignored', () => {
    const plain = {
      clientId: 'client1',
      redirectUri: right.redirect_uri,
      flow: 'code',
      scope: 'PRODUCTION',
      alwaysAsk: false,
      isRenewable: false,
    };
    const asked = { scope: '', state: '', show_dialog: '', code_challenge: '', 'a[b]': 'x', __proto: 'y' };
    expect(read(asked)).toStrictEqual(plain);
  });

  it('R28 show_dialog is either true or false', () => {
    for (const [value, alwaysAsk] of [
      ['true', true],
      ['TRUE', true],
      ['1', true],
      ['false', false],
      ['0', false],
      ['banana', false],
      ['10', false],
      ['untrue', false],
    ] as const) {
      expect(read({ show_dialog: value })).toMatchObject({ alwaysAsk });
    }
  });

  it('a request keeps its state and challenge, the challenge only in the code flow', () => {
    expect(read({ ...S256, state: ' \u0000x' })).toMatchObject({ state: ' \u0000x', challenge: S256.code_challenge });
    expect(read({ ...S256, response_type: 'token', scope: 'PRODUCTION' })).not.toHaveProperty('challenge');
  });
});

describe('the redirect with the response', () => {
  const issuer = 'http://127.0.0.1:8722';
  const reply = (redirectUri: string, state?: string) => ({ redirectUri, state, issuer });
  const iss = 'iss=http%3A%2F%2F127.0.0.1%3A8722';

  it.each([
    ['https://a.example/cb', 'https://a.example/cb?code=c'],
    ['https://a.example/cb?x=1&y=%20', 'https://a.example/cb?x=1&y=%20&code=c'],
    ['https://a.example/cb?', 'https://a.example/cb?code=c'],
    ['https://a.example/cb?x=1&', 'https://a.example/cb?x=1&code=c'],
    ['com.example.app:/cb', 'com.example.app:/cb?code=c'],
  ])('R11 R13 R14 has the code for %s', (uri, expected) => {
    expect(codeLocation(reply(uri), 'c')).toBe(`${expected}&${iss}`);
  });

  it('R09 R20 R25 returns any state unchanged, and a state cannot add parameters', () => {
    const state = '+&=#% \r\nSet-Cookie: a=b\u0000ü✓"<>';
    const query = new URL(codeLocation(reply('https://a.example/cb', state), 'c')).searchParams;
    expect(query.get('state')).toBe(state);
    const location = tokenLocation(reply('https://a.example/cb', state), { access_token: 't', expires_in: 1 });
    expect(location).toMatch(/^[\x21-\x7e]+$/);
    const fragment = new URLSearchParams(new URL(location).hash.slice(1));
    expect(Object.fromEntries(fragment)).toEqual({ access_token: 't', expires_in: '1', state, iss: issuer });
  });

  it('C4 R15 has a denial in the query, and in the implicit flow also in the fragment, in ASCII', () => {
    const refusal = { error: 'access_denied', description: 'nö "\\' } as const;
    const expected = `error=access_denied&error_description=n%3F%20%3F%3F&${iss}`;
    expect(refusalLocation(reply('https://a.example/cb'), refusal, false)).toBe(`https://a.example/cb?${expected}`);
    expect(refusalLocation(reply('https://a.example/cb'), refusal, true)).toBe(
      `https://a.example/cb?${expected}#${expected}`,
    );
  });

  it('R18 the address that leads back to a request gives the same request', () => {
    const target = { client, redirectUri: right.redirect_uri };
    for (const asked of [
      { ...right, ...S256, state: '+&=#% ü' },
      { ...right, response_type: 'token', scope: 'PRODUCTION', show_dialog: '1' },
    ]) {
      const request = readRequest(asked, target);
      if ('error' in request) throw new Error(request.error);
      expect(requestLocation(request)).toMatch(/^\/authorize\?response_type=/);
      const again = Object.fromEntries(new URL(requestLocation(request), issuer).searchParams);
      expect(readRequest(again, target)).toEqual(request);
    }
  });
});

it('R18 the address of a request without a challenge names no challenge method', () => {
  const request = readRequest(right, { client, redirectUri: right.redirect_uri });
  if ('error' in request) throw new Error(request.error);
  expect(requestLocation(request)).not.toContain('challenge');
});
