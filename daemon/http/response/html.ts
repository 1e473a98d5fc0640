// Builds HTML with mandatory escaping: text enters a page only through the `html` tag.
// @see docs/conformance/security.md R21

/** HTML that needs no further escaping. */
export interface Markup {
  readonly markup: string;
}

/** Values in a template. `undefined` renders as nothing. */
type TemplateValue = string | number | undefined | Markup | readonly Markup[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Control characters, line breaks and changes of text direction. A name must not be able to rearrange the page. */
const UNSAFE_CHARACTERS = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/gu;

/** Escapes text for element content and quoted attributes. Unsafe characters become U+FFFD. */
export const escaped = (text: string): string =>
  text.replace(UNSAFE_CHARACTERS, '\ufffd').replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

const markupOf = (hole: TemplateValue): string => {
  if (hole === undefined) return '';
  if (typeof hole === 'string') return escaped(hole);
  if (typeof hole === 'number') return String(hole);
  return 'markup' in hole ? hole.markup : hole.map(({ markup }) => markup).join('');
};

/** Renders a template. Values are escaped unless they are Markup. Attributes must be quoted. */
export const html = (strings: TemplateStringsArray, ...holes: readonly TemplateValue[]): Markup => ({
  markup: strings.reduce((before, string, index) => `${before}${markupOf(holes[index - 1])}${string}`),
});
