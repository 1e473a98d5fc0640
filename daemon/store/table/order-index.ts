// A secondary index: for each index value the order numbers of its records.
import { createKeyMap } from './key-map.ts';
import { createOrderList, type OrderList, type Orders } from './orders.ts';

export interface OrderIndex {
  add(value: string, order: number): void;
  remove(value: string, order: number): void;
  /** The orders of a value. Shows later changes as well. */
  orders(value: string): Orders;
}

const nothing: Orders = { count: () => 0, nth: () => undefined, rank: () => 0, next: () => undefined };

const single = (order: number): Orders => ({
  count: () => 1,
  nth: (position) => (position === 0 ? order : undefined),
  rank: (from) => (order < from ? 1 : 0),
  next: (from, newestFirst) => ((newestFirst ? order < from : order > from) ? order : undefined),
});

/** Creates an empty index. A value with one record is stored as a bare number, because many indexes have only such. */
export const createOrderIndex = (): OrderIndex => {
  const lists = createKeyMap<number | OrderList>();

  const listOf = (value: string): Orders => {
    const found = lists.get(value);
    if (found === undefined) return nothing;
    return typeof found === 'number' ? single(found) : found;
  };

  return {
    add(value, order) {
      const found = lists.get(value);
      if (found === undefined) {
        lists.set(value, order);
        return;
      }
      if (typeof found === 'object') return found.add(order);
      const list = createOrderList();
      list.add(found);
      list.add(order);
      lists.set(value, list);
    },
    remove(value, order) {
      const found = lists.get(value);
      if (typeof found === 'object') found.remove(order);
      if (found === order || listOf(value).count() === 0) lists.delete(value);
    },
    orders: (value) => ({
      count: () => listOf(value).count(),
      nth: (position, newestFirst) => listOf(value).nth(position, newestFirst),
      rank: (order) => listOf(value).rank(order),
      next: (order, newestFirst) => listOf(value).next(order, newestFirst),
    }),
  };
};
