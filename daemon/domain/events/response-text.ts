// What a delivery retains of the response of its receiver: the begin of its text, without secrets.

/** Retained characters of a response. */
const SHOWN = 4_096;

/** Bytes of a response that the poster hands over. It is longer, so that no secret is cut before it is masked. */
export const RESPONSE_READ = 2 * SHOWN;

export interface ResponseBody {
  readonly type?: string;
  readonly bytes: Uint8Array;
  /** True if the response has more bytes. */
  readonly isCut: boolean;
}

/** The retained response. Without `text`, it is not UTF-8. */
export interface ShownResponse {
  readonly type?: string;
  readonly text?: string;
  readonly isCut?: true;
}

const MASK = '***';

/** A member or parameter whose name is that of a secret, with its value. */
const NAMED =
  '((?:authorization|token|secret|passw(?:or)?d|api[_-]?key|nonce|cookie)["\']?\\s{0,4}[:=]\\s{0,4}(?:(?:Bearer|Basic) )?["\']?)(?:[^"\'\\s,;&<>}]{3,})';

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The parts of a webhook URL that can be a key: the values of its query, and long segments of its path. */
const keysIn = (url: string): readonly string[] => {
  if (!URL.canParse(url)) return [];
  const { pathname, search } = new URL(url);
  const values = search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1));
  const keys = [
    ...values.filter(({ length }) => length >= 4),
    ...pathname.split('/').filter(({ length }) => length >= 16),
  ];
  return [...new Set(keys.flatMap((key) => [key, decoded(key)]))].toSorted((one, other) => other.length - one.length);
};

const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    // A character that the limit cuts through is left out.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
};

/** The response as it is retained: keys of the webhook's URL and values with the names of secrets are `***`. */
export const shownResponse = ({ type, bytes, isCut }: ResponseBody, url: string): ShownResponse => {
  const text = textOf(bytes);
  const about = type === undefined ? {} : { type: type.slice(0, 100) };
  if (text === undefined) return about;
  const keys = keysIn(url).map(escaped);
  const secret = new RegExp([...keys, NAMED].join('|'), 'gi');
  let shown = '';
  let at = 0;
  for (const match of text.matchAll(secret)) {
    if (match.index >= SHOWN) break;
    shown += `${text.slice(at, match.index)}${match[1] ?? ''}${MASK}`;
    at = match.index + match[0].length;
  }
  shown += text.slice(at, Math.max(at, SHOWN));
  return { ...about, text: shown, ...((isCut || text.length > Math.max(at, SHOWN)) && { isCut: true as const }) };
};
