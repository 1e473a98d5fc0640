// Reads and writes JSON without rounding numbers, where the browser can (Chromium 114, Firefox 135, Safari 18.4).

interface Context {
  readonly source?: string;
}

const { parse, rawJSON } = JSON as unknown as {
  readonly parse: (text: string, reviver: (key: string, value: unknown, context?: Context) => unknown) => unknown;
  readonly rawJSON?: (text: string) => unknown;
};

/** Parses JSON. A number that JavaScript would round or write differently is kept as it is for `JSON.stringify`. */
export const parseExact = (text: string): unknown =>
  parse(text, (_key, value, context) =>
    typeof value === 'number' && context?.source !== undefined && String(value) !== context.source && rawJSON
      ? rawJSON(context.source)
      : value,
  );
