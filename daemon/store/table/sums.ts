// Sums of figures over the records of each value of one index.

import { createPassingMap } from '../../domain/records/passing-map.ts';

export interface SumsRule<R> {
  readonly by: string;
  readonly figures: Readonly<Record<string, (record: R) => number>>;
}

export interface Sums<R> {
  /** Changes the sums of an index value for a record that is added (`sign` 1) or removed (-1). */
  change(value: string, record: R, sign: 1 | -1): void;
  of(figure: string, value: string): number;
}

/** Creates empty sums. A value without records uses no memory. */
export const createSums = <R>({ figures }: Pick<SumsRule<R>, 'figures'>): Sums<R> => {
  const all = Object.entries(figures);
  const values = createPassingMap<string, { records: number; readonly sums: Record<string, number> }>();
  return {
    change(value, record, sign) {
      const changed = values.get(value) ?? { records: 0, sums: {} };
      changed.records += sign;
      for (const [name, figureOf] of all) changed.sums[name] = (changed.sums[name] ?? 0) + sign * figureOf(record);
      if (changed.records === 0) values.delete(value);
      else values.set(value, changed);
    },
    of: (figure, value) => values.get(value)?.sums[figure] ?? 0,
  };
};
