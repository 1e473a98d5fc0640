// Authentication of a request: Authorization headers, tokens and passwords.
import { afterEach, describe, expect, it } from 'vitest';
import { joinKey } from '../../../daemon/domain/records/record-key.ts';
import { createAuthenticate, readAuthorization, splitBasic } from '../../../daemon/http/authenticate.ts';
import type { Caller } from '../../../daemon/http/route-handler.ts';
import { refusal, requestOf } from '../../support/service/bare-request.ts';

describe('an Authorization header', () => {
  const read = (authorization?: string) => refusal(() => readAuthorization(requestOf({ authorization })));
  const malformed = (why: string) => ({
    code: 'VALIDATION',
    message: `The Authorization header is malformed: ${why}.`,
    detail: { challenge: true },
  });

  it('has a scheme and credentials', () => {
    expect(read()).toBeUndefined();
    expect(read('BEARER  a b ')).toEqual({ scheme: 'bearer', value: 'a b' });
    expect(read(`Basic ${'x'.repeat(4_090)}`)).toEqual({ scheme: 'basic', value: 'x'.repeat(4_090) });
  });

  it('is refused if it is too long or has no credentials', () => {
    expect(read(`Basic ${'x'.repeat(4_091)}`)).toEqual(malformed('it is too long'));
    for (const header of ['', 'Bearer', 'Bearer  ']) expect(read(header)).toEqual(malformed('it has no credentials'));
  });

  it('of the scheme Basic is split at the first colon', () => {
    const split = (text: string | Uint8Array) => splitBasic(Buffer.from(text).toString('base64'));
    expect(split('ana:a:b')).toEqual(['ana', 'a:b']);
    expect(split(':')).toEqual(['', '']);
    expect(split('žofie:päss')).toEqual(['žofie', 'päss']);
    for (const text of ['ana', 'ana:a\0b', Buffer.from([0x61, 0x3a, 0xff])]) expect(split(text)).toBeUndefined();
    for (const text of ['!YTpi', 'YTpi!', 'YTpi===', 'YT=pi', '']) expect(splitBasic(text)).toBeUndefined();
    expect(splitBasic('YTpiYg==')).toEqual(['a', 'bb']);
  });
});

describe('authentication', () => {
  const records: Record<string, unknown> = {
    'users ana': { tenant: 'DEV', username: 'ana', roles: ['admin'] },
    'clients c1': {},
    'executions running': { status: 'RUNNING' },
    'executions over': { status: 'COMPLETE' },
  };
  const token = (name: string, changes: object = {}) => {
    const own = { kind: 'access', tenant: 'DEV', username: 'ana', clientId: 'c1', expiresAt: 1_001 };
    records[`tokens #${name}`] = { ...own, ...changes };
    return name;
  };
  let version = 0;
  const attempts: unknown[] = [];
  /** Changes the records while a password is checked. */
  let meanwhile: (() => void) | undefined;
  const make = (onlyExecutionTokens = false, tenants: readonly object[] = [{ id: 'DEV' }]) =>
    createAuthenticate({
      store: {
        get: (collection: string, key: string) =>
          records[`${collection} ${key === joinKey('DEV', 'ana') ? 'ana' : key}`],
        all: () => tenants,
        version: () => version,
      } as never,
      vault: { digest: (secret: string) => `#${secret}` } as never,
      clock: { now: () => 1_000 },
      baseUrl: () => 'http://127.0.0.1:8000',
      checkPassword: async (attempt) => {
        attempts.push(attempt);
        const user = attempt.password === 'right' ? (records['users ana'] as never) : undefined;
        meanwhile?.();
        return user;
      },
      onlyExecutionTokens,
    });
  const ask = (authorization: string | undefined, { only = false, basic = false, tenants = [{ id: 'DEV' }] } = {}) =>
    refusal(() => make(only, tenants)(requestOf({ authorization }), { basic } as never));
  const unknown = {
    code: 'AUTH_FAILED',
    message:
      'The access token is not valid: it is unknown, was revoked or has long expired. Get a new one (`actorctl login`).',
  };

  it('accepts a valid access token of a user', () => {
    token('user');
    expect(ask('Bearer user')).toEqual({ tenant: 'DEV', username: 'ana', roles: ['admin'], clientId: 'c1' });
    token('endless', { expiresAt: undefined });
    expect(ask('Bearer endless')).toMatchObject({ username: 'ana' });
  });

  it('accepts the token of a running execution, without roles', () => {
    const caller = { tenant: 'DEV', username: 'ana', roles: [], executionId: 'running', reach: 'own' };
    token('run', { clientId: '', executionId: 'running' });
    for (const only of [false, true]) expect(ask('Bearer run', { only })).toEqual(caller);
    token('over', { clientId: '', executionId: 'over' });
    token('gone', { clientId: '', executionId: 'gone' });
    for (const name of ['over', 'gone']) expect(ask(`Bearer ${name}`)).toMatchObject(unknown);
  });

  it('refuses unknown, foreign, expired and malformed tokens', () => {
    token('refresh', { kind: 'refresh' });
    token('other-user', { username: 'ben' });
    token('other-client', { clientId: 'c2' });
    for (const name of ['nothing', 'refresh', 'other-user', 'other-client']) {
      expect(ask(`Bearer ${name}`)).toMatchObject(unknown);
    }
    token('expired', { expiresAt: 1_000 });
    expect(ask('Bearer expired')).toMatchObject({
      code: 'TOKEN_EXPIRED',
      message: 'The access token has expired. Refresh it or log in again (`actorctl login`).',
    });
    token('abc');
    for (const value of ['a"b', '=', 'abc=d', 'abc, d', '"abc', 'abc"']) {
      expect(ask(`Bearer ${value}`)).toMatchObject({
        code: 'VALIDATION',
        message: 'The Authorization header is malformed: the token contains invalid characters.',
      });
    }
    token('abc==');
    expect(ask('Bearer abc==')).toMatchObject({ username: 'ana' });
    expect(ask('Bearer user', { only: true })).toMatchObject({
      code: 'AUTH_FAILED',
      message: 'This address accepts only the token of a running execution.',
    });
  });

  it('remembers a valid token until the store changes, and no longer than it is valid', () => {
    let now = 1_000;
    let asked = 0;
    const authenticate = createAuthenticate({
      store: {
        get: (collection: string, key: string) => records[`${collection} ${key}`],
        version: () => version,
      } as never,
      vault: {
        digest: (secret: string) => {
          asked += 1;
          return `#${secret}`;
        },
      } as never,
      clock: { now: () => now },
      checkPassword: async () => undefined,
      baseUrl: () => 'http://127.0.0.1:8000',
    });
    token('mine', { clientId: 'c1' });
    records[`users ${joinKey('DEV', 'ana')}`] = records['users ana'];
    const request = requestOf({ authorization: 'Bearer mine' });
    const username = () => (authenticate(request, { basic: false }) as Caller).username;
    expect([username(), username(), asked]).toEqual(['ana', 'ana', 1]);
    version += 1;
    expect([username(), username(), asked]).toEqual(['ana', 'ana', 2]);
    now = 1_001;
    expect(username).toThrow('The access token has expired');
    now = 1_000;
    delete records['tokens #mine'];
    version += 1;
    expect(username).toThrow('it is unknown, was revoked or has long expired');
  });

  it('checks a password where the route accepts one, in the named or the first tenant', async () => {
    const basic = (text: string, tenants = [{ id: 'DEV' }]) =>
      ask(`Basic ${Buffer.from(text).toString('base64')}`, { basic: true, tenants });
    const ana = { tenant: 'DEV', username: 'ana', roles: ['admin'] };
    expect(await basic('ana:right')).toEqual(ana);
    expect(await basic('OTHER/ana/b:right')).toEqual(ana);
    await expect(basic('ana:wrong', [])).rejects.toMatchObject({
      code: 'AUTH_FAILED',
      message: 'The username or password is wrong.',
    });
    const attempt = { tenant: 'DEV', username: 'ana', password: 'right', lane: 'basic', source: '127.0.0.9' };
    expect(attempts).toEqual([
      attempt,
      { ...attempt, tenant: 'OTHER', username: 'ana/b' },
      { ...attempt, tenant: '', password: 'wrong' },
    ]);
    await expect(basic('without a colon')).rejects.toMatchObject({
      message: 'The Authorization header is malformed: it is not BASE64(username:password).',
    });
  });

  describe('of a user who is changed while the password is checked', () => {
    const before = records['users ana'];
    const askWhile = (changes: object | undefined) => {
      meanwhile = () => {
        records['users ana'] = changes && { ...(before as object), ...changes };
      };
      return ask('Basic YW5hOnJpZ2h0', { basic: true });
    };
    afterEach(() => {
      meanwhile = undefined;
      records['users ana'] = before;
    });

    it.each([
      ['deleted', undefined],
      ['given another password', { passwordHash: 'new' }],
    ])('R84 fails if the user is %s', async (_, changes) => {
      await expect(askWhile(changes)).rejects.toMatchObject({
        code: 'AUTH_FAILED',
        message: 'The username or password is wrong.',
      });
    });

    it('gives the new roles', async () => {
      expect(await askWhile({ roles: ['user'] })).toMatchObject({ roles: ['user'] });
    });
  });

  it('names the credentials that a request without usable ones needs', () => {
    const token =
      'This request needs an access token. Send the header "Authorization: Bearer <token>" (`actorctl login` gets one).';
    for (const header of [undefined, 'Basic YTpi', 'Digest x']) {
      expect(ask(header)).toMatchObject({ code: 'AUTH_REQUIRED', message: token });
    }
    for (const header of [undefined, 'Digest x']) {
      expect(ask(header, { basic: true })).toMatchObject({
        code: 'AUTH_REQUIRED',
        message:
          'This request needs an access token or username:password. Send an Authorization header with Bearer or Basic.',
      });
    }
  });
});
