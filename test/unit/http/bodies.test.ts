// Reading a request body: its limits, its encodings, and errors of invalid bodies.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { consumeBody, hasBody, noteContinue, readBody, readFields } from '../../../daemon/http/request/body.ts';
import { defaultLimits } from '../../../daemon/http/request/limits.ts';

const asRequest = (stream: PassThrough, headers: object) =>
  Object.assign(stream, { headers }) as never as IncomingMessage;

/** A request with this body. Its length is declared. */
const requestOf = (body: string | Uint8Array, headers: object = {}) => {
  const stream = new PassThrough();
  stream.end(body);
  return asRequest(stream, { 'content-length': String(Buffer.byteLength(body)), ...headers });
};

const nothing = () => undefined;
const LISTENED = ['data', 'end', 'close', 'error'] as const;

describe('a body', () => {
  it('exists if it has a length or is chunked', () => {
    const has = (headers: object) => hasBody({ headers } as never);
    expect([has({}), has({ 'content-length': '0' })]).toEqual([false, false]);
    expect([has({ 'content-length': '1' }), has({ 'transfer-encoding': 'chunked' })]).toEqual([true, true]);
  });

  it('may have exactly the length of the limit, declared or not', async () => {
    for (const headers of [{}, { 'content-length': undefined }, { 'content-encoding': 'Identity' }]) {
      expect((await readBody(requestOf('12345', headers), 5)).toString()).toBe('12345');
      await expect(readBody(requestOf('12345', headers), 4)).rejects.toMatchObject({
        code: 'PAYLOAD_TOO_LARGE',
        message: 'The body is larger than the limit of 4 bytes. Send less.',
        detail: { limit: 4 },
      });
    }
  });

  it('of several pieces is joined, and leaves no listener behind', async () => {
    const stream = new PassThrough();
    const before = LISTENED.map((event) => stream.listenerCount(event));
    const read = readBody(asRequest(stream, {}), 10);
    stream.write('ab');
    stream.write('cd');
    stream.end();
    expect((await read).toString()).toBe('abcd');
    expect(LISTENED.map((event) => stream.listenerCount(event))).toEqual(before);
    expect((await readBody(requestOf(''), 10)).length).toBe(0);
  });

  it('that is compressed is refused before it is read', async () => {
    const request = requestOf('x', { 'content-encoding': 'gzip' });
    await expect(consumeBody(request, 10, nothing)).rejects.toMatchObject({
      code: 'UNSUPPORTED_MEDIA_TYPE',
      message: 'Compressed bodies are not accepted. Send it without Content-Encoding.',
    });
    expect(request.readableFlowing).toBeNull();
  });

  it('that ends early is refused', async () => {
    const broken = {
      code: 'MALFORMED_BODY',
      message: 'The body ended before it was complete. Send it again.',
    };
    for (const error of [undefined, new Error('reset')]) {
      const stream = new PassThrough();
      const read = readBody(asRequest(stream, {}), 10);
      stream.write('a');
      stream.destroy(error);
      await expect(read).rejects.toMatchObject(broken);
    }
    const gone = new PassThrough();
    await new Promise((done) => gone.once('close', done).destroy());
    await expect(readBody(asRequest(gone, {}), 10)).rejects.toMatchObject(broken);
  });

  it('is requested once from a client that waits for 100 Continue', async () => {
    const writeContinue = vi.fn();
    const request = requestOf('a');
    noteContinue(request, { writeContinue } as never as ServerResponse);
    await readBody(request, 10);
    await readBody(asRequest(new PassThrough().end('b') as PassThrough, {}), 10);
    expect(writeContinue).toHaveBeenCalledOnce();
    const tooLong = requestOf('abc');
    noteContinue(tooLong, { writeContinue } as never as ServerResponse);
    await expect(readBody(tooLong, 2)).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    expect(writeContinue).toHaveBeenCalledOnce();
  });

  it('waits while a piece is handled, and for the last one before it is complete', async () => {
    const stream = new PassThrough();
    const pieces: { readonly text: string; readonly done: () => void }[] = [];
    let isComplete = false;
    const consumed = consumeBody(asRequest(stream, {}), 10, (chunk) => {
      return new Promise((done) => pieces.push({ text: chunk.toString(), done }));
    }).then(() => {
      isComplete = true;
    });
    stream.write('a');
    await expect.poll(() => pieces).toHaveLength(1);
    expect(stream.isPaused()).toBe(true);
    stream.end('b');
    pieces[0]?.done();
    await expect.poll(() => pieces).toHaveLength(2);
    expect(isComplete).toBe(false);
    pieces[1]?.done();
    await consumed;
    expect(pieces.map(({ text }) => text)).toEqual(['a', 'b']);
  });

  it('whose piece is refused is refused with that error', async () => {
    const error = new Error('no space');
    await expect(
      consumeBody(requestOf('a'), 10, () => {
        throw error;
      }),
    ).rejects.toBe(error);
    await expect(consumeBody(requestOf('a'), 10, () => Promise.reject(error))).rejects.toBe(error);
  });
});

describe('the fields of a body', () => {
  const JSON_TYPE = 'application/json';
  const FORM = 'application/x-www-form-urlencoded';
  const read = (kind: 'form' | 'json' | 'form-or-json', type: string | undefined, body: string, limits = {}) =>
    readFields(requestOf(body, { 'content-type': type }), kind, { ...defaultLimits, ...limits });

  it('are read by the type of the body', async () => {
    for (const kind of ['form', 'json', 'form-or-json'] as const) {
      expect(await read(kind, undefined, '')).toBeUndefined();
    }
    for (const type of [JSON_TYPE, ' Application/JSON ; charset=UTF-8', 'application/merge-patch+json']) {
      for (const kind of ['json', 'form-or-json'] as const) {
        const found = await read(kind, type, '{"a":10}');
        expect(found).toMatchObject({ kind: 'json', value: { a: 10 } });
        expect(found?.kind === 'json' && found.text()).toBe('{"a":10}');
      }
    }
    for (const kind of ['form', 'form-or-json'] as const) {
      expect(await read(kind, `${FORM}; charset="utf8"`, 'a=1')).toEqual({ kind: 'form', value: { a: '1' } });
    }
    const multipart = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n';
    expect(await read('form-or-json', 'multipart/form-data; boundary=b', multipart)).toEqual({
      kind: 'form',
      value: { a: '1' },
    });
  });

  it('of another type are refused', async () => {
    const multipart = 'multipart/form-data; boundary=b';
    for (const type of [undefined, JSON_TYPE, multipart]) {
      await expect(read('form', type, 'a=1')).rejects.toMatchObject({
        code: 'VALIDATION',
        message: `The body must be ${FORM}.`,
      });
    }
    for (const [type, name] of [
      [undefined, 'unnamed'],
      [FORM, FORM],
      [multipart, 'multipart/form-data'],
      [`${JSON_TYPE}x`, `${JSON_TYPE}x`],
      ['xapplication/a+json', 'xapplication/a+json'],
      ['application/a+jsonx', 'application/a+jsonx'],
      ['application/+json', 'application/+json'],
    ] as const) {
      await expect(read('json', type, '{}')).rejects.toMatchObject({
        code: 'UNSUPPORTED_MEDIA_TYPE',
        message: `A body of type "${name}" is not supported here; send JSON.`,
      });
    }
    await expect(read('form-or-json', 'text/plain', '{}')).rejects.toMatchObject({
      message:
        'A body of type "text/plain" is not supported here; send JSON (Content-Type: application/json) or a form.',
    });
  });

  it('in another character set are refused', async () => {
    for (const [kind, type] of [
      ['json', JSON_TYPE],
      ['form', FORM],
      ['form-or-json', FORM],
    ] as const) {
      for (const charset of [' ; CHARSET = "Latin1"', ';charset=latin1']) {
        await expect(read(kind, `${type}${charset}`, '{}')).rejects.toMatchObject({
          code: 'UNSUPPORTED_MEDIA_TYPE',
          message: 'The character set "latin1" is not supported. Send UTF-8.',
        });
      }
      expect(await read(kind, `${type}; charset=US-ASCII`, '{}')).toBeDefined();
    }
  });

  it('have a limit of bytes for each kind of body', async () => {
    const small = { bodyBytes: 4, formBytes: 3 };
    const refused = { code: 'PAYLOAD_TOO_LARGE' };
    expect(await read('form', FORM, 'a=1', small)).toBeDefined();
    await expect(read('form', FORM, 'a=12', small)).rejects.toMatchObject(refused);
    expect(await read('form-or-json', FORM, 'a=12', small)).toBeDefined();
    await expect(read('form-or-json', FORM, 'a=123', small)).rejects.toMatchObject(refused);
    await expect(read('json', JSON_TYPE, '[1,2]', small)).rejects.toMatchObject(refused);
    await expect(read('form-or-json', 'multipart/form-data; boundary=b', '--b--', small)).rejects.toMatchObject(
      refused,
    );
  });
});
