// Finds a text in a value, a message or a log, in any case, and shortens the line that has it.

import type { TextMatch } from '../../../src/contract/actors/execution-search.ts';
import type { LogLine } from '../../../src/contract/actors/executions.ts';

export type LineMatch = Omit<TextMatch, 'in'>;

/** Longest text of a match, and how much of it may precede the searched text, in UTF-16 units. */
const LONGEST = 300;
const BEFORE = 80;

/** Lower case with the same length, so that a place in it is a place in the text. */
export const folded = (text: string): string => {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from(text, (character) => {
    const each = character.toLowerCase();
    return each.length === character.length ? each : character;
  }).join('');
};

/** @param wanted folded, not empty, on one line */
export const matchLine = (text: string, wanted: string, line: number): LineMatch | undefined => {
  const at = folded(text).indexOf(wanted);
  if (at === -1) return undefined;
  const from = text.length <= LONGEST ? 0 : Math.max(0, Math.min(at - BEFORE, text.length - LONGEST));
  const to = Math.min(text.length, Math.max(from + LONGEST, at + wanted.length));
  const head = from > 0 ? '…' : '';
  const shown = text
    .slice(from, to)
    .replace(/^[\udc00-\udfff]/, '\ufffd')
    .replace(/[\ud800-\udbff]$/, '\ufffd');
  const start = head.length + at - from;
  return { line, text: `${head}${shown}${to < text.length ? '…' : ''}`, start, end: start + wanted.length };
};

/** The first line of a text that matches. */
export const matchText = (text: string, wanted: string): LineMatch | undefined => {
  const at = folded(text).indexOf(wanted);
  if (at === -1) return undefined;
  const begin = text.lastIndexOf('\n', at - 1) + 1;
  const end = text.indexOf('\n', at);
  return matchLine(text.slice(begin, end === -1 ? undefined : end), wanted, text.slice(0, begin).split('\n').length);
};

/** Escape sequences of a terminal: strings such as a title, CSI, and the short ones. */
const SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
  /\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]?/g;

/** What a terminal shows of a line: text after a carriage return overwrites the line from its start. */
const plainLine = (raw: string): string => {
  const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
  const text = line.slice(line.lastIndexOf('\r') + 1);
  return text.includes('\u001b') || text.includes('\u009b') ? text.replace(SEQUENCE, '') : text;
};

/**
 * Finds a text in the lines of a log, which arrive in pieces. Lines have the numbers of the page: each stream has lines
 * of its own, which are numbered in the order in which they begin, and a notice ends all of them.
 */
export const createLogMatcher = (wanted: string) => {
  let count = 0;
  const open = new Map<string, { readonly line: number; readonly text: string }>();
  const match = ({ line, text }: { readonly line: number; readonly text: string }): LineMatch | undefined =>
    matchLine(plainLine(text), wanted, line);

  /** Ends the lines that have not ended yet. */
  const end = (): LineMatch | undefined => {
    const lines = [...open.values()];
    open.clear();
    for (const each of lines) {
      const found = match(each);
      if (found !== undefined) return found;
    }
    return undefined;
  };

  return {
    end,
    /** The first match among the lines that have ended. */
    add({ stream, text }: Pick<LogLine, 'stream' | 'text'>): LineMatch | undefined {
      if (stream === 'notice') {
        count += 1;
        return end() ?? match({ line: count, text });
      }
      let from = 0;
      while (from < text.length) {
        const to = text.indexOf('\n', from);
        const part = text.slice(from, to === -1 ? undefined : to);
        const before = open.get(stream);
        if (before === undefined) count += 1;
        const line = { line: before?.line ?? count, text: (before?.text ?? '') + part };
        if (to === -1) {
          open.set(stream, line);
          return undefined;
        }
        open.delete(stream);
        const found = match(line);
        if (found !== undefined) return found;
        from = to + 1;
      }
      return undefined;
    },
  };
};
