// The judge of concurrent answers: it finds an order where there is one, and none where there is none.
import { describe, expect, it } from 'vitest';
import { type Done, serialOrder } from '../../support/model/serial-order.ts';

/** A register: a number is written and answers what was there, undefined reads. */
type Write = number | undefined;
const rules = (end: number) => ({
  step: (world: number, request: Write) => ({ world: request ?? world, answer: world }),
  isSame: (told: number, expected: number) => told === expected,
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
  it('may put requests that overlap in any order', () => {
    expect(serialOrder([done(1, 2, 0, 9), done(2, 0, 1, 10), done(undefined, 1, 5, 11)], 0, rules(1))).toEqual([
      2,
      1,
      undefined,
    ]);
  });

  it('does not put a request before one that was answered before it was asked', () => {
    expect(serialOrder([done(1, 0, 0, 1), done(undefined, 0, 2, 3)], 0, rules(1))).toBeUndefined();
    expect(serialOrder([done(1, 0, 0, 2), done(undefined, 0, 1, 3)], 0, rules(1))).toEqual([undefined, 1]);
  });

  it('may have a change that changes nothing where it could come, and is needed elsewhere', () => {
    const history = [done(0, 0, 0, 9), done(1, 0, 1, 2), done(undefined, 1, 3, 4), done(undefined, 0, 5, 6)];
    const told = history.map((each) => (each.request === 0 ? { ...each, answer: 1 } : each));
    expect(serialOrder(told, 0, rules(0))).toEqual([1, undefined, 0, undefined]);
    // A write that does not tell what was there.
    const silent = { ...rules(0), isSame: (a: number, b: number) => a === b || a === -1 };
    const unsaid = history.map((each) => (each.request === 0 ? { ...each, answer: -1 } : each));
    expect(serialOrder(unsaid, 0, silent)).toEqual([1, undefined, 0, undefined]);
  });

  it('does not exist for a lost update, nor for one that came to another end', () => {
    expect(serialOrder([done(1, 0, 0, 9), done(2, 0, 0, 9)], 0, rules(2))).toBeUndefined();
    expect(serialOrder([done(1, 0, 0, 9), done(2, 1, 0, 9)], 0, rules(1))).toBeUndefined();
  });
});
