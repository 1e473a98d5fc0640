// Parses the forms of the login and consent pages, which work without scripts. @see docs/conformance/security.md R104

export interface PageForm {
  /** Path in the attribute `action`. */
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

const attributes = (tag: string): ReadonlyMap<string, string> =>
  new Map(
    [...tag.matchAll(/\s([a-z-]+)\s*=\s*"([^"]*)"/gi)].map(([, name = '', value = '']) => [
      name.toLowerCase(),
      decoded(value),
    ]),
  );

/** All forms with method post, in page order. */
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

/** The name of the client on a consent page. Undefined on other pages. */
export const clientNameOf = (html: string): string | undefined => {
  const name = /<h1[^>]*>[^<]*<bdi[^>]*>(.*?)<\/bdi>/is.exec(html)?.[1];
  return name === undefined ? undefined : bare(name);
};

/**
 * The error message of a page: its alert, else its heading and the next paragraph. Undefined if the page has no
 * error.
 */
export const complaintOf = (html: string): string | undefined => {
  const alert = /<p[^>]*\srole="alert"[^>]*>(.*?)<\/p>/is.exec(html)?.[1];
  if (alert !== undefined) return bare(alert);
  const found = /<h1[^>]*>(.*?)<\/h1>(?:.*?<p[^>]*>(.*?)<\/p>)?/is.exec(html);
  if (!found) return undefined;
  const [, title = '', text = ''] = found;
  return [bare(title), bare(text)].filter((part) => part !== '').join(': ');
};
