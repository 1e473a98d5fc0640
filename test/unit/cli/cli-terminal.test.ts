// Terminal rules as tables: colour, questions, and text from others.
import { describe, expect, it } from 'vitest';
import { type ColorInput, hasColor } from '../../../src/ui/color.ts';
import { mayPrompt } from '../../../src/ui/prompt.ts';
import { stripControl } from '../../../src/ui/text.ts';

const color = (change: Partial<ColorInput>) =>
  hasColor({ mode: 'auto', env: {}, tty: true, machine: false, ...change });

describe('colour', () => {
  it.each([
    ['a terminal', {}, true],
    ['a pipe', { tty: false }, false],
    ['--color always in a pipe', { mode: 'always', tty: false, env: { NO_COLOR: '1' } }, true],
    ['--color never', { mode: 'never', env: { FORCE_COLOR: '1' } }, false],
    ['NO_COLOR', { env: { NO_COLOR: '1' } }, false],
    ['an empty NO_COLOR', { env: { NO_COLOR: '' } }, true],
    ['NO_COLOR before FORCE_COLOR', { env: { NO_COLOR: '1', FORCE_COLOR: '1' } }, false],
    ['FORCE_COLOR in a pipe', { tty: false, env: { FORCE_COLOR: '1' } }, true],
    ['FORCE_COLOR before TERM=dumb', { env: { FORCE_COLOR: '3', TERM: 'dumb' } }, true],
    ['FORCE_COLOR=0', { tty: false, env: { FORCE_COLOR: '0' } }, false],
    ['FORCE_COLOR=false', { tty: false, env: { FORCE_COLOR: 'false' } }, false],
    ['an empty FORCE_COLOR', { tty: false, env: { FORCE_COLOR: '' } }, false],
    ['TERM=dumb', { env: { TERM: 'dumb' } }, false],
    ['data for a machine, whatever is asked', { machine: true, mode: 'always', env: { FORCE_COLOR: '1' } }, false],
  ] satisfies [string, Partial<ColorInput>, boolean][])('with %s', (_name, input, expected) => {
    expect(color(input)).toBe(expected);
  });
});

describe('a question', () => {
  const person = { stdinTty: true, stderrTty: true, noInput: false, machine: false };
  it('is asked if stdin and stdout are a terminal', () => {
    expect(mayPrompt(person)).toBe(true);
  });
  it.each([{ stdinTty: false }, { stderrTty: false }, { noInput: true }, { machine: true }])(
    'is not asked with %j',
    (change) => {
      expect(mayPrompt({ ...person, ...change })).toBe(false);
    },
  );
});

describe('R163 text from others', () => {
  it.each([
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007x', 'x'],
    ['\u001b]8;;http://evil.test\u001b\\link', 'link'],
    ['\u009b2Jx', 'x'],
    ['a\u0007b\u0000c\u007fd\u0085e', 'abcde'],
    ['fo\rr\bged', 'forged'],
    ['a\u2028b\u202ec\u2066d', 'abcd'],
    ['tab\tand\nline stay', 'tab\tand\nline stay'],
    ['naïve 日本 🎉', 'naïve 日本 🎉'],
  ])('%j has no effect on the terminal', (text, expected) => {
    expect(stripControl(text)).toBe(expected);
  });

  it('is sanitized in linear time', () => {
    // The pattern takes milliseconds for 60,000 repeats, and a quadratic one half a minute. For 300,000 repeats that one takes longer than the
    // time limit of the tests.
    for (const hostile of ['\u001b]', '\u001b[', '\u001b[0', '\u009d', '\u001bP;', '\u001b ']) {
      expect({ hostile, left: stripControl(hostile.repeat(300_000)).includes('\u001b') }).toEqual({
        hostile,
        left: false,
      });
    }
  });
});
