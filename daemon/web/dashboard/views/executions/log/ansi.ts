// Reads terminal output: colours become classes, all other escape sequences are left out.
import { safeLines } from '../../../parts/text.ts';

export interface Span {
  readonly text: string;
  /** CSS class names, separated by spaces. */
  readonly style: string;
}

interface Style {
  color: number | undefined;
  background: number | undefined;
  reverse: boolean;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
}

// OSC, DCS and similar strings up to their end; CSI with its parameters; other sequences of two or three characters.
const SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
  /\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[\u001b]\[([0-9:;<=>?]*)[ -/]*([@-~])|\u009b([0-9:;<=>?]*)[ -/]*([@-~])|\u001b[ -/]*[0-~]?/g;

/** The nearest of the eight colours, because a log must be readable in the light and the dark theme. */
const nearest = (red: number, green: number, blue: number): number => {
  const most = Math.max(red, green, blue);
  if (most - Math.min(red, green, blue) < 40) return most < 90 ? 8 : 7;
  const on = (part: number): number => (part > most * 0.6 ? 1 : 0);
  return on(red) + 2 * on(green) + 4 * on(blue);
};

/** A colour of the palette of 256. */
const ofPalette = (index: number): number => {
  if (index < 16) return index % 8 === 0 && index > 0 ? 8 : index % 8;
  if (index >= 232) return index < 244 ? 8 : 7;
  const cube = index - 16;
  return nearest(Math.floor(cube / 36) * 51, (Math.floor(cube / 6) % 6) * 51, (cube % 6) * 51);
};

const plain = (): Style => ({
  color: undefined,
  background: undefined,
  reverse: false,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
});

/** The colour of a parameter 38 or 48, and the number of parameters that describe it. */
const longColor = ([kind, ...rest]: readonly number[]): readonly [color: number | undefined, length: number] => {
  if (kind === 5) return [ofPalette(rest[0] ?? 0), 2];
  if (kind === 2) return [nearest(rest[0] ?? 0, rest[1] ?? 0, rest[2] ?? 0), 4];
  return [undefined, 0];
};

const apply = (style: Style, parameters: string): void => {
  const codes = parameters.split(/[;:]/).map(Number);
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 0) Object.assign(style, plain());
    else if (code === 1) style.bold = true;
    else if (code === 2) style.dim = true;
    else if (code === 3) style.italic = true;
    else if (code === 4) style.underline = true;
    else if (code === 7) style.reverse = true;
    else if (code === 22) Object.assign(style, { bold: false, dim: false });
    else if (code === 23) style.italic = false;
    else if (code === 24) style.underline = false;
    else if (code === 27) style.reverse = false;
    else if (code >= 30 && code <= 37) style.color = code - 30;
    else if (code === 39) style.color = undefined;
    else if (code >= 90 && code <= 97) style.color = code === 90 ? 8 : code - 90;
    else if (code >= 40 && code <= 47) style.background = code - 40;
    else if (code === 49) style.background = undefined;
    else if (code >= 100 && code <= 107) style.background = code === 100 ? 8 : code - 100;
    else if (code === 38 || code === 48) {
      const [color, length] = longColor(codes.slice(at + 1));
      if (length > 0) style[code === 38 ? 'color' : 'background'] = color;
      at += length;
    }
  }
};

// Black and white become the text colour of the page, and its paper as a background.
const hue = (color: number | undefined): number | undefined => (color === 0 || color === 7 ? undefined : color);

/** A background has text in the colour of the paper, which is readable in both themes. */
const colorClass = ({ color, background, reverse }: Style): string => {
  const back = reverse ? hue(color) : hue(background);
  if (back !== undefined) return `b${back}`;
  if (reverse ? hue(background) === undefined : background === 7) return 'ar';
  const text = reverse ? hue(background) : hue(color);
  return text === undefined ? '' : `a${text}`;
};

const classesOf = (style: Style): string => {
  const { bold, dim, italic, underline } = style;
  return [colorClass(style), bold ? 'ab' : '', dim ? 'ad' : '', italic ? 'ai' : '', underline ? 'au' : '']
    .filter((name) => name !== '')
    .join(' ');
};

/** What a terminal shows of a line: text after a carriage return overwrites the line from its start. */
const afterReturns = (line: string): string => {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  return text.slice(text.lastIndexOf('\r') + 1);
};

export const createAnsiReader = () => {
  const style = plain();
  return {
    /** The spans of a line, without its end. */
    read: (line: string): readonly Span[] => {
      const text = afterReturns(line);
      const spans: Span[] = [];
      let from = 0;
      const add = (until: number): void => {
        if (until > from) spans.push({ text: safeLines(text.slice(from, until)), style: classesOf(style) });
      };
      for (const match of text.matchAll(SEQUENCE)) {
        add(match.index);
        from = match.index + match[0].length;
        if ((match[2] ?? match[4]) === 'm') apply(style, match[1] ?? match[3] ?? '');
      }
      add(text.length);
      return spans;
    },
  };
};

/** A line without any sequence, for searching and downloading. */
export const plainLine = (line: string): string => safeLines(afterReturns(line).replace(SEQUENCE, ''));
