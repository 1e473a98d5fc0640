// Finds the known word that a user probably meant.

/** Edit distance: the number of letters to change to turn one word into the other. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      next.push(Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
};

/** The known word most similar to an unknown word, if any is similar. */
export const nearest = (word: string, known: readonly string[]): string | undefined =>
  known
    .map((each) => ({ each, steps: distance(word, each) }))
    .filter(({ each, steps }) => steps < each.length && steps <= Math.max(2, Math.floor(each.length / 3)))
    .sort((a, b) => a.steps - b.steps)[0]?.each;
