// A text the size of a book, the same in every run: words of the Gettysburg Address in pseudo-random order.
import { readFileSync } from 'node:fs';

const source = new URL('../../../examples/wordcount/gettysburg.txt', import.meta.url);

/** At least `bytes` of text in lines of a dozen words, with blank lines and punctuation like in a book. */
export const book = (bytes: number): Buffer => {
  const words = readFileSync(source, 'utf8').split(/\s+/).filter(Boolean);
  let seed = 1863;
  const draw = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const lines: string[] = [];
  for (let size = 0; size < bytes; ) {
    const line = draw(20) === 0 ? '' : Array.from({ length: 12 }, () => words[draw(words.length)]).join(' ');
    lines.push(line);
    size += line.length + 1;
  }
  return Buffer.from(`${lines.join('\n')}\n`);
};
