// The difference of two texts, line by line.

export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** If the product of both lengths is above this, the texts are not compared line by line. */
const MOST = 4_000_000;

/** The longest common lines stay; the others are removed or added. */
export const diffLines = (before: string, after: string): readonly DiffLine[] => {
  const left = before.split('\n');
  const right = after.split('\n');
  const line =
    (kind: DiffLine['kind']) =>
    (text: string): DiffLine => ({ kind, text });
  if (left.length * right.length > MOST) return [...left.map(line('removed')), ...right.map(line('added'))];
  const width = right.length + 1;
  const common = new Uint16Array((left.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = left.length - 1; row >= 0; row -= 1) {
    for (let column = right.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        left[row] === right[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: DiffLine[] = [];
  let row = 0;
  let column = 0;
  while (row < left.length || column < right.length) {
    if (row < left.length && column < right.length && left[row] === right[column]) {
      lines.push({ kind: 'same', text: left[row] ?? '' });
      row += 1;
      column += 1;
    } else if (column >= right.length || (row < left.length && at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ kind: 'removed', text: left[row] ?? '' });
      row += 1;
    } else {
      lines.push({ kind: 'added', text: right[column] ?? '' });
      column += 1;
    }
  }
  return lines;
};
