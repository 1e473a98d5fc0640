// Large messages over HTTP: they are written to their file on arrival, are returned from it, and count towards the
// limit of the mailbox.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ActorService, startActorService, tokenOf } from '../../support/service/actor-service.ts';
import { type Call, typed } from '../../support/service/call.ts';
import { until } from '../../support/store/store-fixtures.ts';

const MEBIBYTE = 1024 * 1024;

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;
/** Bytes of buffers that somebody still holds. */
const heldBytes = (): number => {
  gc();
  return process.memoryUsage().arrayBuffers;
};

let service: ActorService;
let actor: string;
beforeAll(async () => {
  service = await startActorService();
  actor = await service.actor('ana');
});
afterAll(() => service.close());

const send = (asked: Call, query = '') => service.ask('ana', 'POST', `/actors/v2/${actor}/messages${query}`, asked);
const stored = (executionId: unknown) => service.store.get('messages', String(executionId));
const bodiesLeft = (): string[] => readdirSync(join(service.folder, 'bodies'));

/** Text of about `megabytes` with characters of one to four bytes, quotes, line ends and a byte order mark. */
const textOf = (megabytes: number): string => `\ufeff${'a"ü\n€😀\\ '.repeat((megabytes * MEBIBYTE) / 15)}`;

/** Records the bytes that each piece of a body brings to its file, and how many pieces are being written at a time. */
const watchPieces = () => {
  const pieces: number[] = [];
  const { bodies } = service;
  const { begin } = bodies;
  const spy = vi.spyOn(service.dependencies.bodies, 'begin').mockImplementation(async () => {
    const writer = await begin();
    return {
      ...writer,
      write: (bytes) => {
        pieces.push(bytes.length);
        return writer.write(bytes);
      },
    };
  });
  onTestFinished(() => spy.mockRestore());
  return pieces;
};

describe('a large message', () => {
  const text = textOf(1);
  const json = `{"a": [${'1.50, '.repeat(24_000)}12345678901234567890]}`;
  const kinds: readonly (readonly [string, Call, string, unknown])[] = [
    ['text', typed('text/plain', text), text, text],
    ['JSON', typed('application/json', json), json, JSON.parse(json)],
    ['JSON with a message', { json: { message: text } }, text, text],
    ['JSON with an object as message', typed('application/json', `{"message": ${json}}`), json, JSON.parse(json)],
    ['a form', { form: { message: text } }, text, text],
    [
      'a multipart form',
      typed(
        'multipart/form-data; boundary=B',
        `--B\r\ncontent-disposition: form-data; name="message"\r\n\r\n${text}\r\n--B--\r\n`,
      ),
      text,
      text,
    ],
  ];
  for (const [name, asked, content, echo] of kinds) {
    it(`may be ${name}: the file has it unchanged, and the response repeats it`, async () => {
      const before = bodiesLeft();
      const { status, result } = await send(asked);
      expect(status).toBe(200);
      expect(result['msg']).toEqual(echo);
      const record = stored(result['executionId']);
      const bytes = readFileSync(service.bodies.path(record?.bodyFile ?? ''));
      expect(bytes.toString()).toBe(content);
      expect(record).toMatchObject({ text: null, size: bytes.length });
      expect(bodiesLeft().filter((file) => !before.includes(file))).toEqual([record?.bodyFile]);
    });
  }

  it('keeps its numbers as they were sent in the response', async () => {
    expect((await send(typed('application/json', json))).text).toContain('12345678901234567890');
  });

  it('is written in small pieces, and the client waits while a piece is written', async () => {
    const pieces = watchPieces();
    const bytes = Buffer.alloc(10 * MEBIBYTE, 'x');
    const answer = await send(typed('application/octet-stream', bytes));
    expect(answer.status).toBe(200);
    expect(Math.max(...pieces)).toBeLessThanOrEqual(256 * 1024);
    expect(pieces.reduce((sum, length) => sum + length)).toBe(bytes.length);
  });

  it('of 10 MiB can be sent twelve times in parallel at constant memory', async () => {
    const chunk = Buffer.alloc(64 * 1024, 'ü');
    const flood = () =>
      Readable.from(
        (function* () {
          for (let sent = 0; sent < 10 * MEBIBYTE; sent += chunk.length) yield chunk;
        })(),
      );
    const type = { 'content-type': 'application/octet-stream' };
    let most = 0;
    const pieces = watchPieces();
    let count = 0;
    pieces.push = (length) => {
      count += 1;
      // Node 26 collects later, so unreferenced memory is collected before each measurement. That is slow on a busy
      // machine, and the requests must arrive within 30 s, so memory is measured once per 10 MiB.
      if (count % 160 === 0) most = Math.max(most, heldBytes());
      return length;
    };
    const before = heldBytes();
    const answers = await Promise.all(Array.from({ length: 12 }, () => send({ body: flood(), headers: type })));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
    expect(most - before).toBeLessThan(40 * MEBIBYTE);
  });

  it('is refused without a trace if it is not UTF-8, malformed, or sent twice', async () => {
    const before = bodiesLeft().length;
    const broken = Buffer.concat([Buffer.alloc(MEBIBYTE, 'x'), Buffer.of(0xc3)]);
    expect(await send(typed('text/plain', broken))).toMatchObject({ status: 400 });
    expect(await send(typed('application/json', `{"a": "${text}`))).toMatchObject({ status: 400 });
    expect(await send(typed('text/plain', text), '?message=x')).toMatchObject({ status: 400 });
    expect(await send(typed('application/json', '['.repeat(MEBIBYTE)))).toMatchObject({ status: 400 });
    expect(bodiesLeft()).toHaveLength(before);
  });

  it('leaves no file if its sender disconnects half-way', async () => {
    const before = bodiesLeft().length;
    const { hostname, port } = new URL(service.baseUrl);
    const path = `/actors/v2/${actor}/messages`;
    const headers = {
      authorization: `Bearer ${tokenOf('ana')}`,
      'content-type': 'application/octet-stream',
      'content-length': 2 * MEBIBYTE,
    };
    const request = httpRequest({ hostname, port, method: 'POST', path, headers });
    request.on('error', () => undefined);
    request.write(Buffer.alloc(MEBIBYTE));
    await until(() => bodiesLeft().length === before + 1);
    request.destroy();
    await until(() => bodiesLeft().length === before);
  });

  it('is recognized when it is sent again under its key, whatever its encoding', async () => {
    const headers = { 'idempotency-key': 'large' };
    const first = await send({ ...typed('text/plain', text), headers: { 'content-type': 'text/plain', ...headers } });
    const before = bodiesLeft().length;
    const again = await send({ form: { message: text }, headers });
    expect(again.result['executionId']).toBe(first.result['executionId']);
    expect(await send({ form: { message: `${text}.` }, headers })).toMatchObject({ status: 409 });
    expect(bodiesLeft()).toHaveLength(before);
    const { sha256 } = await (await service.bodies.begin()).finish();
    expect(sha256).toBe(createHash('sha256').digest('hex'));
  });
});

describe('R138 the bytes of a mailbox', () => {
  it('are limited: a message beyond the limit is 429 and leaves no file, and fits after a purge', async () => {
    const small = await startActorService({ mailboxLimit: 300_000 });
    onTestFinished(() => small.close());
    const id = await small.actor('ana');
    const path = `/actors/v2/${id}/messages`;
    const post = (size: number) => small.ask('ana', 'POST', path, typed('text/plain', 'x'.repeat(size)));
    for (const size of [100_000, 100_000, 1_000]) expect((await post(size)).status).toBe(200);
    const refused = await post(100_000);
    expect(refused).toMatchObject({ status: 429, headers: { 'x-failure-code': 'THROTTLED', 'retry-after': '1' } });
    expect(refused.json).toMatchObject({ message: expect.stringContaining('3 messages with 201000 bytes wait') });
    expect(readdirSync(join(small.folder, 'bodies'))).toHaveLength(2);
    expect((await post(99_000)).status).toBe(200);
    await small.ask('ana', 'DELETE', path);
    expect((await post(100_000)).status).toBe(200);
  });

  it('are counted without reading the waiting messages', async () => {
    const small = await startActorService({ mailboxLimit: 10_000 });
    onTestFinished(() => small.close());
    const id = await small.actor('ana');
    const reads: string[] = [];
    const { store } = small.dependencies;
    const { transact } = store;
    const spy = vi.spyOn(store, 'transact').mockImplementation((decide) =>
      transact((tx) => {
        const seen = <F extends (collection: never, ...rest: never[]) => unknown>(name: string, read: F): F =>
          ((collection: never, ...rest: never[]) => {
            if (collection === 'messages') reads.push(name);
            return read(collection, ...rest);
          }) as F;
        return decide({ ...tx, all: seen('all', tx.all), by: seen('by', tx.by), each: seen('each', tx.each) });
      }),
    );
    onTestFinished(() => spy.mockRestore());
    for (let n = 0; n < 10; n += 1) await small.message('ana', id, 'x'.repeat(1_000));
    const over = await small.ask('ana', 'POST', `/actors/v2/${id}/messages`, { form: { message: 'x' } });
    expect(over.status).toBe(429);
    expect(reads).toEqual([]);
  });

  it('let an empty mailbox take a message of any size', async () => {
    const small = await startActorService({ mailboxLimit: 10 });
    onTestFinished(() => small.close());
    await small.message('ana', await small.actor('ana'), 'longer than ten bytes');
  });
});
