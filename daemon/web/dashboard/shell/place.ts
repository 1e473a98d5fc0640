// The location within the page: a view, its object, and its filters, all in the fragment of the address.
// @see docs/dashboard.md#views

export interface Place {
  /** The segments of the path, decoded: `['actors', 'abc']`. Empty for the overview. */
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

export interface ViewProps {
  readonly place: Place;
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The line of a log at the end of an address: `#L120`. */
const LINE = /#L(\d{1,9})$/;

/** Reads `#/actors/abc?tab=state`, and `#/executions/abc#L120` as `line`. */
export const placeOf = (hash: string): Place => {
  const [, line] = LINE.exec(hash) ?? [];
  const [path = '', query = ''] = hash
    .replace(LINE, '')
    .replace(/^#?\/?/, '')
    .split(/\?(.*)/s);
  return {
    path: path
      .split('/')
      .filter((part) => part !== '')
      .map(decoded),
    query: { ...Object.fromEntries(new URLSearchParams(query)), ...(line !== undefined && { line }) },
  };
};

export const hashOf = (path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string => {
  const { line, ...filters } = query;
  const pairs = Object.entries(filters).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== '',
  );
  const text = new URLSearchParams(pairs).toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}${line ? `#L${line}` : ''}`;
};
