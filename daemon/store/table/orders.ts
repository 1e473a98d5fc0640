// Sorted lists of order numbers. Reading a position, adding and removing cost about the same in a list of a hundred and
// of a million numbers.
import { firstIndex } from '../../domain/records/first-index.ts';

/**
 * The numbers of a sorted list. Each function serves both directions, because callers choose the direction with a
 * parameter.
 */
export interface Orders {
  count(): number;
  /** The number at this position (from 0), counted from the lowest or, with `newestFirst`, from the highest. */
  nth(position: number, newestFirst: boolean): number | undefined;
  /** Returns how many numbers are below `order`. */
  rank(order: number): number;
  /** The nearest number above `order`, or below it with `newestFirst`. `order` need not be in the list. */
  next(order: number, newestFirst: boolean): number | undefined;
}

export interface OrderList extends Orders {
  has(order: number): boolean;
  add(order: number): void;
  remove(order: number): void;
}

/**
 * Maximum numbers in a segment. A longer segment makes additions in the middle slower, a shorter one makes `nth`
 * slower.
 */
const SEGMENT = 1_024;

/**
 * An array is a segment that can be changed. An array that was filled by appending is packed, so that V8 need not mark
 * it.
 */
type Segment = number[] | Uint32Array;

const packed = (segment: Segment): Segment =>
  Array.isArray(segment) && (segment.at(-1) ?? 0) < 2 ** 32 ? Uint32Array.from(segment) : segment;

const indexIn = (segment: Segment, order: number): number =>
  firstIndex(segment.length, (index) => (segment[index] ?? order) >= order);

/** Creates an empty list. It consists of sorted segments of limited length; none is empty. */
export const createOrderList = (): OrderList => {
  const segments: Segment[] = [];
  let count = 0;

  const segmentOf = (order: number): number =>
    firstIndex(segments.length, (index) => (segments[index]?.at(-1) ?? order) >= order);

  /** The segment at this position as an array, which can be changed. */
  const unpacked = (at: number): number[] => {
    const segment = segments[at] ?? [];
    if (Array.isArray(segment)) return segment;
    const changeable = [...segment];
    segments[at] = changeable;
    return changeable;
  };

  const append = (order: number): void => {
    const last = segments.at(-1);
    if (last !== undefined && last.length < SEGMENT) {
      unpacked(segments.length - 1).push(order);
      return;
    }
    if (last !== undefined) segments[segments.length - 1] = packed(last);
    segments.push([order]);
  };

  /** Adds a number to a segment. Returns false if the segment has the number already. */
  const insert = (at: number, order: number): boolean => {
    const index = indexIn(segments[at] ?? [], order);
    if (segments[at]?.[index] === order) return false;
    const segment = unpacked(at);
    segment.splice(index, 0, order);
    if (segment.length > SEGMENT) segments.splice(at + 1, 0, segment.splice(SEGMENT >>> 1));
    return true;
  };

  return {
    count: () => count,
    has(order) {
      const segment = segments[segmentOf(order)];
      return segment !== undefined && segment[indexIn(segment, order)] === order;
    },
    add(order) {
      const highest = segments.at(-1)?.at(-1);
      if (highest === undefined || order > highest) append(order);
      else if (!insert(segmentOf(order), order)) return;
      count += 1;
    },
    remove(order) {
      const at = segmentOf(order);
      const index = indexIn(segments[at] ?? [], order);
      if (segments[at]?.[index] !== order) return;
      const segment = unpacked(at);
      segment.splice(index, 1);
      if (segment.length === 0) segments.splice(at, 1);
      count -= 1;
    },
    nth(position, newestFirst) {
      let left = newestFirst ? count - 1 - position : position;
      for (const segment of segments) {
        if (left < segment.length) return segment[left];
        left -= segment.length;
      }
      return undefined;
    },
    rank(order) {
      const at = segmentOf(order);
      let below = 0;
      for (let before = 0; before < at; before += 1) below += segments[before]?.length ?? 0;
      return below + indexIn(segments[at] ?? [], order);
    },
    next(order, newestFirst) {
      if (!newestFirst) {
        const segment = segments[segmentOf(order + 1)];
        return segment?.[indexIn(segment, order + 1)];
      }
      const at = segmentOf(order);
      const segment = segments[at] ?? [];
      return segment[indexIn(segment, order) - 1] ?? segments[at - 1]?.at(-1);
    },
  };
};

const total = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

const nearestOf = (orders: readonly (number | undefined)[], newestFirst: boolean): number | undefined => {
  let nearest: number | undefined;
  for (const order of orders) {
    if (order === undefined) continue;
    if (nearest === undefined || (newestFirst ? order > nearest : order < nearest)) nearest = order;
  }
  return nearest;
};

/**
 * Several lists as one. A number may be in only one of them. Finding a position costs the logarithm of the numbers, per
 * list.
 */
export const unionOf = (parts: readonly Orders[]): Orders => {
  const count = (): number => total(parts.map((part) => part.count()));
  const end = (newestFirst: boolean): number | undefined =>
    nearestOf(
      parts.map((part) => part.nth(0, newestFirst)),
      newestFirst,
    );
  const rank = (order: number): number => total(parts.map((part) => part.rank(order)));
  return {
    count,
    rank,
    nth(position, newestFirst) {
      const below = newestFirst ? count() - 1 - position : position;
      const [lowest, highest] = [end(false), end(true)];
      if (below < 0 || lowest === undefined || highest === undefined) return undefined;
      // The lowest number with `below` numbers below it: its successor is the first with more.
      const order = lowest + firstIndex(highest - lowest + 1, (index) => rank(lowest + index + 1) > below);
      return order > highest ? undefined : order;
    },
    next: (order, newestFirst) =>
      nearestOf(
        parts.map((part) => part.next(order, newestFirst)),
        newestFirst,
      ),
  };
};
