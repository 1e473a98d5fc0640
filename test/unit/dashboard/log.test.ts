// Terminal output as the dashboard shows it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAnsiReader, plainLine } from '../../../daemon/web/dashboard/parts/ansi.ts';
import { createLogLines } from '../../../daemon/web/dashboard/parts/log-lines.ts';
import { anyText } from '../../support/values/any-text.ts';

const spans = (...lines: string[]) => {
  const reader = createAnsiReader();
  return lines.map((line) => reader.read(line).map(({ text, style }) => (style === '' ? text : `<${style}>${text}`)));
};

describe('colours', () => {
  it.each([
    ['\u001b[32mok\u001b[0m 12', ['<a2>ok', ' 12']],
    ['\u001b[1;31mFAIL\u001b[22m x', ['<a1 ab>FAIL', '<a1> x']],
    ['\u001b[38;5;196mred\u001b[39m', ['<a1>red']],
    ['\u001b[38;2;10;20;250mblue', ['<a4>blue']],
    ['\u001b[48;5;1mno background', ['no background']],
    ['\u001b[97mwhite is ink', ['white is ink']],
    ['\u001b[4munder\u001b[m', ['<au>under']],
  ])('%j is %j', (line, shown) => {
    expect(spans(line)).toEqual([shown]);
  });

  it('continue in the next line', () => {
    expect(spans('\u001b[33mone', 'two\u001b[0m', 'three')).toEqual([['<a3>one'], ['<a3>two'], ['three']]);
  });
});

describe('R173 other sequences', () => {
  it.each([
    ['\u001b]0;title\u0007text', 'text'],
    ['\u001b]8;;http://evil\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['a\u001b[2J\u001b[1;1Hb', 'ab'],
    ['\u001bPq#0\u001b\\x', 'x'],
    ['\u001b(Bx\u001b=', 'x'],
    ['50%\r100%', '100%'],
    ['windows\r', 'windows'],
    ['a\u0008b\u0000', 'a\ufffdb\ufffd'],
    ['\u202egnp.exe', '\ufffdgnp.exe'],
    ['tab\there', 'tab\there'],
  ])('%j is shown as %j', (line, shown) => {
    expect(plainLine(line)).toBe(shown);
    expect(spans(line).flat().join('')).toBe(shown);
  });

  it('never leave a control character', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        const shown = spans(text.replaceAll('\n', '')).flat().join('');
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not occur
        expect(shown).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      }),
    );
  });
});

describe('the pieces of a log', () => {
  it('become lines, separately for each stream', () => {
    const log = createLogLines();
    log.add('stdout', 't1', 'one\ntw');
    log.add('stderr', 't2', 'warn\n');
    log.add('stdout', 't3', 'o\nthree');
    expect(log.lines.map(({ stream, text }) => `${stream} ${text}`)).toEqual([
      'stdout one',
      'stdout two',
      'stderr warn',
      'stdout three',
    ]);
  });

  it('keep a colour that begins in one piece and ends in another', () => {
    const log = createLogLines();
    log.add('stdout', 't', '\u001b[31mre');
    log.add('stdout', 't', 'd\nmore\u001b[0m\nplain\n');
    expect(log.lines.map(({ spans: [span] }) => [span?.text, span?.style])).toEqual([
      ['red', 'a1'],
      ['more', 'a1'],
      ['plain', ''],
    ]);
  });

  it('do not retain text that a progress bar has overwritten', () => {
    const log = createLogLines();
    // With the overwritten text, the pieces would be read again and again, 100 GB in all, and the test would time out.
    const bar = `\r${'#'.repeat(500)}`;
    for (let at = 0; at < 20_000; at += 1) log.add('stdout', 't', `${bar}${at}`);
    log.add('stdout', 't', '\r');
    log.add('stdout', 't', '\ndone\r');
    log.add('stdout', 't', '\n');
    expect(log.lines.map(({ text }) => text.slice(-5))).toEqual(['19999', 'done']);
  });

  it('has each notice on its own line, and no line continues behind a notice', () => {
    const log = createLogLines();
    log.add('stdout', 't', 'a\nbegun');
    log.add('notice', 't', '[limit]');
    log.add('notice', 't', '[9 bytes left out]');
    log.add('stdout', 't', 'rest\n');
    expect(log.lines.map(({ stream, text }) => `${stream} ${text}`)).toEqual([
      ...['stdout a', 'stdout begun', 'notice [limit]', 'notice [9 bytes left out]', 'stdout rest'],
    ]);
  });
});
