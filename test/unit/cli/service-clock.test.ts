// The time of the service as a command knows it: that of this machine, or of a virtual clock.
import { describe, expect, it } from 'vitest';
import { createServiceClock, timeLeft } from '../../../src/client/service-clock.ts';

const NOW = Date.parse('2026-11-22T17:00:00Z');
const VIRTUAL = Date.parse('2030-01-01T00:00:00Z');

describe('the time of the service', () => {
  it('is the time of this machine if the service reports no other', async () => {
    let asked = 0;
    const clock = createServiceClock(
      () => NOW,
      async () => {
        asked += 1;
      },
    );
    clock.heard(undefined);
    clock.heard('no time');
    expect([clock.now(), await clock.ask(), await clock.ask(), asked]).toEqual([NOW, NOW, NOW, 1]);
  });

  it('is requested from a local daemon only if no response has shown it', async () => {
    let asked = 0;
    const make = () => {
      const clock = createServiceClock(
        () => NOW,
        async () => {
          asked += 1;
          clock.heard(VIRTUAL);
        },
      );
      return clock;
    };
    const clock = make();
    expect([clock.now(), await clock.ask(), clock.now(), asked]).toEqual([NOW, VIRTUAL, VIRTUAL, 1]);
    const other = make();
    other.heard(new Date(VIRTUAL + 5).toISOString());
    expect([await other.ask(), asked]).toEqual([VIRTUAL + 5, 1]);
  });

  it('advances with this machine from the last reported time', () => {
    let machine = NOW;
    const clock = createServiceClock(
      () => machine,
      async () => undefined,
    );
    clock.heard(VIRTUAL);
    machine += 1_000;
    expect(clock.now()).toBe(VIRTUAL + 1_000);
    clock.heard(VIRTUAL);
    expect(clock.now()).toBe(VIRTUAL);
  });

  it('is the time of this machine if the daemon is unreachable', async () => {
    const clock = createServiceClock(
      () => NOW,
      () => Promise.reject(new Error('down')),
    );
    expect(await clock.ask()).toBe(NOW);
  });
});

it.each([
  ['never ends', null, Number.POSITIVE_INFINITY, 0],
  ['leaves enough time by the clock of this machine', NOW + 61, 61, 0],
  ['seems to leave too little, so the service is asked', NOW + 60, NOW + 60 - VIRTUAL, 1],
])('asks the service for its time only if it matters: a lifetime that %s', async (_, until, left, times) => {
  let asked = 0;
  const ask = async () => {
    asked += 1;
    return VIRTUAL;
  };
  expect([await timeLeft(until, 60, { now: () => NOW, ask }), asked]).toEqual([left, times]);
});
