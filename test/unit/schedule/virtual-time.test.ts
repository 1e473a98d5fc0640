// Which clock an instance has, and where a virtual clock may be moved.
import { describe, expect, it } from 'vitest';
import { type ClockMove, clockOfInstance, standing, targetOf } from '../../../daemon/domain/schedule/virtual-time.ts';
import { type ClockWish, formatInstant, LAST_INSTANT } from '../../../src/contract/virtual-clock.ts';

const at = (text: string): number => Date.parse(text);
const FROM = at('2030-01-01T00:00:00Z');
const MACHINE = at('2026-11-22T17:00:00Z');
const clock = { from: FROM, at: FROM + 5 };

describe('the clock of an instance', () => {
  it.each<[string, ClockWish | undefined, number | undefined]>([
    ['without a wish that of the machine', undefined, undefined],
    ['that of the machine', 'machine', undefined],
    ['a virtual one at the time of the machine', 'virtual', MACHINE],
    ['a virtual one at an instant', FROM, FROM],
    ['a virtual one at the beginning of 1970', 0, 0],
  ])('is %s at the first start', (_, wish, from) => {
    expect(clockOfInstance(undefined, wish, MACHINE)).toEqual(from === undefined ? undefined : { from, at: from });
  });

  it.each<[ClockWish | undefined]>([[undefined], ['virtual'], [FROM]])(
    'stays virtual if a start asks for %s',
    (wish) => {
      expect(clockOfInstance({ clock }, wish, MACHINE)).toBe(clock);
    },
  );

  it.each<[ClockWish | undefined]>([[undefined], ['machine']])(
    'stays that of the machine if a start asks for %s',
    (wish) => {
      expect(clockOfInstance({}, wish, MACHINE)).toBeUndefined();
    },
  );

  it.each<[string, object, ClockWish, string]>([
    ['a virtual clock', {}, 'virtual', 'this instance was created with the system clock'],
    ['an instant', {}, FROM, 'only a new instance can have a virtual clock'],
    [
      'that of the machine',
      { clock },
      'machine',
      'this instance was created with a virtual clock, which cannot be changed',
    ],
    ['another instant', { clock }, FROM + 1_000, 'began at 2030-01-01T00:00:00Z, not at 2030-01-01T00:00:01Z'],
  ])('cannot be changed to %s', (_, stored, wish, message) => {
    expect(() => clockOfInstance(stored, wish, MACHINE)).toThrow(
      expect.objectContaining({ code: 'OTHER_CLOCK', message: expect.stringContaining(message) }),
    );
  });
});

describe('a move of the clock', () => {
  it.each<[string, ClockMove, string, string]>([
    ['by ms', { months: 0, ms: 10_800_000 }, '2030-01-01T00:00:00Z', '2030-01-01T03:00:00Z'],
    ['by a year', { months: 12, ms: 0 }, '2028-01-01T06:30:01Z', '2029-01-01T06:30:01Z'],
    ['by a year from a leap day', { months: 12, ms: 0 }, '2028-02-29T06:00:00Z', '2029-02-28T06:00:00Z'],
    ['by a month into a shorter one', { months: 1, ms: 1_000 }, '2030-01-31T23:59:59Z', '2030-03-01T00:00:00Z'],
    ['to an instant', { to: at('2031-01-01T00:00:00Z') }, '2030-01-01T00:00:00Z', '2031-01-01T00:00:00Z'],
    ['to where it is', { to: FROM }, '2030-01-01T00:00:00Z', '2030-01-01T00:00:00Z'],
    ['to the last instant', { to: LAST_INSTANT }, '2030-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'],
  ])('%s leads there', (_, move, now, target) => {
    expect(formatInstant(targetOf(move, at(now)))).toBe(target);
  });

  it.each<[string, ClockMove, string]>([
    ['back', { to: FROM - 1 }, 'The clock cannot go back: it is at 2030-01-01T00:00:00Z, and 2029-12-31T23:59:59.999Z'],
    ['by nothing', { months: 0, ms: 0 }, 'more than zero'],
    ['beyond the year 9999', { to: LAST_INSTANT + 1 }, 'The clock ends at 9999-12-31T23:59:59.999Z'],
    ['by a million years', { months: 12_000_000, ms: 0 }, 'The clock ends at'],
    ['by a number that is no time', { months: Number.MAX_SAFE_INTEGER, ms: 0 }, 'The clock ends at'],
  ])('%s is refused', (_, move, message) => {
    expect(() => targetOf(move, FROM)).toThrow(
      expect.objectContaining({ code: 'VALIDATION', message: expect.stringContaining(message) }),
    );
  });

  it('that has arrived has no target left', () => {
    expect(standing(clock, FROM + 7, FROM + 9)).toEqual({ from: FROM, at: FROM + 7, target: FROM + 9 });
    expect(standing({ ...clock, runsSince: 1 }, FROM + 9, FROM + 9)).toEqual({ from: FROM, at: FROM + 9 });
  });
});
