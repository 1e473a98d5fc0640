// A secondary index of records on disk in which each value belongs to one record.
import { createHashedKeys } from './hashed-keys.ts';
import type { OrderIndex } from './order-index.ts';

/**
 * Creates an empty index. It holds 12 bytes for each record instead of the text of its value, and reads the record of a
 * value to confirm it. Changes read nothing, so that they cannot fail.
 * It also works for values with several records, but slowly: each step of an iteration reads all of them.
 * @param valueAt the index value of the record with this order number
 */
export const createUniqueIndex = (valueAt: (order: number) => string | undefined): OrderIndex => {
  const keys = createHashedKeys();
  const found = (value: string): number[] => {
    const orders: number[] = [];
    keys.find(value, (order) => {
      if (valueAt(order) === value) orders.push(order);
      return false;
    });
    return orders.sort((a, b) => a - b);
  };
  return {
    add: keys.add,
    remove: keys.remove,
    orders: (value) => ({
      count: () => found(value).length,
      nth: (position, newestFirst) => found(value).at(newestFirst ? -1 - position : position),
      rank: (order) => found(value).filter((each) => each < order).length,
      next: (order, newestFirst) =>
        newestFirst ? found(value).findLast((each) => each < order) : found(value).find((each) => each > order),
    }),
  };
};
