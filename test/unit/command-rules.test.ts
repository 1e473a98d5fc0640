// The pure parts of the commands: outcomes, messages, descriptions, requests, lines of logs.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  changeDescription,
  changedFields,
  describe as describeActor,
  descriptionOf,
} from '../../src/commands/actor-flags.ts';
import { makeRequest, readTarget, readWords } from '../../src/commands/api-request.ts';
import { createLineJoiner, type LogPiece } from '../../src/commands/log-reader.ts';
import { messageOf, readMessages } from '../../src/commands/message-input.ts';
import { exitCodeOf, hasFailed, isFinal, type Outcome, waitUntil, wordOutcome } from '../../src/commands/outcome.ts';
import { readEnvFile, readPair } from '../../src/commands/pairs.ts';
import { lastLines } from '../../src/commands/run-report.ts';
import type { Actor } from '../../src/commands/views.ts';
import { CliFailure } from '../../src/failure.ts';

const reads = (content: string | Uint8Array) => ({ read: async () => Buffer.from(content) });

describe('how an execution ended', () => {
  it.each<[Outcome, { final: boolean; failed: boolean; exit: number; propagated: number; words: string }]>([
    [{ status: 'SUBMITTED' }, { final: false, failed: false, exit: 0, propagated: 0, words: 'SUBMITTED' }],
    [{ status: 'RUNNING' }, { final: false, failed: false, exit: 0, propagated: 0, words: 'RUNNING' }],
    [
      { status: 'COMPLETE', exitCode: 0, reason: 'exited' },
      { final: true, failed: false, exit: 0, propagated: 0, words: 'COMPLETE  exit 0' },
    ],
    [
      { status: 'COMPLETE', exitCode: 3, reason: 'exited' },
      { final: true, failed: true, exit: 11, propagated: 3, words: 'COMPLETE  exit 3' },
    ],
    [
      { status: 'COMPLETE', exitCode: 143, reason: 'halted' },
      { final: true, failed: true, exit: 11, propagated: 143, words: 'COMPLETE  halted (exit 143)' },
    ],
    [
      { status: 'COMPLETE', exitCode: 0, reason: 'timed_out' },
      { final: true, failed: true, exit: 11, propagated: 11, words: 'COMPLETE  timed out (exit 0)' },
    ],
    [
      { status: 'COMPLETE', exitCode: 300, reason: 'exited' },
      { final: true, failed: true, exit: 11, propagated: 11, words: 'COMPLETE  exit 300' },
    ],
    [{ status: 'ERROR' }, { final: true, failed: true, exit: 10, propagated: 10, words: 'ERROR' }],
    [{ status: 'CANCELLED' }, { final: true, failed: true, exit: 11, propagated: 11, words: 'CANCELLED' }],
  ])('%j', (outcome, expected) => {
    expect({
      final: isFinal(outcome),
      failed: hasFailed(outcome),
      exit: exitCodeOf(outcome),
      propagated: exitCodeOf(outcome, 'propagate'),
      words: wordOutcome(outcome),
    }).toEqual(expected);
  });
});

describe('a wait', () => {
  const now = () => Date.now();
  it('answers at once what is settled already, also with no time left', async () => {
    const { signal } = new AbortController();
    await expect(
      waitUntil({ signal, now }, { read: async () => 'done', settled: () => true, timeoutMs: 0 }),
    ).resolves.toEqual({ state: 'done', settled: true });
  });
  it('answers the last state when the time is over, and says that it is not settled', async () => {
    const { signal } = new AbortController();
    let looks = 0;
    const { settled, state } = await waitUntil(
      { signal, now },
      { read: async () => (looks += 1), settled: () => false, timeoutMs: 20 },
    );
    expect({ settled, state }).toEqual({ settled: false, state: looks });
    expect(looks).toBeGreaterThan(1);
  });
  it('looks again when it is hurried', async () => {
    const { signal } = new AbortController();
    const hurry = new AbortController();
    let done = false;
    setTimeout(() => {
      done = true;
      hurry.abort();
    }, 5);
    const waited = await waitUntil(
      { signal, now },
      { read: async () => done, settled: (state) => state, timeoutMs: 60_000, hurry: hurry.signal },
    );
    expect(waited).toEqual({ state: true, settled: true });
  });
  it('ends with CANCELLED on a signal', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 5);
    await expect(
      waitUntil({ signal: controller.signal, now }, { read: async () => 1, settled: () => false, timeoutMs: 60_000 }),
    ).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});

describe('a message', () => {
  it.each<[string | Uint8Array, 'text' | 'json' | 'binary' | undefined, string]>([
    ['hello world', undefined, 'text'],
    ['{"a":1}', undefined, 'json'],
    ['42', undefined, 'json'],
    ['{"a":', undefined, 'text'],
    ['', undefined, 'text'],
    [Uint8Array.of(0xff, 0xfe), undefined, 'binary'],
    ['{"a":1}', 'text', 'text'],
    ['hello', 'binary', 'binary'],
  ])('%j asked as %s goes out as %s', (content, asked, type) => {
    const bytes = Buffer.from(content);
    expect(messageOf(bytes, asked)).toEqual({ type, bytes });
  });
  it.each<[string | Uint8Array, 'text' | 'json' | 'binary' | undefined, string]>([
    ['{"a":', 'json', 'not JSON'],
    [Uint8Array.of(0xff), 'text', 'not UTF-8'],
    [Uint8Array.of(0xff), 'json', 'not UTF-8'],
    ['x'.repeat(10 * 1024 * 1024 + 1), undefined, 'more than'],
  ])('%.20s as %s is refused before it is sent', (content, asked, words) => {
    expect(() => messageOf(Buffer.from(content), asked)).toThrow(words);
  });

  const none = {
    message: undefined,
    file: undefined,
    data: [],
    type: undefined,
    env: [],
    repeat: undefined,
    eachLine: false,
  };
  const texts = async (given: Partial<Parameters<typeof readMessages>[1]>, stdin = '') => {
    const { messages } = await readMessages(reads(stdin), { ...none, ...given });
    return messages.map(({ type, bytes }) => `${type}:${Buffer.from(bytes).toString()}`);
  };
  it('comes from a flag, from fields, from a file, line by line, and again', async () => {
    expect(await texts({ message: 'hi' })).toEqual(['text:hi']);
    expect(await texts({ data: ['a=1', 'b=x=y'] })).toEqual(['json:{"a":"1","b":"x=y"}']);
    expect(await texts({ file: '-' }, '[1]')).toEqual(['json:[1]']);
    expect(await texts({ eachLine: true }, 'one\r\n{"n":2}\n\nfour\n')).toEqual([
      'text:one',
      'json:{"n":2}',
      'text:',
      'text:four',
    ]);
    expect(await texts({ message: 'hi', repeat: 3 })).toEqual(['text:hi', 'text:hi', 'text:hi']);
  });
  it.each<Partial<Parameters<typeof readMessages>[1]>>([
    {},
    { message: 'a', file: 'b' },
    { message: 'a', eachLine: true },
    { eachLine: true },
    { message: 'a', env: ['_svc_synchronous=true'] },
    { message: 'a', env: ['message=b'] },
    { message: 'a', env: ['novalue'] },
    { data: ['novalue'] },
  ])('%j is refused as usage', async (given) => {
    await expect(texts(given)).rejects.toMatchObject({ code: 'USAGE' });
  });
});

describe('NAME=VALUE', () => {
  it('splits at the first sign only', () => expect(readPair('A=b=c', '-e')).toEqual(['A', 'b=c']));
  it('reads a file as docker does: comments, blank lines, nothing unquoted', () => {
    expect(readEnvFile('\ufeff# c\n\nA=1\r\n  B="x y"\nA=2\nC=', '--env-file')).toEqual({ A: '2', B: '"x y"', C: '' });
    expect(() => readEnvFile('A=1\nB', '--env-file')).toThrow('line 2');
  });
});

const actor: Actor = {
  id: 'CQyp4QZL6mea8',
  name: 'wc',
  description: 'counts',
  image: 'wc:1',
  owner: 'dev',
  status: 'READY',
  statusMessage: '',
  stateless: true,
  default_environment: { LOG: 'info', OLD: '1' },
  hints: ['a'],
  type: 'none',
  link: '',
  webhook: '',
  queue: 'default',
  token: false,
  privileged: false,
  useContainerUid: false,
  cronOn: false,
  mounts: [],
  state: {},
  revision: 1,
  memLimit: '512m',
  createTime: '2026-11-21T12:00:00.000Z',
  lastUpdateTime: '2026-11-21T12:00:00.000Z',
  _links: {},
};
const none = {
  description: undefined,
  env: [],
  envFile: undefined,
  hint: [],
  memory: undefined,
  cpus: undefined,
  workers: undefined,
  timeLimit: undefined,
  token: false,
  privileged: false,
  file: undefined,
  form: false,
};

describe('the description of an actor', () => {
  it('sent back unchanged leaves out defaults, so that it asks for no role the caller lacks', () => {
    expect(descriptionOf(actor)).toEqual({
      description: 'counts',
      image: 'wc:1',
      default_environment: { LOG: 'info', OLD: '1' },
      hints: ['a'],
      type: 'none',
      memLimit: '512m',
    });
  });
  it('changed keeps what was not asked to change', () => {
    const before = descriptionOf(actor);
    const after = changeDescription(before, { image: 'wc:2', default_environment: { LOG: 'debug', NEW: '' } }, [
      'env:OLD',
      'hints',
    ]);
    expect(after).toEqual({
      description: 'counts',
      image: 'wc:2',
      default_environment: { LOG: 'debug', NEW: '' },
      type: 'none',
      memLimit: '512m',
    });
    expect(changedFields(before, after)).toEqual([
      'image',
      'default_environment.LOG',
      'default_environment.OLD',
      'default_environment.NEW',
      'hints',
    ]);
    expect(changedFields(before, changeDescription(before, {}, []))).toEqual([]);
    expect(changeDescription(before, {}, ['env'])).not.toHaveProperty('default_environment');
  });
  it.each(['image', 'name', 'stateless', 'force', 'nope', 'id', 'env:'])('cannot unset %s', (name) => {
    expect(() => changeDescription(descriptionOf(actor), {}, [name])).toThrow(`'${name}' cannot be unset`);
  });
  it('takes both spellings from a file, and flags outrank it', async () => {
    const document =
      '{"image":"wc:1","mem_limit":"1g","maxWorkers":4,"defaultEnvironment":{"A":"1","B":"2"},"later":1}';
    expect(await describeActor(reads(document), { ...none, file: 'a.json', memory: '2g', env: ['B=3'] })).toEqual({
      image: 'wc:1',
      memLimit: '2g',
      maxWorkers: 4,
      default_environment: { A: '1', B: '3' },
      later: 1,
    });
  });
  it.each(['[]', '1', '{', ''])('is refused as %j', async (document) => {
    await expect(describeActor(reads(document), { ...none, file: '-' })).rejects.toMatchObject({ code: 'USAGE' });
  });
});

describe('api', () => {
  it.each([
    ['actors', '/actors/v2', {}],
    ['/actors/v2/', '/actors/v2/', {}],
    ['actors/wc/messages', '/actors/v2/wc/messages', {}],
    ['profiles/v2/me?naked=true&a=1&a=2', '/profiles/v2/me', { naked: ['true'], a: ['1', '2'] }],
    ['token', '/token', {}],
    ['actors/a b', '/actors/v2/a%20b', {}],
    ['actors/a%20b', '/actors/v2/a%20b', {}],
  ])('%s means %s', (typed, path, query) => expect(readTarget(typed)).toEqual({ path, query }));
  it.each(['C:/Program Files/Git/actors', 'http://127.0.0.1:8722/actors', 'actors/%zz'])('%s is refused', (typed) => {
    expect(() => readTarget(typed)).toThrow(CliFailure);
  });
  it('takes the method before the path or by flag, not both', () => {
    expect(readWords(['post', 'actors'], undefined)).toEqual({ method: 'POST', target: 'actors' });
    expect(readWords(['actors'], 'PUT')).toEqual({ method: 'PUT', target: 'actors' });
    expect(() => readWords(['POST', 'actors'], 'PUT')).toThrow('twice');
    expect(() => readWords(['actors', 'x'], undefined)).toThrow('not a method');
    expect(() => readWords(['GET', 'a', 'b'], undefined)).toThrow('a method and a path');
  });

  const flags = { method: undefined, fields: [], typedFields: [], input: undefined, form: false, headers: [] };
  const made = async (given: Partial<Parameters<typeof makeRequest>[2]>, file = '') => {
    const { body, ...rest } = await makeRequest(reads(file), ['actors'], { ...flags, ...given });
    return { ...rest, ...(body && { body: Buffer.from(body).toString() }) };
  };
  it('without fields is a GET', async () => {
    expect(await made({})).toEqual({ method: 'GET', path: '/actors/v2', query: {}, headers: {} });
  });
  it('with fields is a POST of JSON, typed and nested as asked', async () => {
    const { method, headers, body } = await made(
      {
        fields: ['n=1', 'env[LOG]=x'],
        typedFields: ['t=1', 'on=true', 'no=null', 's=abc', 'hints[]=a', 'hints[]=b', 'f=@x'],
      },
      'content',
    );
    expect({ method, headers }).toEqual({ method: 'POST', headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(body ?? '')).toEqual({
      n: '1',
      env: { LOG: 'x' },
      t: 1,
      on: true,
      no: null,
      s: 'abc',
      hints: ['a', 'b'],
      f: 'content',
    });
  });
  it('puts fields into the query of a GET, and into a form with --form', async () => {
    expect(await made({ method: 'GET', fields: ['a=1'], typedFields: ['b=true'] })).toMatchObject({
      query: { a: ['1'], b: ['true'] },
    });
    expect(await made({ form: true, fields: ['a=x y', 'b[]=1', 'b[]=2'] })).toMatchObject({
      body: 'a=x+y&b=1&b=2',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  });
  it('sends input as it is, JSON as such', async () => {
    expect(await made({ input: 'x' }, '{ }')).toMatchObject({
      method: 'POST',
      body: '{ }',
      headers: { 'content-type': 'application/json' },
    });
    expect(await made({ input: 'x', headers: ['Content-Type: text/plain'] }, 'hi')).toMatchObject({
      headers: { 'content-type': 'text/plain' },
    });
  });
  it('a field named __proto__ is a field', async () => {
    const { body } = await made({ fields: ['__proto__[x]=1'] });
    expect(body).toBe('{"__proto__":{"x":"1"}}');
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
  it.each<Partial<Parameters<typeof makeRequest>[2]>>([
    { fields: ['novalue'] },
    { fields: ['[x]=1'] },
    { input: 'x', fields: ['a=1'] },
    { headers: ['novalue'] },
    { headers: ['Host: evil'] },
  ])('%j is refused as usage', async (given) => {
    await expect(made(given)).rejects.toMatchObject({ code: 'USAGE' });
  });
});

describe('lines of a log', () => {
  const piece = (text: string, stream: LogPiece['stream'] = 'stdout', cursor = '1'): LogPiece => ({
    text,
    stream,
    cursor,
    time: `t${cursor}`,
    old: true,
  });
  it('are put together per stream, with the time of their beginning and the cursor of their end', () => {
    const joiner = createLineJoiner();
    expect(joiner.take(piece('a', 'stdout', '1'))).toEqual([]);
    expect(joiner.take(piece('E\n', 'stderr', '2'))).toEqual([{ ...piece('E', 'stderr', '2') }]);
    expect(
      joiner.take(piece('b\r\nc\n\nd', 'stdout', '3')).map(({ text, time, cursor }) => [text, time, cursor]),
    ).toEqual([
      ['ab', 't1', '3'],
      ['c', 't3', '3'],
      ['', 't3', '3'],
    ]);
    expect(joiner.rest().map(({ text, time }) => [text, time])).toEqual([['d', 't3']]);
    expect(joiner.rest()).toEqual([]);
  });
  it('are the lines of the whole text, wherever the pieces were cut', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[ab\n]{0,5}$/)), (parts) => {
        const joiner = createLineJoiner();
        const lines = [...parts.flatMap((part) => joiner.take(piece(part))), ...joiner.rest()].map(({ text }) => text);
        const whole = parts.join('').split('\n');
        if (whole.at(-1) === '') whole.pop();
        expect(lines).toEqual(whole);
      }),
    );
  });
  it('the last ones end with a line end', () => {
    expect([lastLines('a\nb\nc', 2), lastLines('a\nb\n', 1), lastLines('', 3)]).toEqual(['b\nc\n', 'b\n', '']);
  });
});
