// Text measured in columns of a terminal, cut and filled to a width.
import { stripControl } from '../text.ts';

/** Text of others for one line: without control characters, tabs and line ends turned into spaces. @see auth.md R163 */
export const oneLine = (text: string): string => stripControl(text).replace(/[\n\t]+/g, ' ');

/** Signs that take two columns: East Asian wide and fullwidth forms, and emoji. Inclusive ranges of code points. */
const wide: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x2329, 0x232a],
  [0x23e9, 0x23ec],
  [0x25fd, 0x25fe],
  [0x2614, 0x2615],
  [0x2648, 0x2653],
  [0x26a1, 0x26a1],
  [0x2705, 0x2705],
  [0x274c, 0x274c],
  [0x2753, 0x2755],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1f9ff],
  [0x1fa70, 0x1faff],
  [0x20000, 0x3fffd],
];

let segmenter: Intl.Segmenter | undefined;

/** The characters as a person counts them. The segmenter is made with the first text that needs one: it costs 15 ms. */
const graphemes = (text: string): Iterable<Intl.SegmentData> => {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
};

const graphemeWidth = (grapheme: string): number => {
  const code = grapheme.codePointAt(0) ?? 0;
  if (/^[\p{Mark}\p{Cf}]/u.test(grapheme)) return 0;
  // A variation selector 16 asks for the coloured, double-width form of a narrow sign.
  if (grapheme.includes('\ufe0f')) return 2;
  return wide.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
};

const narrow = /^[ -~]*$/;

/** How many columns of a terminal a clean text takes. */
export const widthOf = (text: string): number => {
  if (narrow.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes(text)) width += graphemeWidth(segment);
  return width;
};

/** Cuts a clean text to at most `width` columns, the last of them `…` if anything was cut. Never cuts inside a character. */
export const cutText = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text;
  if (width <= 0) return '';
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes(text)) {
    const next = graphemeWidth(segment);
    if (used + next > width - 1) break;
    kept += segment;
    used += next;
  }
  return `${kept}…`;
};

/** Fills a clean text with spaces up to `width` columns. */
export const padText = (text: string, width: number, side: 'left' | 'right' = 'left'): string => {
  const gap = ' '.repeat(Math.max(0, width - widthOf(text)));
  return side === 'left' ? text + gap : gap + text;
};
