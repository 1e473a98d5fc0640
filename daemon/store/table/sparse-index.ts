// A secondary index of records on disk whose values have few records each.
import { createHashedKeys } from './hashed-keys.ts';
import type { OrderIndex } from './order-index.ts';

/**
 * Creates an empty index. It holds 12 bytes for each record instead of the text of its value, and reads records to
 * answer. Changes read nothing, so that they cannot fail.
 * @param valueAt the index value of the record with this order
 */
export const createSparseIndex = (valueAt: (order: number) => string | undefined): OrderIndex => {
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
