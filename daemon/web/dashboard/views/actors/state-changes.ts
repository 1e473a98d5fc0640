// The text of a version of a state, alone or compared with another one.
import { ApiFailure } from '../../api/failure.ts';
import { type DiffLine, diffLines } from '../../parts/line-diff.ts';

/**
 * A JSON token: a string with its quotes (the last one may be cut off), a bracket or another mark, or a number or
 * literal.
 */
const TOKEN = /"[^"\\]*(?:\\.?[^"\\]*)*"?|[{}[\],:]|[^\s"{}[\],:]+/gs;

interface Layout {
  readonly text: string;
  /** True if the text is longer than the limit and was cut. */
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

/** Characters of a state that are shown. */
export const SHOWN = 200_000;

export interface Changes {
  readonly lines: readonly DiffLine[];
  /** The version used for the comparison. Absent if it was not asked for, if there is none, or if it is no longer stored. */
  readonly before?: number;
  /** True if only the first characters were compared. */
  readonly isCut: boolean;
}

/** The text of a version of the state. Undefined if the version is no longer stored. */
const keptText = async (read: Promise<string>): Promise<string | undefined> => {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404) return undefined;
    throw error;
  }
};

/** @param against the version to compare with; absent: none */
export const changesOf = async (
  read: (version: number) => Promise<string>,
  version: number,
  against?: number,
): Promise<Changes> => {
  const after = layOutJson(await read(version), SHOWN);
  const earlier = against === undefined || against < 0 ? undefined : await keptText(read(against));
  if (earlier === undefined) return { lines: diffLines(after.text, after.text), isCut: after.isCut };
  const before = layOutJson(earlier, SHOWN);
  return {
    lines: diffLines(before.text, after.text),
    ...(against !== undefined && { before: against }),
    isCut: before.isCut || after.isCut,
  };
};

export const formatCompared = (version: number, { before }: Pick<Changes, 'before'>): string => {
  if (before !== undefined) return `compared with version ${before}`;
  return version === 0 ? 'the first' : `version ${version - 1} is not stored`;
};
