// Reads the records of a collection in their order, all of them or those of an index value.
import type { IndexValue, Page, Walk } from '../../ports/store.ts';
import { type Orders, unionOf } from './orders.ts';

/** Read access to a collection. @see `ReadView` for the meaning of each function */
export interface Reader<R> {
  get(key: string): R | undefined;
  all(walk?: Walk): Iterable<R>;
  by(index: string, value: string): readonly R[];
  each(index: string, value: IndexValue, walk?: Walk): Iterable<R>;
  page(index: string, value: IndexValue, page: Page): readonly R[];
  count(): number;
  countBy(index: string, value: IndexValue): number;
  sumBy(figure: string, value: string): number;
}

/** The source that a reader reads from. It always gives the latest state, even while a caller iterates. */
export interface Readable<R> {
  get(key: string): R | undefined;
  record(order: number): R | undefined;
  orders(index?: string, value?: string): Orders;
  sum(figure: string, value: string): number;
}

export const createReader = <R>({ get, record, orders, sum }: Readable<R>): Reader<R> => {
  const ordersOf = (index: string, value: IndexValue): Orders =>
    typeof value === 'string' ? orders(index, value) : unionOf([...new Set(value)].map((each) => orders(index, each)));

  /**
   * Yields the records with these order numbers. Stops at the last order number that existed at the start, so that the
   * iteration ends even if records are added meanwhile.
   */
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
    all: ({ skip = 0, newestFirst = false } = {}) => walk(orders(), skip, newestFirst),
    by: (index, value) => [...walk(orders(index, value), 0, false)],
    each: (index, value, { skip = 0, newestFirst = false } = {}) => walk(ordersOf(index, value), skip, newestFirst),
    page(index, value, { skip = 0, limit, newestFirst = false }) {
      const found: R[] = [];
      if (limit <= 0) return found;
      for (const each of walk(ordersOf(index, value), skip, newestFirst)) {
        found.push(each);
        if (found.length === limit) break;
      }
      return found;
    },
    count: () => orders().count(),
    countBy: (index, value) => ordersOf(index, value).count(),
    sumBy: sum,
  };
};
