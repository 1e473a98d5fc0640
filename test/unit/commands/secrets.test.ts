// Secrets from stdin: one per line, as soon as the line is there, and without an echo on a terminal.
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readStdinLines } from '../../../src/local/user-files.ts';
import { secretsFrom } from '../../../src/ui/secrets.ts';

const never = new AbortController().signal;
const linesOf = (stdin: PassThrough) => (count: number, limit: number) =>
  readStdinLines(count, limit, { cwd: '/', openStdin: () => stdin, signal: never });
const piped = (text: string) => {
  const stdin = new PassThrough();
  stdin.end(text);
  return { prompt: undefined, lines: linesOf(stdin) };
};

describe('secrets on stdin', () => {
  it.each([
    ['one\n', ['one']],
    ['one', ['one']],
    ['one\r\ntwo\r\n', ['one']],
    [' spaces stay \n', [' spaces stay ']],
    ['with ü\n', ['with ü']],
  ])('%j is read as %j, and further lines are ignored', async (text, secrets) => {
    expect(await secretsFrom(['Password'], piped(text))).toEqual(secrets);
  });

  it('are read one per line in the order of the questions', async () => {
    expect(await secretsFrom(['Client secret', 'Password'], piped('s\npw\n'))).toEqual(['s', 'pw']);
  });

  it('are returned while the pipe is still open', async () => {
    const stdin = new PassThrough();
    const found = secretsFrom(['Password'], { prompt: undefined, lines: linesOf(stdin) });
    stdin.write('se');
    stdin.write('cret\nnot read');
    expect(await found).toEqual(['secret']);
  });

  it.each([
    [['Password'], '', 'stdin is empty: the password must be there'],
    [['Password'], '\nlater\n', 'stdin is empty: the password must be there'],
    [['Client secret', 'Password'], 's\n', 'line 2 of stdin is missing or empty: the password must be there'],
    [['Password'], 'x'.repeat(70_000), 'stdin has more than 65536 bytes'],
  ])('for %j are refused in %.20j', async (questions, text, problem) => {
    await expect(secretsFrom(questions, piped(text))).rejects.toThrow(problem);
  });

  it('are asked for on a terminal, without reading its lines', async () => {
    const asked: string[] = [];
    const prompt = { secret: async (question: string) => `typed ${asked.push(question)}` };
    const lines = () => Promise.reject(new Error('not read'));
    expect(await secretsFrom(['Client secret', 'Password'], { prompt, lines })).toEqual(['typed 1', 'typed 2']);
    expect(asked).toEqual(['Client secret:', 'Password:']);
  });
});
