// Client authentication at the token endpoint, for every grant.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { basic, makeClient, member, type Platform, startPlatform } from '../../support/service/platform.ts';
import { clientForm, passwordForm, refusal, textOf } from '../../support/service/token-calls.ts';

let platform: Platform;
let client: Awaited<ReturnType<typeof makeClient>>;
beforeAll(async () => {
  platform = await startPlatform();
  client = await makeClient(platform);
});
afterAll(() => platform.close());

const byClient = (form: Readonly<Record<string, string>>) => platform.token(form, client.header);

const grants: readonly [string, () => Promise<Readonly<Record<string, string>>>][] = [
  ['password', async () => passwordForm],
  ['client_credentials', async () => clientForm],
  [
    'refresh_token',
    async () => ({ grant_type: 'refresh_token', refresh_token: textOf(await byClient(passwordForm), 'refresh_token') }),
  ],
];

describe('a refused client', () => {
  it('R46 R48 costs the same work if it is unknown and if its secret is wrong', async () => {
    const matches = vi.spyOn(platform.vault, 'matches');
    const cost = async (id: string, secret: string): Promise<unknown> => {
      matches.mockClear();
      const answer = await platform.token(clientForm, { authorization: basic(id, secret) });
      expect(refusal(answer)).toEqual([401, 'invalid_client']);
      return matches.mock.calls.map(([given]) => given === secret);
    };
    expect(await cost(client.id, 'wrong')).toEqual([true, true]);
    expect(await cost('unknown', 'wrong')).toEqual([true, true]);
    expect(await cost('', 'wrong')).toEqual([true, true]);
  });
});

describe.each(grants)('client authentication for %s', (_, form) => {
  it('R42 works with Basic and with credentials in the body', async () => {
    expect((await byClient(await form())).status).toBe(200);
    const inBody = { ...(await form()), client_id: client.id, client_secret: client.secret };
    expect((await platform.token(inBody)).status).toBe(200);
  });

  it('R44 allows one method only: two methods or two different ids are invalid_request', async () => {
    const both = { ...(await form()), client_id: client.id, client_secret: client.secret };
    expect(refusal(await byClient(both))).toEqual([400, 'invalid_request']);
    expect(refusal(await byClient({ ...(await form()), client_id: 'other' }))).toEqual([400, 'invalid_request']);
    expect((await byClient({ ...(await form()), client_id: client.id })).status).toBe(200);
  });

  it('R45 R46 R47 refuses missing, empty, similar and foreign secrets with the same response', async () => {
    const other = await makeClient(platform);
    const fields = await form();
    const answers = [
      await platform.token(fields),
      await platform.token(fields, { authorization: basic(client.id, '') }),
      await platform.token(fields, { authorization: basic('', '') }),
      await platform.token(fields, { authorization: basic(client.id, client.secret.slice(0, -1)) }),
      await platform.token(fields, { authorization: basic(client.id, `${client.secret} `) }),
      await platform.token(fields, { authorization: basic(client.id, client.secret.toUpperCase()) }),
      await platform.token(fields, { authorization: basic(client.id, other.secret) }),
      await platform.token(fields, { authorization: basic('nobody', client.secret) }),
      await platform.token(fields, { authorization: basic('__proto__', 'x') }),
      await platform.token({ ...fields, client_id: client.id }),
      await platform.token({ ...fields, client_secret: client.secret }),
      await platform.token({ ...fields, client_id: client.id, client_secret: 'wrong' }),
      await platform.token(fields, { authorization: `Bearer ${client.secret}` }),
    ];
    for (const answer of answers) {
      expect(refusal(answer)).toEqual([401, 'invalid_client']);
      expect(answer.headers['www-authenticate']).toMatch(/^Basic realm=/);
      expect(answer.text).toBe(answers[0]?.text);
    }
  });
});

describe('Basic credentials of a client', () => {
  it('R43 are percent-decoded, split at the first colon, and their scheme is case-insensitive', async () => {
    const escaped = [...client.id].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
    expect((await platform.token(clientForm, { authorization: basic(escaped, client.secret) })).status).toBe(200);
    for (const scheme of ['basic', 'BASIC']) {
      const authorization = client.header.authorization.replace('Basic', scheme);
      expect((await platform.token(clientForm, { authorization })).status).toBe(200);
    }
  });

  it.each([
    'Basic',
    'Basic ',
    'Basic %%%',
    `Basic ${Buffer.from('nocolon').toString('base64')}`,
    `Basic ${Buffer.from('%zz:x').toString('base64')}`,
    `Basic ${'A'.repeat(5_000)}`,
    'Basic a b c',
  ])('R50 given as %s are refused with 400', async (authorization) => {
    const answer = await platform.token(clientForm, { authorization });
    expect(answer.status).toBe(400);
    expect(member(answer, 'error')).toBe('invalid_request');
  });
});
