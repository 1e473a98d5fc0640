// Formats Markdown for a terminal.
import { lexer, type Token, type Tokens } from 'marked';
import type { Paint } from './color.ts';
import { padText, widthOf } from './format/width.ts';
import { stripControl } from './text.ts';

export interface MarkdownOptions {
  readonly paint: Paint;
  /** Columns of the terminal. */
  readonly width: number;
}

/** Longer lines are hard to read. */
const WIDEST = 100;
/** Columns that a column of a table keeps when it is narrowed. */
const NARROWEST = 12;
const GAP = '  ';

type Style = (text: string) => string;

/** A word, or a line break. Words without a space between them belong together. */
interface Piece {
  readonly text: string;
  readonly style: Style;
}

const asIs: Style = (text) => text;

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&#39;': "'",
};
const decoded = (text: string): string =>
  text.replace(/&(?:lt|gt|amp|quot|#39);/g, (entity) => entities[entity] ?? entity);

const isOutside = (href: string): boolean => /^https?:/.test(href);

const piecesOf = (tokens: readonly Token[], paint: Paint, style: Style = asIs): readonly Piece[] =>
  tokens.flatMap((token): readonly Piece[] => {
    switch (token.type) {
      case 'codespan':
        return [{ text: decoded((token as Tokens.Codespan).text), style: paint.cyan }];
      case 'strong':
      case 'em':
        return piecesOf(token.tokens ?? [], paint, paint.bold);
      case 'link': {
        const { href, tokens: inner } = token as Tokens.Link;
        const text = piecesOf(inner, paint, style);
        const isBare = inner.length === 1 && inner[0]?.raw === href;
        return isOutside(href) && !isBare ? [...text, { text: ` (${href})`, style: paint.dim }] : text;
      }
      case 'image':
      case 'html':
        return [];
      case 'br':
        return [{ text: '\n', style }];
      default:
        return 'tokens' in token && token.tokens !== undefined
          ? piecesOf(token.tokens, paint, style)
          : [{ text: decoded((token as Tokens.Text).text), style }];
    }
  });

/**
 * Breaks pieces into lines of at most `width` columns. A longer word has a line of its own.
 * @param cuts true to cut longer words, as a column of a table must
 */
const wrap = (pieces: readonly Piece[], width: number, cuts = false): readonly string[] => {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  /** The parts of a word: `(`, `code`, `),` */
  let word: Piece[] = [];
  const endLine = (): void => {
    lines.push(line);
    line = '';
    used = 0;
  };
  const endWord = (): void => {
    const columns = word.reduce((sum, { text }) => sum + widthOf(text), 0);
    if (columns === 0) return;
    if (cuts && columns > width) {
      for (const { text, style } of word)
        for (const character of text) {
          if (used + widthOf(character) > width) endLine();
          line += style(character);
          used += widthOf(character);
        }
      word = [];
      return;
    }
    if (used > 0 && used + 1 + columns > width) endLine();
    line += (used > 0 ? ' ' : '') + word.map(({ text, style }) => style(text)).join('');
    used += (used > 0 ? 1 : 0) + columns;
    word = [];
  };
  for (const { text, style } of pieces) {
    for (const part of stripControl(text).split(/(\s+)/)) {
      if (part === '') continue;
      if (/^\s/.test(part)) endWord();
      else word.push({ text: part, style });
    }
    if (text === '\n') endLine();
  }
  endWord();
  if (used > 0 || lines.length === 0) endLine();
  return lines;
};

const indented = (lines: readonly string[], first: string, others: string): readonly string[] =>
  lines.map((line, at) => (line === '' ? '' : (at === 0 ? first : others) + line));

/** Widths of the columns. The widest are narrowed until the table fits, or until none is above `NARROWEST`. */
const columnWidths = (wanted: readonly number[], room: number): readonly number[] => {
  const widths = [...wanted];
  const sum = (): number => widths.reduce((total, each) => total + each, 0);
  while (sum() > room) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= NARROWEST) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
};

const tableLines = ({ header, rows }: Tokens.Table, { paint, width }: MarkdownOptions): readonly string[] => {
  const cells = [header, ...rows].map((row, at) =>
    row.map(({ tokens }) => piecesOf(tokens, paint, at === 0 ? paint.bold : asIs)),
  );
  const plain = (pieces: readonly Piece[]): number => widthOf(pieces.map(({ text }) => stripControl(text)).join(''));
  const wanted = header.map((_, column) => Math.max(...cells.map((row) => plain(row[column] ?? []))));
  const widths = columnWidths(wanted, width - GAP.length * (header.length - 1));
  return cells.flatMap((row) => {
    const wrapped = row.map((pieces, column) => wrap(pieces, Math.max(2, widths[column] ?? 0), true));
    const height = Math.max(...wrapped.map((lines) => lines.length));
    return Array.from({ length: height }, (_, at) =>
      wrapped
        .map((lines, column) => {
          const text = lines[at] ?? '';
          // The colours of a cell have no width.
          return text + padText('', (widths[column] ?? 0) - widthOf(stripControl(text)));
        })
        .join(GAP)
        .trimEnd(),
    );
  });
};

const blockLines = (token: Token, options: MarkdownOptions): readonly string[] => {
  const { paint, width } = options;
  switch (token.type) {
    case 'heading':
      return wrap(piecesOf(token.tokens ?? [], paint, paint.bold), width);
    case 'paragraph':
    case 'text':
      return wrap(piecesOf(token.tokens ?? [token], paint), width);
    case 'code':
      return indented(stripControl((token as Tokens.Code).text).split('\n'), '    ', '    ');
    case 'blockquote':
      return indented(blocks(token.tokens ?? [], { paint, width: width - 2 }), '│ ', '│ ');
    case 'table':
      return tableLines(token as Tokens.Table, options);
    case 'list': {
      const { items, ordered, start } = token as Tokens.List;
      return items.flatMap(({ tokens }, at) => {
        const mark = ordered ? `${Number(start) + at}. ` : '- ';
        return indented(blocks(tokens, { paint, width: width - mark.length }), mark, ' '.repeat(mark.length));
      });
    }
    case 'hr':
      return ['─'.repeat(Math.min(width, 40))];
    default:
      return [];
  }
};

/** Blocks with an empty line between them. */
const blocks = (tokens: readonly Token[], options: MarkdownOptions): readonly string[] =>
  tokens
    .map((token) => blockLines(token, options))
    .filter((lines) => lines.some((line) => line !== ''))
    .flatMap((lines, at) => (at === 0 ? lines : ['', ...lines]));

/** Formats a page. Links show the address only if it leads out of the documentation. Pictures are left out. */
export const formatMarkdown = (page: string, { paint, width }: MarkdownOptions): string =>
  `${blocks(lexer(page), { paint, width: Math.min(width, WIDEST) }).join('\n')}\n`;
