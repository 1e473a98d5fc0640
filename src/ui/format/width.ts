// Text measured in columns of a terminal, cut and filled to a width.
import { eastAsianWidth } from 'get-east-asian-width';
import { stripControl } from '../text.ts';

/** Text of others for one line: without control characters, tabs and line ends turned into spaces. @see auth.md R163 */
export const oneLine = (text: string): string => stripControl(text).replace(/[\n\t]+/g, ' ');

let segmenter: Intl.Segmenter | undefined;

/** The characters as a person counts them. The segmenter is made with the first text that needs one: it costs 15 ms. */
const graphemes = (text: string): Iterable<Intl.SegmentData> => {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
};

const graphemeWidth = (grapheme: string): number => {
  if (/^[\p{Mark}\p{Cf}]/u.test(grapheme)) return 0;
  // A variation selector 16 asks for the coloured, double-width form of a narrow sign.
  if (grapheme.includes('\ufe0f')) return 2;
  return eastAsianWidth(grapheme.codePointAt(0) ?? 0);
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
