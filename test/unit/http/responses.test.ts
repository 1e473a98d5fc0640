// How responses and failures are written: status, headers and body.
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Failure } from '../../../daemon/domain/failure.ts';
import {
  type AnswerForm,
  answer,
  answerFailure,
  internalFailure,
  plainForm,
} from '../../../daemon/http/response/answer.ts';

/** A request, and a response that collects what is written. */
const exchange = (request: object = {}) => {
  const sent = { status: 0, headers: {} as Record<string, unknown>, body: '', isEnded: false };
  const incoming = Object.assign(new EventEmitter(), { complete: true, headers: {}, resume: vi.fn(), ...request });
  const response = {
    getHeader: () => 'r1',
    writeHead: (status: number, headers: Record<string, unknown>) => {
      Object.assign(sent, { status, headers });
      return response;
    },
    write: (text: string) => void Object.assign(sent, { body: sent.body + text }),
    end: (text = '') => Object.assign(sent, { body: sent.body + text, isEnded: true }),
  };
  return {
    incoming,
    sent,
    request: incoming as never as IncomingMessage,
    response: response as never as ServerResponse,
  };
};

const answered = (result: unknown, form: Partial<AnswerForm> = {}) => {
  const { request, response, sent } = exchange();
  answer(request, response, { ...plainForm, ...form }, 'Done.', result);
  return sent;
};

const refused = (failure: Failure, form: Partial<AnswerForm> = {}) => {
  const { request, response, sent } = exchange();
  answerFailure(request, response, { ...plainForm, ...form }, failure);
  return { ...sent, json: form.kind === 'page' ? undefined : (JSON.parse(sent.body) as unknown) };
};

const common = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Type': 'application/json; charset=utf-8',
};

describe('a success', () => {
  it('is the envelope, with its length in bytes', () => {
    const body = '{"message":"Done.","result":{"a":"ž"},"status":"success","version":"1.9.1"}';
    expect(answered({ a: 'ž' })).toEqual({
      status: 200,
      headers: { ...common, 'Content-Length': Buffer.byteLength(body) },
      body,
      isEnded: true,
    });
  });

  it('is the result alone in a bare or naked form, and indented in a pretty one', () => {
    expect(answered({ a: 1 }, { naked: true }).body).toBe('{"a":1}');
    expect(answered({ a: 1 }, { naked: true }).headers['Pragma']).toBeUndefined();
    expect(answered({ a: 1 }, { kind: 'bare', pretty: true }).body).toBe('{\n  "a": 1\n}');
    expect(answered({ a: 1 }, { kind: 'bare' }).headers).toEqual({
      ...common,
      Pragma: 'no-cache',
      'Content-Length': 7,
    });
  });
});

describe('a failure', () => {
  it('is an envelope with the status and the code of the failure', () => {
    expect(refused(new Failure('NOT_FOUND', 'no actor'))).toMatchObject({
      status: 404,
      headers: { ...common, 'x-failure-code': 'NOT_FOUND' },
      json: { message: 'no actor', result: null, status: 'error', version: '1.9.1' },
    });
    expect(refused(new Failure('NOT_FOUND', 'no actor')).json).not.toHaveProperty('fault');
    expect(refused(internalFailure('r7'))).toMatchObject({
      status: 500,
      json: { message: 'internal error (request r7)' },
    });
  });

  it('of status 401 has a fault and a challenge for each scheme', () => {
    const challenges = ['Bearer', 'Basic'] as const;
    const basic = 'Basic realm="actorctl", charset="UTF-8"';
    for (const [code, number, bearer] of [
      ['AUTH_REQUIRED', 900902, 'Bearer realm="actorctl"'],
      ['AUTH_FAILED', 900901, 'Bearer realm="actorctl", error="invalid_token", error_description="no \'x\' ??"'],
      ['TOKEN_EXPIRED', 900903, 'Bearer realm="actorctl", error="invalid_token", error_description="no \'x\' ??"'],
    ] as const) {
      const message = 'no "x" \\ž';
      const { status, headers, json } = refused(new Failure(code, message), { challenges });
      expect([status, headers['WWW-Authenticate']]).toEqual([401, [bearer, basic]]);
      const fault = { code: number, message: 'Invalid Credentials', description: message };
      expect(json).toEqual({ message, result: null, status: 'error', version: '1.9.1', fault });
    }
    const { headers } = refused(new Failure('VALIDATION', 'bad header', { challenge: true }));
    expect(headers['WWW-Authenticate']).toEqual([
      'Bearer realm="actorctl", error="invalid_request", error_description="bad header"',
    ]);
    expect(refused(new Failure('VALIDATION', 'bad')).headers).not.toHaveProperty('WWW-Authenticate');
  });

  it('has the headers that its details require', () => {
    const { headers } = refused(new Failure('THROTTLED', 'later', { retryAfter: 7, allow: 'GET, HEAD' }));
    expect(headers).toMatchObject({ 'Retry-After': '7', Allow: 'GET, HEAD' });
    const plain = refused(new Failure('THROTTLED', 'later', { retryAfter: true })).headers;
    for (const name of ['Retry-After', 'Allow', 'Connection', 'Pragma']) expect(plain).not.toHaveProperty(name);
    expect(refused(new Failure('SHUTTING_DOWN', 'bye')).headers['Connection']).toBe('close');
    expect(refused(new Failure('STARTING', 'soon', { body: { status: 'starting' } })).json).toEqual({
      status: 'starting',
    });
  });

  it('of the token endpoint is an error of RFC 6749', () => {
    for (const [failure, error] of [
      [new Failure('VALIDATION', 'no'), 'invalid_request'],
      [new Failure('VALIDATION', 'no', { error: 'invalid_grant' }), 'invalid_grant'],
      [new Failure('STORE_UNAVAILABLE', 'no'), 'temporarily_unavailable'],
      [new Failure('INTERNAL', 'no'), 'server_error'],
    ] as const) {
      expect(refused(failure, { kind: 'bare' }).json).toEqual({ error, error_description: 'no' });
    }
    expect(refused(new Failure('VALIDATION', 'a\u001f !#[]~\u007f"\\'), { kind: 'bare' }).json).toMatchObject({
      error_description: "a? !#[]~?'?",
    });
  });

  it('of a page is what the page renders, with the headers of the page', () => {
    const page = (failure: Failure, status: number, id: string) => ({
      html: `<p>${failure.code} ${status} ${id}`,
      headers: { 'Content-Type': 'text/html' },
    });
    const { body, headers } = refused(new Failure('NOT_FOUND', 'no'), { kind: 'page', page });
    expect(body).toBe('<p>NOT_FOUND 404 r1');
    expect(headers).toEqual({ 'Content-Type': 'text/html', 'Content-Length': 19, 'x-failure-code': 'NOT_FOUND' });
    expect(refused(new Failure('NOT_FOUND', 'no'), { page }).json).toMatchObject({ status: 'error' });
    expect(JSON.parse(refused(new Failure('NOT_FOUND', 'no'), { kind: 'page' }).body)).toMatchObject({ message: 'no' });
  });
});

describe('a response to a request with an unread body', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const write = (request: object) => {
    const made = exchange({ complete: false, ...request });
    answer(made.request, made.response, plainForm, 'Done.', null);
    return made;
  };
  const long = { headers: { 'content-length': '65537' } };

  it('ends at once if the rest is short, absent or already read', () => {
    for (const request of [{ headers: { 'content-length': '65536' } }, { headers: {} }, { ...long, complete: true }]) {
      const { sent } = write(request);
      expect([sent.isEnded, sent.headers['Connection']]).toEqual([true, undefined]);
    }
  });

  it('closes the connection once a long rest has arrived, or after a second', () => {
    for (const request of [long, { headers: { 'transfer-encoding': 'chunked' } }]) {
      for (const event of ['end', 'close', 'error']) {
        const { sent, incoming } = write(request);
        expect([sent.isEnded, sent.headers['Connection'], sent.body.length > 0]).toEqual([false, 'close', true]);
        expect(incoming.resume).toHaveBeenCalledOnce();
        incoming.emit(event);
        expect([sent.isEnded, vi.getTimerCount(), incoming.eventNames()]).toEqual([true, 0, []]);
      }
      const { sent } = write(request);
      vi.advanceTimersByTime(999);
      expect(sent.isEnded).toBe(false);
      vi.advanceTimersByTime(1);
      expect(sent.isEnded).toBe(true);
    }
  });
});
