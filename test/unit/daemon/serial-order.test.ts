// The serial order check of the tests: it finds an order for valid histories and none for invalid ones.
import { describe, expect, it } from 'vitest';
import { type Done, serialOrder } from '../../support/model/serial-order.ts';

/** A register: a write sets a number and returns the previous one, `undefined` reads. */
type Write = number | undefined;
const rules = (end: number) => ({
  step: (world: number, request: Write) => ({ world: request ?? world, answer: world }),
  isSame: (actual: number, expected: number) => actual === expected,
  isLook: ({ request }: Done<Write, number>) => request === undefined,
  accepts: (world: number) => world === end,
});
const done = (request: Write, answer: number, askedAt: number, answeredAt: number): Done<Write, number> => ({
  request,
  answer,
  askedAt,
  answeredAt,
});

describe('a serial order', () => {
  it('may order overlapping requests freely', () => {
    expect(serialOrder([done(1, 2, 0, 9), done(2, 0, 1, 10), done(undefined, 1, 5, 11)], 0, rules(1))).toEqual([
      2,
      1,
      undefined,
    ]);
  });

  it('never places a request before another whose response preceded it', () => {
    expect(serialOrder([done(1, 0, 0, 1), done(undefined, 0, 2, 3)], 0, rules(1))).toBeUndefined();
    expect(serialOrder([done(1, 0, 0, 2), done(undefined, 0, 1, 3)], 0, rules(1))).toEqual([undefined, 1]);
  });

  it('may place a write without effect later, where another request needs it', () => {
    const history = [done(0, 0, 0, 9), done(1, 0, 1, 2), done(undefined, 1, 3, 4), done(undefined, 0, 5, 6)];
    const actual = history.map((each) => (each.request === 0 ? { ...each, answer: 1 } : each));
    expect(serialOrder(actual, 0, rules(0))).toEqual([1, undefined, 0, undefined]);
    // A write whose response does not contain the previous value.
    const silent = { ...rules(0), isSame: (a: number, b: number) => a === b || a === -1 };
    const unsaid = history.map((each) => (each.request === 0 ? { ...each, answer: -1 } : each));
    expect(serialOrder(unsaid, 0, silent)).toEqual([1, undefined, 0, undefined]);
  });

  it('does not exist for a lost update or for a different final value', () => {
    expect(serialOrder([done(1, 0, 0, 9), done(2, 0, 0, 9)], 0, rules(2))).toBeUndefined();
    expect(serialOrder([done(1, 0, 0, 9), done(2, 1, 0, 9)], 0, rules(1))).toBeUndefined();
  });
});
