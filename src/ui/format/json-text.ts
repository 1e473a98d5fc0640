// Formats JSON text without parsing it, so that no number is rounded and no repeated member is lost.
import { jsonTokens } from '../../contract/json-scanner.ts';

/** Formats valid JSON text over several lines with two spaces per level. Empty objects and lists stay on one line. */
export const prettyJson = (text: string): string => {
  let pretty = '';
  let depth = 0;
  let before = '';
  const line = () => `\n${'  '.repeat(depth)}`;
  for (const token of jsonTokens(text)) {
    const opens = token === '{' || token === '[';
    if (token === '}' || token === ']') {
      depth -= 1;
      if (before !== '{' && before !== '[') pretty += line();
    } else if (before === '{' || before === '[' || before === ',') pretty += line();
    pretty += token === ':' ? ': ' : token;
    if (opens) depth += 1;
    before = token;
  }
  return pretty;
};
