// Lays out JSON text without parsing it, so that no number is rounded and no repeated member is lost.

/** A string with its quotes (the last one may be cut off), a bracket or another mark, or a number or word. */
const TOKEN = /"[^"\\]*(?:\\.?[^"\\]*)*"?|[{}[\],:]|[^\s"{}[\],:]+/gs;

export interface Layout {
  readonly text: string;
  /** The text is longer than the limit and was cut. */
  readonly isCut: boolean;
}

/** Lays JSON text out over several lines, as `JSON.stringify` with two spaces does, up to `limit` characters. */
export const layOutJson = (json: string, limit: number): Layout => {
  let text = '';
  let depth = 0;
  let before = '';
  for (const [token] of json.slice(0, limit).matchAll(TOKEN)) {
    const closes = token === '}' || token === ']';
    const isFirst = before === '{' || before === '[';
    if (closes) depth -= 1;
    if (closes ? !isFirst : isFirst || before === ',') text += `\n${'  '.repeat(Math.max(0, depth))}`;
    text += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') depth += 1;
    before = token;
    if (text.length > limit) break;
  }
  return { text: text.slice(0, limit), isCut: json.length > limit || text.length > limit };
};
