// Accessibility audit of a page in a real browser: contrast, keyboard focus, labels and width, measured on the rendered
// page.
import type { Locator, Page } from 'playwright-core';

/** The few DOM types that the audit uses, because this project does not include the DOM library types. */
interface Style {
  readonly [property: string]: string;
}
interface Box {
  readonly width: number;
  readonly height: number;
}
interface Node {
  readonly nodeType: number;
  readonly textContent: string | null;
}
interface Element extends Node {
  readonly tagName: string;
  readonly id: string;
  readonly type?: string;
  readonly tabIndex: number;
  readonly parentElement: Element | null;
  readonly childNodes: Iterable<Node>;
  readonly labels?: { readonly length: number };
  getBoundingClientRect(): Box;
  getAttribute(name: string): string | null;
  focus(): void;
}
interface Document {
  readonly title: string;
  readonly documentElement: Element & { readonly scrollWidth: number; readonly lang: string };
  readonly activeElement: Element | null;
  querySelectorAll(selector: string): Iterable<Element>;
}
declare const document: Document;
declare const window: { readonly innerWidth: number; getComputedStyle(element: Element): Style };

/** Runs inside the browser, so it cannot use anything outside its body. Returns each problem as a sentence. */
const measure = (): string[] => {
  type Color = readonly [red: number, green: number, blue: number, alpha: number];
  const colorOf = (text: string): Color => {
    const [red = 0, green = 0, blue = 0, alpha = 1] = (text.match(/[\d.]+/g) ?? []).map(Number);
    return [red, green, blue, alpha];
  };
  const channel = (value: number): number => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  };
  const luminance = ([red, green, blue]: Color): number =>
    0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue);
  const contrast = (one: Color, other: Color): number => {
    const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const style = (element: Element) => window.getComputedStyle(element);
  const behind = (element: Element | null): Color => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = colorOf(style(at)['backgroundColor'] ?? '');
      if (color[3] === 1) return color;
    }
    return [255, 255, 255, 1];
  };
  const nameOf = (element: Element) =>
    `${element.tagName.toLowerCase()}${element.id && `#${element.id}`} "${(element.textContent ?? '').trim().slice(0, 30)}"`;

  const wrong: string[] = [];
  const need = (what: string, ratio: number, least: number) => {
    if (ratio < least) wrong.push(`${what}: contrast ${ratio.toFixed(2)} below ${least}`);
  };

  for (const element of document.querySelectorAll('main, main *')) {
    const ownText = [...element.childNodes].some(
      (node) => node.nodeType === 3 && (node.textContent ?? '').trim() !== '',
    );
    if (!ownText) continue;
    const { color = '', fontSize = '', fontWeight = '' } = style(element);
    const pixels = Number.parseFloat(fontSize);
    const isLarge = pixels >= 24 || (pixels >= 18.66 && Number(fontWeight) >= 700);
    need(`text of ${nameOf(element)}`, contrast(colorOf(color), behind(element)), isLarge ? 3 : 4.5);
    if (pixels < 14) wrong.push(`text of ${nameOf(element)} is ${pixels} px`);
  }

  for (const control of document.querySelectorAll('input:not([type=hidden]), button')) {
    const { borderTopColor = '', borderTopWidth = '', textDecorationLine = '' } = style(control);
    const around = behind(control.parentElement);
    const edge =
      Number.parseFloat(borderTopWidth) > 0 && colorOf(borderTopColor)[3] === 1
        ? colorOf(borderTopColor)
        : behind(control);
    if (!textDecorationLine.includes('underline')) need(`edge of ${nameOf(control)}`, contrast(edge, around), 3);
    const { width, height } = control.getBoundingClientRect();
    if (width < 24 || height < 24) wrong.push(`${nameOf(control)} is ${width} × ${height} px, too small to hit`);
    if (control.tabIndex !== 0) wrong.push(`${nameOf(control)} is out of the tab order`);
    if (control.tagName === 'INPUT' && control.labels?.length !== 1)
      wrong.push(`${nameOf(control)} has no label of its own`);
    if (control.tagName === 'BUTTON' && (control.textContent ?? '').trim() === '') wrong.push('a button has no name');
  }

  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  if (new Set(ids).size !== ids.length) wrong.push(`an id is there twice: ${ids.join(' ')}`);
  for (const element of document.querySelectorAll('[aria-describedby], label[for]')) {
    const target = element.getAttribute('aria-describedby') ?? element.getAttribute('for') ?? '';
    if (!ids.includes(target)) wrong.push(`${nameOf(element)} points at #${target}, which is not there`);
  }
  for (const [selector, count] of [['h1', 1] as const, ['main', 1] as const]) {
    const found = [...document.querySelectorAll(selector)].length;
    if (found !== count) wrong.push(`${found} × ${selector}`);
  }
  if (document.documentElement.lang === '') wrong.push('no language');
  if (document.title === '') wrong.push('no title');
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > window.innerWidth) wrong.push(`${scrollWidth} px wide in a window of ${window.innerWidth}`);
  return wrong;
};

/** Runs inside the browser. Returns the outline of the focused element. */
const focusMark = (): { readonly width: number; readonly style: string } => {
  const element = document.activeElement;
  const { outlineWidth = '', outlineStyle = '' } = element === null ? {} : window.getComputedStyle(element);
  return { width: Number.parseFloat(outlineWidth), style: outlineStyle };
};

/** Runs inside the browser. Returns the style properties that could make one button more prominent than another. */
const look = (element: Element): Readonly<Record<string, unknown>> => {
  const { width, height } = element.getBoundingClientRect();
  const { color, backgroundColor, font, borderColor, opacity, cursor } = window.getComputedStyle(element);
  return {
    width: Math.round(width),
    height: Math.round(height),
    color,
    backgroundColor,
    font,
    borderColor,
    opacity,
    cursor,
  };
};

/** Returns each problem of the current page as a sentence. Empty if there is none. */
export const audit = (page: Page): Promise<string[]> => page.evaluate(measure);

/** Outline of the focused element, in CSS pixels. */
export const focusOutline = (page: Page): Promise<{ readonly width: number; readonly style: string }> =>
  page.evaluate(focusMark);

/** The size and style of the element that the locator finds. */
export const lookOf = (locator: Locator): Promise<Readonly<Record<string, unknown>>> => locator.evaluate(look);

/** The id of the focused element, or its text if it has no id. */
export const focused = async (page: Page): Promise<string> => {
  const locator = page.locator(':focus');
  return (await locator.getAttribute('id')) ?? (await locator.textContent()) ?? '';
};
