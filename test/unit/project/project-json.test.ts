// The hints for mistakes in a project file of JSON, which are written as JSON.
import { describe, expect, it } from 'vitest';
import { checkDocument } from '../../../src/local/project/project-check.ts';
import { wholeDocument } from '../../../src/local/project/project-document.ts';
import { parseProjectText } from '../../../src/local/project/project-text.ts';
import { fillValues } from '../../../src/local/project/project-values.ts';

/** The message and the hint of the refusal. */
const refusal = (text: string): string => {
  try {
    const parsed = parseProjectText('actorctl.json', text);
    checkDocument(wholeDocument, parsed, fillValues(parsed, {}));
  } catch (error) {
    const { message, extras } = error as { message: string; extras?: { hint?: string } };
    return [message, extras?.hint].filter(Boolean).join(' | ');
  }
  return 'no refusal';
};

describe('a project file of JSON', () => {
  it.each([
    ['"build": "alert"', 'build must be a mapping of fields, not a text | write "build": {"context": "alert"}'],
    ['"env": {"V": 8080}', 'env.V must be a text, not a number | write it in quotes: "8080"'],
    ['"hints": true', 'hints must be a list, not true or false | write "hints": [true]'],
    [
      '"permissions": "bob"',
      'permissions must be a mapping of names, not a text | write "permissions": {"NAME": "VALUE"}',
    ],
  ])('with %s gets a hint in JSON', (field, message) => {
    const text = `{"project": "p", "actors": {"a": {${field}}}}`;
    expect(refusal(text)).toMatch(/^actorctl\.json:1:\d+: actors\.a\./);
    expect(refusal(text).split('actors.a.')[1]).toBe(message);
  });
});
