// Reads the records of a collection in their order, all of them or those of an index value.
import type { Page, Walk } from '../../ports/store.ts';
import type { Orders } from './orders.ts';

/** Read access to a collection. @see ReadView for the meaning of each function */
export interface Reader<R> {
  get(key: string): R | undefined;
  all(walk?: Walk): Iterable<R>;
  by(index: string, value: string): readonly R[];
  each(index: string, value: string, walk?: Walk): Iterable<R>;
  page(index: string, value: string, page: Page): readonly R[];
  count(): number;
  countBy(index: string, value: string): number;
}

/** Where the records of a reader are. Both functions show the latest state, also while a caller iterates. */
export interface Readable<R> {
  get(key: string): R | undefined;
  record(order: number): R | undefined;
  /** The orders of all records, or with an index those of one of its values. */
  orders(index?: string, value?: string): Orders;
}

export const createReader = <R>({ get, record, orders }: Readable<R>): Reader<R> => {
  /** Ends with the last order that was there at the start, so that it ends although records are added meanwhile. */
  const walk = function* (through: Orders, skip: number, newestFirst: boolean): Generator<R> {
    const end = through.nth(0, !newestFirst);
    if (end === undefined) return;
    let order = through.nth(skip, newestFirst);
    while (order !== undefined && (newestFirst ? order >= end : order <= end)) {
      const found = record(order);
      if (found !== undefined) yield found;
      order = through.next(order, newestFirst);
    }
  };

  return {
    get,
    all: ({ newestFirst = false } = {}) => walk(orders(), 0, newestFirst),
    by: (index, value) => [...walk(orders(index, value), 0, false)],
    each: (index, value, { newestFirst = false } = {}) => walk(orders(index, value), 0, newestFirst),
    page(index, value, { skip = 0, limit, newestFirst = false }) {
      const found: R[] = [];
      if (limit <= 0) return found;
      for (const each of walk(orders(index, value), skip, newestFirst)) {
        found.push(each);
        if (found.length === limit) break;
      }
      return found;
    },
    count: () => orders().count(),
    countBy: (index, value) => orders(index, value).count(),
  };
};
