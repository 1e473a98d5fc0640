// Measures text in terminal columns, and cuts and pads it to a width.
import { eastAsianWidth } from 'get-east-asian-width';
import { stripControl } from '../text.ts';

/** Makes untrusted text safe for one line. @see docs/conformance/security.md R163 */
export const oneLine = (text: string): string => stripControl(text).replace(/[\n\t]+/g, ' ');

let segmenter: Intl.Segmenter | undefined;

/** Splits text into user-perceived characters. The segmenter is created on first use, because that takes 15 ms. */
const graphemes = (text: string): Iterable<Intl.SegmentData> => {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
};

const graphemeWidth = (grapheme: string): number => {
  if (/^[\p{Mark}\p{Cf}]/u.test(grapheme)) return 0;
  // Variation selector 16 requests the coloured, double-width form of a narrow symbol.
  if (grapheme.includes('\ufe0f')) return 2;
  return eastAsianWidth(grapheme.codePointAt(0) ?? 0);
};

const narrow = /^[ -~]*$/;

/** Width in terminal columns. @param text without control characters */
export const widthOf = (text: string): number => {
  if (narrow.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes(text)) width += graphemeWidth(segment);
  return width;
};

/** Cuts text (no control characters) to `width` columns, the last one `…`. Never cuts inside a character. */
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

/** Pads text with spaces to `width` columns. @param text without control characters */
export const padText = (text: string, width: number, side: 'left' | 'right' = 'left'): string => {
  const gap = ' '.repeat(Math.max(0, width - widthOf(text)));
  return side === 'left' ? text + gap : gap + text;
};
