// Request bodies: content types, field names, and the refusal of malformed bodies.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANSWERED } from '../../../daemon/http/route-handler.ts';
import { adminPosts, json } from '../../support/service/admin-posts.ts';
import { adminToken, member, type Platform, startPlatform } from '../../support/service/platform.ts';

let platform: Platform;
let bearer: { readonly authorization: string };
beforeAll(async () => {
  platform = await startPlatform({
    handlers: {
      'actors.create': ({ input, response }) => {
        response.writeHead(200).end(JSON.stringify({ result: input }));
        return ANSWERED;
      },
    },
  });
  bearer = await adminToken(platform);
});
afterAll(() => platform.close());

const { client, clientName, post } = adminPosts(() => ({ platform, bearer }));

describe('a request body', () => {
  it('is accepted as JSON, as a form and as multipart', async () => {
    const names = [clientName(), clientName(), clientName()];
    expect((await client({ json: { clientName: names[0] } })).result['name']).toBe(names[0]);
    expect((await client({ form: { clientName: names[1] ?? '' } })).result['name']).toBe(names[1]);
    const multipart = `--b\r\nContent-Disposition: form-data; name="clientName"\r\n\r\n${names[2]}\r\n--b--\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    expect((await client({ body: multipart, headers })).result['name']).toBe(names[2]);
  });

  it('accepts every field name in camelCase and in snake_case', async () => {
    for (const field of ['clientName', 'client_name']) {
      const name = clientName();
      expect((await client({ json: { [field]: name } })).result['name']).toBe(name);
    }
    const both = await client({ json: { clientName: 'a1', client_name: 'b1' } });
    expect(both.status).toBe(400);
    expect(member(both, 'message')).toContain('clientName and client_name');
  });

  it.each([
    [{}, 'clientName is required.'],
    [{ client_name: 5 }, 'client_name must be text.'],
    [{ clientName: null }, 'clientName is required.'],
    [{ clientName: 'x', callback_url: 7 }, 'callback_url must be text.'],
    [{ clientName: 'x', callbackUrl: ['a', 'b'] }, 'callbackUrl must be given once.'],
    [{ clientName: 'x y' }, 'clientName must be letters, digits, dots, dashes and underscores.'],
    [{ imge: 1 }, 'clientName is required. Ignored unknown fields: imge.'],
  ])('%j is refused with 400: %s', async (body, message) => {
    const answer = await client({ json: body });
    expect(answer.status).toBe(400);
    expect(member(answer, 'message')).toBe(message);
  });

  it('may hold unknown fields, which the response names', async () => {
    const answer = await client({ json: { clientName: clientName(), imge: 1, 'x\u001b[2J': 2 } });
    expect(answer.status).toBe(200);
    expect(member(answer, 'message')).toBe('Client created successfully. Ignored unknown fields: imge, x�[2J.');
  });

  it('must be a JSON object if the operation has fields', async () => {
    for (const text of ['[]', '5', '"x"', 'true']) {
      expect((await client(json(text))).status).toBe(400);
    }
  });

  it('of an actor may be given in the query, and a body takes precedence', async () => {
    const query = await post('/actors/v2?image=x&name=a', { json: { name: 'b' } });
    expect(query.result).toMatchObject({ image: 'x', name: 'b' });
    expect((await post('/clients/v2?clientName=fromquery', { json: {} })).status).toBe(400);
  });

  it.each(['{', '', ' ', '{"a":}', "{'a':1}", 'undefined', '{"a":1}}', '\u0000'])(
    '%j is malformed JSON, refused with 400',
    async (text) => {
      const answer = await client(json(text || ' '));
      expect(answer.status).toBe(400);
      expect(answer.headers['x-failure-code']).toBe('MALFORMED_BODY');
    },
  );

  it('R116 that is malformed is not quoted in the refusal, because it may hold a password', async () => {
    for (const text of [
      '{"password": hunter2',
      '{"username":"x","password":hunter2,"roles":["admin"]}',
      'hunter2',
      '"hunter2',
    ]) {
      const answer = await post('/users/v2', json(text));
      expect(answer.status).toBe(400);
      expect(answer.text).toMatch(/malformed JSON: (Unexpected token 'h'|it is not JSON|Unterminated)/);
      expect(answer.text).not.toContain('unter2');
    }
    const refused = await client({
      json: { clientName: 'x', callbackUrl: 'https://ok.example/,https://u:hunter2@h/' },
    });
    expect(member(refused, 'message')).toBe('callbackUrl: URI 2 contains a user name.');
  });

  it('that is not UTF-8 is refused with 400, as JSON and as a form', async () => {
    expect((await client(json(Buffer.from([0x22, 0xff, 0x22])))).status).toBe(400);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const text of ['clientName=%ff', 'clientName=%', 'clientName=%zz']) {
      expect((await client({ body: text, headers: form })).status).toBe(400);
    }
  });

  it('R112 may have 64 levels, and is refused with 65', async () => {
    const nested = (depth: number) => `{"clientName":"${clientName()}","x":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    expect((await client(json(nested(63)))).status).toBe(200);
    expect((await client(json(nested(64)))).status).toBe(400);
    expect((await client(json(nested(100_000)))).status).toBe(400);
    expect((await client(json(`{"clientName":"${clientName()}","x":"${'['.repeat(1_000)}\\"["}`))).status).toBe(200);
  });

  it('R112 with fields named __proto__ and constructor has no effect on objects', async () => {
    const answer = await client(
      json(`{"clientName":"${clientName()}","__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}`),
    );
    expect(answer.status).toBe(200);
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false);
    const form = await client({ form: { clientName: clientName(), '__proto__[admin]': '1', __proto__: '1' } });
    expect(form.status).toBe(200);
    expect((await post('/actors/v2?__proto__=x&constructor=y&image=x', { json: {} })).status).toBe(200);
  });

  it.each([
    'text/plain',
    'application/xml',
    'application/octet-stream',
    '',
    'multipart/form-data',
    'application/json; charset=utf-16',
  ])('of type %j is refused', async (type) => {
    const answer = await client({ body: '{"clientName":"x"}', headers: { 'content-type': type } });
    expect([400, 415]).toContain(answer.status);
  });

  it.each(['gzip', 'br', 'identity, gzip', 'x'])(
    'R113 with Content-Encoding %s is refused with 415',
    async (encoding) => {
      const answer = await client({
        ...json('{}'),
        headers: { 'content-type': 'application/json', 'content-encoding': encoding },
      });
      expect(answer.status).toBe(415);
    },
  );

  it.each(['--b\r\n', '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx', 'x', '--b\r\n\r\n\r\n--b--'])(
    'that is %j is malformed multipart, refused with 400',
    async (body) => {
      const answer = await client({ body, headers: { 'content-type': 'multipart/form-data; boundary=b' } });
      expect(answer.status).toBe(400);
    },
  );

  it('with a file part is refused with 400', async () => {
    const body = '--b\r\nContent-Disposition: form-data; name="a"; filename="f"\r\n\r\nx\r\n--b--\r\n';
    const answer = await client({ body, headers: { 'content-type': 'multipart/form-data; boundary=b' } });
    expect(answer.status).toBe(400);
    expect(member(answer, 'message')).toContain('file');
  });

  it('R39 with more than 1000 fields is refused with 413', async () => {
    const body = Array.from({ length: 1_001 }, (_, index) => `a${index}=1`).join('&');
    const answer = await client({ body, headers: { 'content-type': 'application/x-www-form-urlencoded' } });
    expect(answer.status).toBe(413);
  });
});
