// A secondary index: for each index value the order numbers of its records.
import { createKeyMap } from './key-map.ts';
import { createOrderList, type OrderList, type Orders } from './orders.ts';

export type OrderIndex = ReturnType<typeof createOrderIndex>;

const nothing: Orders = { count: () => 0, nth: () => undefined, rank: () => 0, next: () => undefined };

const single = (order: number): Orders => ({
  count: () => 1,
  nth: (position) => (position === 0 ? order : undefined),
  rank: (from) => (order < from ? 1 : 0),
  next: (from, newestFirst) => ((newestFirst ? order < from : order > from) ? order : undefined),
});

const listWith = (order: number): OrderList => {
  const list = createOrderList();
  list.add(order);
  return list;
};

/**
 * Creates an empty index. A value with one record is stored as a bare number, because many indexes have only such
 * values.
 */
export const createOrderIndex = () => {
  const lists = createKeyMap<number | OrderList>();
  /**
   * The list to which an order number was last added. Successive records often have the same value, and a comparison is
   * cheaper than a look-up.
   */
  let latest: { readonly value: string; readonly list: OrderList } | undefined;

  const listOf = (value: string): Orders => {
    const found = lists.get(value);
    if (found === undefined) return nothing;
    return typeof found === 'number' ? single(found) : found;
  };

  return {
    add(value: string, order: number): void {
      if (latest?.value === value) {
        latest.list.add(order);
        return;
      }
      const found = lists.get(value);
      if (found === undefined) {
        lists.set(value, order);
        return;
      }
      const list = typeof found === 'object' ? found : listWith(found);
      list.add(order);
      if (list !== found) lists.set(value, list);
      latest = { value, list };
    },
    remove(value: string, order: number): void {
      const found = lists.get(value);
      if (typeof found === 'object') found.remove(order);
      if (found !== order && listOf(value).count() > 0) return;
      lists.delete(value);
      if (latest?.value === value) latest = undefined;
    },
    /** The order numbers of a value. The result reflects later changes. */
    orders: (value: string): Orders => ({
      count: () => listOf(value).count(),
      nth: (position, newestFirst) => listOf(value).nth(position, newestFirst),
      rank: (order) => listOf(value).rank(order),
      next: (order, newestFirst) => listOf(value).next(order, newestFirst),
    }),
  };
};
