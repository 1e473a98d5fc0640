// Embeds JSON text in an answer unchanged, so that large numbers, duplicate members and their order survive.
import { randomBytes } from 'node:crypto';

/** Texts collected during the current `stringifyWithTexts`. JSON.stringify is synchronous, so calls never overlap. */
let collected: string[] = [];

/** Random, so that no text of a user can look like a placeholder. */
const PLACEHOLDER = `json-text:${randomBytes(16).toString('hex')}:`;

const placeholders = new RegExp(`"${PLACEHOLDER}(\\d+)"`, 'g');

/** A value whose JSON text is already known and must not change. The text must be valid JSON. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): string {
    collected.push(this.text);
    return `${PLACEHOLDER}${collected.length - 1}`;
  }
}

/** Calls `stringify` and inserts the text of each JsonText in its result. */
export const stringifyWithTexts = (stringify: () => string | undefined): string | undefined => {
  collected = [];
  const json = stringify();
  const texts = collected;
  collected = [];
  return texts.length === 0 ? json : json?.replace(placeholders, (_, index: string) => texts[Number(index)] ?? 'null');
};
