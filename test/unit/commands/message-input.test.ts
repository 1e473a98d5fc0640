// How `send` and `run` build messages from flags, files and stdin, and how NAME=VALUE is read.
import { describe, expect, it } from 'vitest';
import { messageOf, readMessages, sendMessage } from '../../../src/commands/executions/message-input.ts';
import { readPair } from '../../../src/commands/framework/pairs.ts';
import { CliFailure } from '../../../src/failure.ts';
import { readEnvFile } from '../../../src/local/project/env-file.ts';
import type { Output } from '../../../src/ui/output.ts';

const said: string[] = [];
const output = {
  note: (text: string) => said.push(text),
  warn: (text: string) => said.push(text),
} as unknown as Output;
const reads = (content: string | Uint8Array) => ({ read: async () => Buffer.from(content), output });

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
  ])('%j with the options %s is sent as %s', (content, asked, type) => {
    const bytes = Buffer.from(content);
    expect(messageOf(bytes, asked)).toMatchObject({ type, bytes });
  });
  it.each<[string | Uint8Array, 'text' | 'json' | 'binary' | undefined, string]>([
    ['{"a":', 'json', 'not JSON'],
    [Uint8Array.of(0xff), 'text', 'not UTF-8'],
    [Uint8Array.of(0xff), 'json', 'not UTF-8'],
    ['x'.repeat(10 * 1024 * 1024 + 1), undefined, 'the limit is'],
  ])('%.20s with the option %s is refused before sending', (content, asked, words) => {
    expect(() => messageOf(Buffer.from(content), asked)).toThrow(words);
  });

  const none = {
    message: undefined,
    file: undefined,
    data: [],
    type: undefined,
    env: [],
    repeat: undefined,
    idempotencyKey: undefined,
    eachLine: false,
  };
  const texts = async (given: Partial<Parameters<typeof readMessages>[1]>, stdin = '') => {
    const { messages } = await readMessages(reads(stdin), { ...none, ...given });
    return messages.map(({ type, bytes }) => `${type}:${Buffer.from(bytes).toString()}`);
  };
  it('is built from a flag, fields, a file, the lines of a file, or repeated', async () => {
    expect(await texts({ message: 'hi' })).toEqual(['text:hi']);
    expect(await texts({ data: ['a=1', 'b=x=y'] })).toEqual(['json:{"a":"1","b":"x=y"}']);
    expect(await texts({ file: '-' }, '[1]')).toEqual(['json:[1]']);
    expect(await texts({ eachLine: true }, 'one\r\n{"n":2}\n\nfour\n')).toEqual([
      'text:one',
      'json:{"n":2}',
      'text:four',
    ]);
    expect(said.splice(0)).toEqual(['skipped 1 blank line']);
    expect(await texts({ eachLine: true }, '\n \t\none\n\n')).toEqual(['text:one']);
    expect(said.splice(0)).toEqual(['skipped 3 blank lines']);
    expect(await texts({ message: 'hi', repeat: 3 })).toEqual(['text:hi', 'text:hi', 'text:hi']);
  });
  it.each<[Partial<Parameters<typeof readMessages>[1]>, string]>([
    [{ message: '' }, ''],
    [{ file: '-' }, ''],
    [{ file: '-' }, '\ufeff'],
  ])('%j with an empty file is an empty text', async (given, stdin) => {
    expect(await texts(given, stdin)).toEqual(['text:']);
  });
  it('that is an object with more than "message" is sent with a warning that names the rest', async () => {
    await texts({ message: '{"message":"x","other":1,"more":2}' });
    expect(said.splice(0)).toEqual([expect.stringContaining('without other, more')]);
    for (const whole of ['{"message":"x"}', '{"message":"","other":1}', '{"other":1}', '["message"]']) {
      await texts({ message: whole });
      expect(said.splice(0)).toEqual([]);
    }
  });
  it.each<Partial<Parameters<typeof readMessages>[1]>>([
    {},
    { message: 'a', file: 'b' },
    { message: 'a', eachLine: true },
    { eachLine: true },
    { eachLine: true, file: ' \n' },
    { message: 'a', env: ['_svc_synchronous=true'] },
    { message: 'a', env: ['message=b'] },
    { message: 'a', env: ['novalue'] },
    { message: 'a', env: ['A B=1'] },
    { data: ['novalue'] },
  ])('%j is a usage error', async (given) => {
    await expect(texts(given)).rejects.toMatchObject({ code: 'USAGE' });
  });
});

describe('NAME=VALUE', () => {
  it('is split at the first equals sign', () => expect(readPair('A=b=c', '-e')).toEqual(['A', 'b=c']));
  it('reads a file like docker does, with comments, blank lines and literal quotes', () => {
    expect(readEnvFile('\ufeff# c\n\nA=1\r\n  B="x y"\nA=2\nC=', 'e.env')).toEqual({ A: '2', B: '"x y"', C: '' });
  });
  it.each([
    ['export B=2', /^e\.env:2: "export" is not allowed, because .* quotes are part of the value$/, 'write B=VALUE'],
    ['  export\tB="2"', /^e\.env:2: "export" is not allowed/, 'write B=VALUE'],
    ['export B', /^e\.env:2: "export" is not allowed/, 'write B=VALUE'],
    ['TOPSECRET', /^e\.env:2: the line is not NAME=VALUE$/, 'a value has one line, and a comment begins with #'],
    [
      'TOP SECRET=',
      /^e\.env:2: the text before "=" is not the name of a variable$/,
      expect.stringContaining('letters'),
    ],
    ['=TOPSECRET', /^e\.env:2: the text before "=" is not the name of a variable$/, expect.stringContaining('letters')],
  ])('refuses the line %j of a file with file, line and reason, and does not quote a value', (line, message, hint) => {
    const read = () => readEnvFile(`A=1\n${line}\n`, 'e.env');
    expect(read).toThrow(expect.objectContaining({ code: 'USAGE', message: expect.stringMatching(message) }));
    expect(read).toThrow(expect.objectContaining({ extras: { hint } }));
    expect(read).not.toThrow(/SECRET/);
  });
});

describe('a message that the service refuses', () => {
  const refusedWith = (failure: CliFailure) =>
    sendMessage({ call: () => Promise.reject(failure) }, { id: 'A1' }, { type: 'text', bytes: new Uint8Array(1) }, {});

  it('because the mailbox is full gets a hint that shows what waits', async () => {
    const failure = new CliFailure('THROTTLED', 'The mailbox of this actor is full.', { httpStatus: 429 });
    await expect(refusedWith(failure)).rejects.toMatchObject({
      code: 'THROTTLED',
      message: failure.message,
      extras: { httpStatus: 429, hint: 'actorctl messages list A1' },
    });
  });

  it.each([
    [
      'only the owner sets it, in default_environment',
      'only the owner sets it',
      'actorctl actors update A1 --env PATH=VALUE',
    ],
    ['only the platform sets it', 'only the platform sets it', undefined],
  ])('because of a variable is worded as the flag: %s', async (reason, why, hint) => {
    const failure = new CliFailure('VALIDATION', `Query parameter "PATH" cannot become a variable: ${reason}.`);
    await expect(refusedWith(failure)).rejects.toMatchObject({
      code: 'VALIDATION',
      message: `--env: "PATH" cannot be set for one execution: ${why}`,
      extras: { ...(hint !== undefined && { hint: `for all executions: ${hint}` }) },
    });
  });

  it('for another reason keeps its error', async () => {
    const failure = new CliFailure('NOT_FOUND', 'There is no such actor.');
    await expect(refusedWith(failure)).rejects.toBe(failure);
  });
});
