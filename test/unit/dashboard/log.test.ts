// Terminal output as the dashboard shows it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAnsiReader, plainLine } from '../../../daemon/web/dashboard/views/executions/log/ansi.ts';
import { createLogLines } from '../../../daemon/web/dashboard/views/executions/log/log-lines.ts';
import { columnsOf, fieldsOf, fold, layOut } from '../../../daemon/web/dashboard/views/executions/log/log-rows.ts';
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
    ['\u001b[37;41mFAIL\u001b[49m x', ['<b1>FAIL', ' x']],
    ['\u001b[48;5;2mgreen \u001b[48;2;10;20;250mblue', ['<b2>green ', '<b4>blue']],
    ['\u001b[7mreverse\u001b[27m not', ['<ar>reverse', ' not']],
    ['\u001b[31;7mred\u001b[0m', ['<b1>red']],
    ['\u001b[43;7mof yellow', ['<a3>of yellow']],
    ['\u001b[30;107mpaper', ['<ar>paper']],
    ['\u001b[40mnone', ['none']],
    ['\u001b[38;5;1;1mbold red', ['<a1 ab>bold red']],
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

describe('wrapped lines', () => {
  const folded = (text: string, columns: number) =>
    fold([{ text, style: '' }], columns).map((spans) => spans.map((span) => span.text).join(''));

  it.each([
    ['', 4, ['']],
    ['abcd', 4, ['abcd']],
    ['abcdefghi', 4, ['abcd', 'efgh', 'i']],
    ['日本語', 4, ['日本', '語']],
    ['a日本', 2, ['a', '日', '本']],
    ['a\tb', 8, ['a\t', 'b']],
    ['😀😀', 3, ['😀', '😀']],
  ])('%j in %i columns is %j', (text, columns, pieces) => {
    expect(folded(text, columns)).toEqual(pieces);
  });

  it('keep the style of each span', () => {
    const spans = [
      { text: 'abc', style: 'a1' },
      { text: 'def', style: '' },
    ];
    expect(fold(spans, 4)).toEqual([[spans[0], { text: 'd', style: '' }], [{ text: 'ef', style: '' }]]);
  });

  const linesOf = (...texts: readonly string[]) => {
    const log = createLogLines();
    for (const text of texts) log.add('stdout', '', `${text}\n`);
    return log.lines;
  };

  it('fill as many rows as they have pieces', () => {
    const anyLine = anyText().map((text) => text.replaceAll(/[\r\n]/g, ''));
    fc.assert(
      fc.property(fc.array(anyLine), fc.integer({ min: 2, max: 9 }), (texts, columns) => {
        const lines = linesOf(...texts);
        const { total, at, rowOf } = layOut(lines, columns);
        const rows = Array.from({ length: total }, (_, row) => at(row));
        expect(rows).toEqual(
          lines.flatMap(({ spans }, line) => fold(spans, columns).map((_, part) => ({ at: line, part }))),
        );
        for (const line of lines.keys()) expect(at(rowOf(line))).toEqual({ at: line, part: 0 });
      }),
    );
  });

  it('are one row each without a width', () => {
    const { total, at, rowOf } = layOut(linesOf('a'.repeat(300), 'b'), undefined);
    expect([total, at(1), rowOf(1)]).toEqual([2, { at: 1, part: 0 }, 1]);
  });
});

describe('the table of a log', () => {
  it('has the most frequent fields of its JSON objects as columns', () => {
    const log = createLogLines();
    for (const text of ['{"level":"info","n":1}', 'text', '[1]', '{"level":"warn","msg":{"a":1}}', '{"n":', 'null'])
      log.add('stdout', '', `${text}\n`);
    expect(columnsOf(log.lines)).toEqual(['level', 'n', 'msg']);
    expect([...(fieldsOf('{"level":"warn","msg":{"a":1}}') ?? [])]).toEqual([
      ['level', 'warn'],
      ['msg', '{"a":1}'],
    ]);
    const many = createLogLines();
    expect(columnsOf(many.lines)).toEqual([]);
    many.add(
      'stdout',
      '',
      `${JSON.stringify(Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`f${n}`, n])))}\n`,
    );
    expect(columnsOf(many.lines)).toHaveLength(8);
  });
});
