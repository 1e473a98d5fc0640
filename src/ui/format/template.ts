// Reads `--template`: one line per item from `{{field}}`, `{{timeago field}}` and `{{tab}}`.

import { readTime } from '../../contract/times.ts';
import { usage } from '../../failure.ts';
import { escapeControl } from '../text.ts';
import { checkField } from './fields.ts';
import { isList, isObject, type Json, jsonText, readPath } from './json.ts';
import { formatAgo } from './time.ts';

export type Template = (item: Json, now: number) => string;

const textOf = (value: Json | undefined): string => {
  if (value === undefined || value === null) return '';
  return isObject(value) || isList(value) ? escapeControl(jsonText(value)) : String(value);
};

const part = (inside: string, known: readonly string[]): Template => {
  const words = inside.trim().split(/\s+/);
  if (words.length === 1 && words[0] === 'tab') return () => '\t';
  if (words.length === 2 && words[0] === 'timeago') {
    const path = checkField(words[1] ?? '', known, '--template');
    return (item, now) => {
      const text = textOf(readPath(item, path));
      const time = readTime(text, now);
      return time === undefined ? text : formatAgo(time, now);
    };
  }
  if (words.length === 1 && words[0] !== undefined && words[0] !== '') {
    const path = checkField(words[0], known, '--template');
    return (item) => textOf(readPath(item, path));
  }
  throw usage(`--template: '{{${inside}}}' is not a known placeholder`, 'use {{field}}, {{timeago field}} and {{tab}}');
};

export const parseTemplate = (text: string, known: readonly string[]): Template => {
  const parts: Template[] = [];
  let rest = text;
  while (rest !== '') {
    const start = rest.indexOf('{{');
    const literal = start === -1 ? rest : rest.slice(0, start);
    if (literal !== '') parts.push(() => literal);
    if (start === -1) break;
    const end = rest.indexOf('}}', start);
    if (end === -1) throw usage("--template: a '{{' has no '}}'", 'use {{field}}, {{timeago field}} and {{tab}}');
    parts.push(part(rest.slice(start + 2, end), known));
    rest = rest.slice(end + 2);
  }
  return (item, now) => parts.map((write) => write(item, now)).join('');
};
