// JSON text that stands in an answer letter by letter: numbers beyond a double, members twice, the order of members.
import { randomBytes } from 'node:crypto';

/** Texts met since the last `withTexts` began; JSON.stringify is synchronous, so no other answer comes in between. */
let met: string[] = [];

/** Nobody outside can know it, so no text of a user can be taken for a place. */
const MARK = `json-text:${randomBytes(16).toString('hex')}:`;

const places = new RegExp(`"${MARK}(\\d+)"`, 'g');

/** A value whose JSON text is known already and must not change on its way. The text must be valid JSON. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): string {
    met.push(this.text);
    return `${MARK}${met.length - 1}`;
  }
}

/** What `stringify` makes of a value, with the text of each JsonText in it in its place. */
export const withTexts = (stringify: () => string | undefined): string | undefined => {
  met = [];
  const json = stringify();
  const texts = met;
  met = [];
  return texts.length === 0 ? json : json?.replace(places, (_, index: string) => texts[Number(index)] ?? 'null');
};
