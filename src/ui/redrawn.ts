// Text that is drawn again in the same place of a terminal.

/** Clears the terminal. */
export const CLEAR = '\u001b[2J';

/** The text from the upper left corner of the terminal on, cut to its height, with the rest of each line cleared. */
export const redrawn = (text: string, height = 24): string => {
  const lines = text.split('\n').slice(0, height - 1);
  return `\u001b[H${lines.map((each) => `${each}\u001b[K\n`).join('')}\u001b[J`;
};
