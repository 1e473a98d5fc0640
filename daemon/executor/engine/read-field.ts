// Reads what others send, of which nothing is certain.

/** What stands at the end of `keys` inside a value; undefined as soon as one is missing. Array indexes are keys too. */
export const readField = (value: unknown, ...keys: readonly string[]): unknown => {
  let at = value;
  for (const key of keys) at = typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined;
  return at;
};

/** The value of JSON text; undefined when it is no JSON. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
