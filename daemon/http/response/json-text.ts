// JSON text that stands in an answer letter by letter: numbers beyond a double, members twice, the order of members.
import { randomBytes } from 'node:crypto';

/** Texts met since the last `withTexts` began; JSON.stringify is synchronous, so no other answer comes in between. */
let collected: string[] = [];

/** Nobody outside can know it, so no text of a user can be taken for a place. */
const PLACEHOLDER = `json-text:${randomBytes(16).toString('hex')}:`;

const placeholders = new RegExp(`"${PLACEHOLDER}(\\d+)"`, 'g');

/** A value whose JSON text is known already and must not change on its way. The text must be valid JSON. */
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

/** What `stringify` makes of a value, with the text of each JsonText in it in its place. */
export const stringifyWithTexts = (stringify: () => string | undefined): string | undefined => {
  collected = [];
  const json = stringify();
  const texts = collected;
  collected = [];
  return texts.length === 0 ? json : json?.replace(placeholders, (_, index: string) => texts[Number(index)] ?? 'null');
};
