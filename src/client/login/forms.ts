// Reads the forms of the login and consent pages, which need no script, as a program. @see auth.md R104

/** A form of a page, with its hidden fields. */
export interface PageForm {
  /** Path that it is posted to. */
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

const decoded = (text: string): string =>
  text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,6});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return entities[name.toLowerCase()] ?? whole;
    const point = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });

/** The attributes of a start tag. */
const attributes = (tag: string): ReadonlyMap<string, string> =>
  new Map(
    [...tag.matchAll(/\s([a-z-]+)\s*=\s*"([^"]*)"/gi)].map(([, name = '', value = '']) => [
      name.toLowerCase(),
      decoded(value),
    ]),
  );

/** All forms that are posted, in the order of the page. */
export const formsOf = (html: string): readonly PageForm[] =>
  html
    .split(/(?=<form\s)/i)
    .slice(1)
    .flatMap((piece) => {
      const [form = ''] = piece.split(/<\/form>/i);
      const own = attributes(/^<form[^>]*>/i.exec(form)?.[0] ?? '');
      const action = own.get('action');
      if (action === undefined || own.get('method')?.toLowerCase() !== 'post') return [];
      const hidden = [...form.matchAll(/<input[^>]*>/gi)]
        .map(([tag]) => attributes(tag))
        .filter((input) => input.get('type') === 'hidden');
      return [
        {
          action,
          fields: Object.fromEntries(hidden.map((input) => [input.get('name') ?? '', input.get('value') ?? ''])),
        },
      ];
    });

const bare = (html: string): string =>
  decoded(html.replaceAll(/<[^>]*>/g, ' '))
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([.,;:])/g, '$1')
    .trim();

/** What a page says is wrong: its alert, or else its heading and the first paragraph behind. Undefined for a page that says nothing. */
export const complaintOf = (html: string): string | undefined => {
  const alert = /<p[^>]*\srole="alert"[^>]*>(.*?)<\/p>/is.exec(html)?.[1];
  if (alert !== undefined) return bare(alert);
  const found = /<h1[^>]*>(.*?)<\/h1>(?:.*?<p[^>]*>(.*?)<\/p>)?/is.exec(html);
  if (!found) return undefined;
  const [, title = '', text = ''] = found;
  return [bare(title), bare(text)].filter((part) => part !== '').join(': ');
};
