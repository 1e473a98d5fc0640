// Markdown as a terminal shows it.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { plain } from '../../../src/ui/color.ts';
import { widthOf } from '../../../src/ui/format/width.ts';
import { formatMarkdown } from '../../../src/ui/markdown.ts';

const marked = (name: string) => (text: string) => `<${name}>${text}</>`;
const paint = { ...plain, bold: marked('b'), cyan: marked('c'), dim: marked('d') };
const format = (text: string, width = 40) => formatMarkdown(text, { paint: plain, width });

describe('a page on a terminal', () => {
  it.each([
    ['# Title\n\ntext', 'Title\n\ntext\n'],
    ['one\ntwo', 'one two\n'],
    [
      '- first item of a list that is long enough\n- second',
      '- first item of a list that is long\n  enough\n- second\n',
    ],
    ['1. one\n2. two\n   - inner', '1. one\n2. two\n\n   - inner\n'],
    ['```sh\necho  a\n\nb\n```', '    echo  a\n\n    b\n'],
    ['see [here](actors.md#state) and [there](https://example.org)', 'see here and there (https://example.org)\n'],
    ['<https://example.org>', 'https://example.org\n'],
    ['![picture](img/x.png)\n\nafter', 'after\n'],
    ['<!-- not shown -->\n\nafter', 'after\n'],
    ['> quoted', '│ quoted\n'],
    ['a &lt; b & `<c>`', 'a < b & <c>\n'],
    ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa b', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nb\n'],
    ['', '\n'],
  ])('%j is %j', (text, shown) => {
    expect(format(text)).toBe(shown);
  });

  it('marks headings, code and words that matter', () => {
    const shown = formatMarkdown('# Big\n\nUse `-x`, **always**.', { paint, width: 40 });
    expect(shown).toBe('<b>Big</>\n\nUse <c>-x</>, <b>always</>.\n');
  });

  it('has tables in columns, whose widest cells are wrapped', () => {
    const table = '| flag | effect |\n|---|---|\n| `-a` | short |\n| `--long-flag` | words that do not fit beside it |';
    expect(format(table)).toBe(
      'flag         effect\n-a           short\n--long-flag  words that do not fit\n             beside it\n',
    );
  });

  it('leaves out control characters', () => {
    expect(format('a\u001b[31mb\u0007\n\n    \u001b]0;x\u0007code')).toBe('ab\n\n    code\n');
  });

  const docs = new URL('../../../docs/', import.meta.url);
  it.each(readdirSync(docs).filter((name) => name.endsWith('.md')))('%s has no line beyond 80 columns', (name) => {
    const page = readFileSync(new URL(name, docs), 'utf8');
    const code = new Set(
      [...page.matchAll(/^ *```\w*\n([\s\S]*?)^ *```$/gm)].flatMap(([, text = '']) =>
        text.split('\n').map((line) => line.trim()),
      ),
    );
    const long = format(page, 80)
      .split('\n')
      .filter((line) => widthOf(line) > 80 && !code.has(line.trim()) && line.trim().includes(' '));
    expect(long).toEqual([]);
  });
});
