// The clocks of the daemon on a machine whose wall clock is set forward and back.
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createClock, createVirtualClock } from '../../../daemon/vault/clock.ts';
import { playedMachine } from '../../support/values/played-machine.ts';

const HOUR = 3_600_000;

afterEach(() => void vi.useRealTimers());

describe('the clock', () => {
  it('follows the wall clock while that advances normally', () => {
    const box = playedMachine(1_000_000);
    const clock = createClock({ floor: 0, ...box });
    box.pass(1_234);
    expect(clock.now()).toBe(1_001_234);
  });

  it('advances evenly after the wall clock is set back', () => {
    const box = playedMachine(10 * HOUR);
    const clock = createClock({ floor: 0, ...box });
    box.set(2 * HOUR);
    expect(clock.now()).toBe(10 * HOUR);
    box.pass(HOUR);
    expect(clock.now()).toBe(11 * HOUR);
  });

  it('starts from the latest stored time if the machine is behind it by less than a day', () => {
    const behind = playedMachine(100 * HOUR);
    expect(createClock({ floor: 110 * HOUR, ...behind }).now()).toBe(110 * HOUR);
    behind.pass(5);
    expect(createClock({ floor: 124 * HOUR + 5, ...behind }).now()).toBe(100 * HOUR + 5);
    expect(createClock({ floor: 90 * HOUR, ...behind }).now()).toBe(100 * HOUR + 5);
  });

  it('never runs backwards, whatever happens to the wall clock', () => {
    const steps = fc.array(fc.tuple(fc.nat(HOUR), fc.option(fc.nat(1_000 * HOUR))), { maxLength: 50 });
    fc.assert(
      fc.property(fc.nat(1_000 * HOUR), steps, (floor, moves) => {
        const box = playedMachine(500 * HOUR);
        const clock = createClock({ floor, ...box });
        let last = clock.now();
        for (const [pass, set] of moves) {
          box.pass(pass);
          if (set !== null) box.set(set);
          const now = clock.now();
          expect(Number.isInteger(now)).toBe(true);
          expect(now).toBeGreaterThanOrEqual(last + pass);
          last = now;
        }
      }),
    );
  });

  it('returns integer milliseconds of the real machine by default', () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 1_000 * HOUR });
    const clock = createClock({ floor: 0 });
    expect(clock.now()).toBe(1_000 * HOUR);
    vi.advanceTimersByTime(7.5);
    expect(clock.now()).toBe(1_000 * HOUR + 7);
  });
});

describe('a virtual clock', () => {
  const FROM = 1_000 * HOUR;

  it('stands still whatever the machine does', () => {
    const box = playedMachine(10 * HOUR);
    const clock = createVirtualClock({ from: FROM, at: FROM }, { floor: 0, ...box });
    box.pass(HOUR);
    box.set(5_000 * HOUR);
    expect(clock.now()).toBe(FROM);
    clock.follow({ from: FROM, at: FROM + 7 });
    expect(clock.now()).toBe(FROM + 7);
  });

  it('runs at a fixed distance from the machine, even while the daemon is down', () => {
    const box = playedMachine(10 * HOUR);
    const running = { from: FROM, at: FROM, runsSince: 10 * HOUR };
    const clock = createVirtualClock(running, { floor: 0, ...box });
    box.pass(1_234);
    expect(clock.now()).toBe(FROM + 1_234);
    box.pass(HOUR);
    expect(createVirtualClock(running, { floor: 0, ...box }).now()).toBe(FROM + HOUR + 1_234);
  });

  it('starts from the latest stored time however far the machine was set back', () => {
    const box = playedMachine(10 * HOUR);
    const running = { from: FROM, at: FROM, runsSince: 10 * HOUR };
    box.set(2 * HOUR);
    const clock = createVirtualClock(running, { floor: FROM + 300 * HOUR, ...box });
    box.pass(5);
    expect(clock.now()).toBe(FROM + 300 * HOUR + 5);
  });

  it('ends with the year 9999', () => {
    const box = playedMachine(10 * HOUR);
    const at = Date.UTC(9999, 11, 31, 23, 30);
    const clock = createVirtualClock({ from: at, at, runsSince: 10 * HOUR }, { floor: 0, ...box });
    box.pass(HOUR);
    expect(new Date(clock.now()).toISOString()).toBe('9999-12-31T23:59:59.999Z');
  });

  it('is held where it is until it follows another position', () => {
    const box = playedMachine(10 * HOUR);
    const clock = createVirtualClock({ from: FROM, at: FROM, runsSince: 10 * HOUR }, { floor: 0, ...box });
    box.pass(5);
    expect(clock.hold()).toBe(FROM + 5);
    box.pass(5);
    expect(clock.now()).toBe(FROM + 5);
    clock.follow({ from: FROM, at: FROM, runsSince: 10 * HOUR });
    expect(clock.now()).toBe(FROM + 10);
  });

  it('never runs backwards, whatever it follows and whatever happens to the machine', () => {
    const position = fc.record({
      at: fc.nat(100 * HOUR),
      runsSince: fc.option(fc.nat(100 * HOUR), { nil: undefined }),
    });
    const steps = fc.array(fc.tuple(fc.nat(HOUR), fc.option(fc.nat(200 * HOUR)), fc.option(position)), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(steps, (made) => {
        const box = playedMachine(50 * HOUR);
        const clock = createVirtualClock({ from: 0, at: 0 }, { floor: 0, ...box });
        let last = clock.now();
        for (const [pass, wall, next] of made) {
          box.pass(pass);
          if (wall !== null) box.set(wall);
          if (next !== null) {
            const { at, runsSince } = next;
            clock.follow({ from: 0, at, ...(runsSince !== undefined && { runsSince }) });
          }
          expect(clock.now()).toBeGreaterThanOrEqual(last);
          last = clock.now();
        }
      }),
    );
  });
});
