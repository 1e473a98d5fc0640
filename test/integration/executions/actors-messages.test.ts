// Sending messages over HTTP: every kind of body, and refused requests.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MessageRecord } from '../../../daemon/domain/records/actor-records.ts';
import { MESSAGE_LIMIT } from '../../../src/contract/actors/messages.ts';
import { type ActorService, startActorService } from '../../support/service/actor-service.ts';
import { type Answer, type Call, typed } from '../../support/service/call.ts';

let service: ActorService;
let actor: string;
beforeAll(async () => {
  service = await startActorService();
  actor = await service.actor('ana');
});
afterAll(() => service.close());

const send = (asked: Call, query = ''): Promise<Answer> =>
  service.ask('ana', 'POST', `/actors/v2/${actor}/messages${query}`, asked);
const stored = (answer: Answer): MessageRecord | undefined =>
  service.store.get('messages', String(answer.result['executionId']));
const bodiesLeft = (): string[] => readdirSync(join(service.folder, 'bodies'));

const multipart = (...parts: readonly string[]): Call =>
  typed('multipart/form-data; boundary=B', `${parts.map((part) => `--B\r\n${part}\r\n`).join('')}--B--\r\n`);
const field = (name: string, value: string) => `content-disposition: form-data; name="${name}"\r\n\r\n${value}`;

describe('messages.send', () => {
  it('returns the id of the execution, the message and absolute links', async () => {
    const answer = await send({ form: { message: 'hi' } });
    const { executionId } = answer.result;
    expect(answer).toMatchObject({ status: 200, json: { status: 'success', version: '1.9.1' } });
    expect(answer.result).toEqual({
      executionId,
      msg: 'hi',
      _links: {
        self: `${service.baseUrl}/actors/v2/${actor}/executions/${executionId}`,
        owner: `${service.baseUrl}/profiles/v2/ana`,
        messages: `${service.baseUrl}/actors/v2/${actor}/messages`,
      },
    });
    expect(service.store.get('executions', String(executionId))).toMatchObject({
      actorId: actor,
      tenant: 'DEV',
      executor: 'ana',
      status: 'SUBMITTED',
      sequence: stored(answer)?.sequence,
    });
  });

  const kinds: readonly (readonly [string, Call, string, Partial<MessageRecord>, unknown])[] = [
    ['a form', { form: { message: 'a&b=ü' } }, '', { contentType: 'str', text: 'a&b=ü' }, 'a&b=ü'],
    ['a multipart form', multipart(field('x', '1'), field('message', 'ü')), '', { contentType: 'str', text: 'ü' }, 'ü'],
    ['the query', {}, '?message=hi%20there', { contentType: 'str', text: 'hi there' }, 'hi there'],
    [
      'JSON',
      typed('application/json', ' {"a": [1, 2.50]} '),
      '',
      { contentType: 'application/json', text: ' {"a": [1, 2.50]} ' },
      { a: [1, 2.5] },
    ],
    ['a JSON scalar', { json: 0 }, '', { contentType: 'application/json', text: '0' }, 0],
    ['JSON null', typed('application/json', 'null'), '', { contentType: 'application/json', text: 'null' }, null],
    ['JSON with a message', { json: { message: 'in' } }, '', { contentType: 'str', text: 'in' }, 'in'],
    [
      'text unchanged, including a byte order mark',
      typed('text/plain; charset=utf-8', '\ufeffa\r\nb "c" 😀'),
      '',
      { contentType: 'str', text: '\ufeffa\r\nb "c" 😀' },
      '\ufeffa\r\nb "c" 😀',
    ],
  ];
  for (const [name, asked, query, record, msg] of kinds) {
    it(`accepts ${name}`, async () => {
      const answer = await send(asked, query);
      expect(answer.status).toBe(200);
      expect(answer.result['msg']).toEqual(msg);
      expect(stored(answer)).toMatchObject({ ...record, bodyFile: null, size: Buffer.byteLength(record.text ?? '') });
    });
  }

  const exact = '{ "id": 12345678901234567890, "big": 1e400, "id": -0 }';
  it.each([
    ['JSON', exact, 'application/json'],
    ['JSON that is the member message', `{"message": ${exact}}`, 'str'],
  ])('keeps all letters of %s, and repeats them', async (_, body, contentType) => {
    const answer = await send(typed('application/json', body));
    expect(answer.text).toContain(`"msg":${exact}`);
    expect(stored(answer)).toMatchObject({ contentType, text: exact });
  });

  it('stores bytes unchanged in a file', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const answer = await send(typed('application/octet-stream', bytes));
    expect(answer.result['msg']).toBe('binary - omitted');
    const record = stored(answer);
    expect(record).toMatchObject({ contentType: 'application/octet-stream', text: null, size: 256 });
    expect(new Uint8Array(readFileSync(service.bodies.path(record?.bodyFile ?? '')))).toEqual(bytes);
  });

  it('stores a text of 1 MB in a file', async () => {
    const text = 'wörter '.repeat(150_000);
    const record = stored(await send(typed('text/plain', text)));
    expect(record).toMatchObject({ contentType: 'str', text: null, size: Buffer.byteLength(text) });
    expect(readFileSync(service.bodies.path(record?.bodyFile ?? ''), 'utf8')).toBe(text);
  });

  it('treats query parameters as variables, except the control parameters', async () => {
    const answer = await send({ json: 1 }, '?A=1&B=x&B=y&environment=A&pretty=true&x-nonce=n');
    expect(stored(answer)?.variables).toEqual({ A: '1', B: 'x', environment: 'A' });
  });

  it('records the revision of the actor at the time of the message', async () => {
    const id = await service.actor('ana');
    await service.ask('ana', 'PUT', `/actors/v2/${id}`, { json: { image: 'alpine', force: true } });
    expect(service.store.get('messages', await service.message('ana', id))).toMatchObject({
      actorRevision: 2,
      actorId: id,
    });
  });

  const deep = `${'['.repeat(65)}${']'.repeat(65)}`;
  const refused: readonly (readonly [string, Call, string, number, RegExp])[] = [
    ['nothing', {}, '', 400, /message/],
    ['an empty message', { form: { message: '' } }, '', 400, /message/],
    ['no bytes', typed('application/octet-stream', ''), '', 400, /message/],
    ['a form without message', { form: { text: 'x' } }, '', 400, /message/],
    ['malformed JSON', typed('application/json', '{"a":'), '', 400, /JSON/],
    ['JSON of 65 levels', typed('application/json', deep), '', 400, /64/],
    ['text that is not UTF-8', typed('text/plain', Uint8Array.of(0xff)), '', 400, /UTF-8/],
    ['a broken multipart body', typed('multipart/form-data; boundary=B', '--B\r\nnonsense'), '', 400, /form/],
    ['a multipart body without boundary', typed('multipart/form-data', 'x'), '', 400, /form/],
    [
      'a file in a form',
      multipart('content-disposition: form-data; name="message"; filename="f"\r\n\r\nx'),
      '',
      400,
      /file/,
    ],
    ['two messages', { json: 1 }, '?message=x', 400, /message/],
    ['an unsupported content type', typed('image/png', 'x'), '', 415, /image\/png/],
    ['an unsupported charset', typed('text/plain; charset=latin1', 'x'), '', 415, /latin1/],
    ['a reserved variable', { json: 1 }, '?_svc_access_token=x', 400, /_svc_access_token/],
    ['an invalid variable name', { json: 1 }, '?a-b=x', 400, /a-b/],
    ['an invalid synchronous flag', { json: 1 }, '?_svc_synchronous=perhaps', 400, /_svc_synchronous/],
  ];
  for (const [name, asked, query, status, text] of refused) {
    it(`refuses ${name} with ${status}, and stores nothing`, async () => {
      const [messages, files] = [service.store.count('messages'), bodiesLeft().length];
      const answer = await send(asked, query);
      expect(answer).toMatchObject({ status, json: { status: 'error', result: null } });
      expect(answer.json).toMatchObject({ message: expect.stringMatching(text) });
      expect([service.store.count('messages'), bodiesLeft().length]).toEqual([messages, files]);
    });
  }

  it('R112 refuses 100 MB with 413, with or without a declared length, at constant memory', async () => {
    const size = 100 * 1024 * 1024;
    const chunk = Buffer.alloc(64 * 1024);
    const flood = () =>
      Readable.from(
        (function* () {
          for (let sent = 0; sent < size; sent += chunk.length) yield chunk;
        })(),
      );
    const headers = { 'content-type': 'application/octet-stream' };
    const before = process.memoryUsage().rss;
    for (const extra of [{ 'content-length': size }, {}]) {
      const answer = await send({ body: flood(), headers: { ...headers, ...extra } });
      expect(answer).toMatchObject({ status: 413, headers: { 'x-failure-code': 'PAYLOAD_TOO_LARGE' } });
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(60 * 1024 * 1024);
    expect(service.complaints).toEqual([]);
  });

  it('R112 accepts a body of exactly the limit and not one byte more', async () => {
    const largest = await send(typed('application/octet-stream', new Uint8Array(MESSAGE_LIMIT)));
    expect(stored(largest)).toMatchObject({ size: MESSAGE_LIMIT });
    const over = await send(typed('application/octet-stream', new Uint8Array(MESSAGE_LIMIT + 1)));
    expect(over.status).toBe(413);
  });

  it('R125 R112 keeps __proto__ as data, in the body and in the query', async () => {
    const text = '{"__proto__":{"polluted":true}}';
    const answer = await send(typed('application/json', text), '?__proto__=p&constructor=c');
    expect(answer.text).toContain(`"msg":${text}`);
    expect(stored(answer)?.text).toBe(text);
    expect(Object.entries(stored(answer)?.variables ?? {})).toEqual([
      ['__proto__', 'p'],
      ['constructor', 'c'],
    ]);
    expect({}).not.toHaveProperty('polluted');
  });
});
