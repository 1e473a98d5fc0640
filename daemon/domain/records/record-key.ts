// Builds record keys that consist of several parts.

/** Joins the parts of a key. The separator is a control character, which no part may contain. */
export const joinKey = (first: string, ...others: readonly string[]): string => {
  let key = first;
  for (const part of others) key += `\u001f${part}`;
  return key;
};
