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

/** Reads `#/actors/abc?tab=state`. */
export const placeOf = (hash: string): Place => {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split(/\?(.*)/s);
  return {
    path: path
      .split('/')
      .filter((part) => part !== '')
      .map(decoded),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
};

export const hashOf = (path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string => {
  const pairs = Object.entries(query).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== '',
  );
  const text = new URLSearchParams(pairs).toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
};
