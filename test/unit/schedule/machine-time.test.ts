// How the daemon's time follows the clock of a machine that is set, sleeps and wakes up.
import { describe, expect, it } from 'vitest';
import { createClock } from '../../../daemon/vault/clock.ts';
import { type PlayedMachine, playedMachine } from '../../support/values/played-machine.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const START = 1_000 * HOUR;

type Step = readonly [what: 'pass' | 'sleep' | 'ahead' | 'back', ms: number];

const act = (box: PlayedMachine, [what, ms]: Step): void => {
  if (what === 'ahead') box.set(box.wall() + ms);
  else if (what === 'back') box.set(box.wall() - ms);
  else box[what](ms);
};

/** Takes the steps, and looks at the clock after each. Returns the time of records and of schedules since the start. */
const after = (steps: readonly Step[]): readonly [records: number, schedules: number] => {
  const box = playedMachine(START);
  const clock = createClock({ floor: 0, ...box });
  for (const step of steps) {
    act(box, step);
    clock.now();
  }
  return [clock.now() - START, clock.due() - START];
};

describe('the time of records and of schedules', () => {
  it.each<[title: string, steps: readonly Step[], records: number, schedules: number]>([
    ['passes', [['pass', HOUR]], HOUR, HOUR],
    ['follows a machine that wakes up at once', [['sleep', 8 * HOUR]], 8 * HOUR, 8 * HOUR],
    ['does not follow a jump at once', [['ahead', HOUR]], 0, 0],
    [
      'does not keep a jump of two seconds',
      [
        ['ahead', HOUR],
        ['pass', 2 * SECOND],
        ['back', HOUR],
        ['pass', HOUR],
      ],
      HOUR + 2 * SECOND,
      HOUR + 2 * SECOND,
    ],
    [
      'follows a jump that lasted a minute',
      [
        ['ahead', HOUR],
        ['pass', MINUTE],
      ],
      HOUR + MINUTE,
      HOUR + MINUTE,
    ],
    [
      'does not follow it before',
      [
        ['ahead', HOUR],
        ['pass', MINUTE - 1],
      ],
      MINUTE - 1,
      MINUTE - 1,
    ],
    [
      'begins the minute again after a jump that went away',
      [
        ['ahead', HOUR],
        ['pass', 50 * SECOND],
        ['back', HOUR],
        ['pass', SECOND],
        ['ahead', HOUR],
        ['pass', 50 * SECOND],
      ],
      101 * SECOND,
      101 * SECOND,
    ],
    [
      'follows only what lasted of a jump that became smaller',
      [
        ['ahead', 2 * HOUR],
        ['pass', SECOND],
        ['back', HOUR],
        ['pass', MINUTE],
      ],
      HOUR + 61 * SECOND,
      HOUR + 61 * SECOND,
    ],
    [
      'follows what the sleep explains, and the rest later',
      [
        ['ahead', HOUR],
        ['sleep', 8 * HOUR],
      ],
      8 * HOUR,
      8 * HOUR,
    ],
    [
      'does not take an earlier sleep for the reason of a jump',
      [
        ['sleep', HOUR],
        ['pass', SECOND],
        ['ahead', HOUR],
      ],
      HOUR + SECOND,
      HOUR + SECOND,
    ],
    [
      'nor a sleep during which the clock was set back',
      [
        ['back', 2 * HOUR],
        ['sleep', HOUR],
        ['pass', SECOND],
        ['ahead', 2 * HOUR],
      ],
      SECOND,
      SECOND,
    ],
    [
      'of records stays when the machine is set back, that of schedules goes with it',
      [
        ['pass', 3 * HOUR],
        ['back', HOUR],
        ['pass', MINUTE],
      ],
      3 * HOUR + MINUTE,
      2 * HOUR + MINUTE,
    ],
    [
      'of schedules is back when a followed jump is taken back',
      [
        ['ahead', HOUR],
        ['pass', MINUTE],
        ['back', HOUR],
        ['pass', SECOND],
      ],
      HOUR + 61 * SECOND,
      61 * SECOND,
    ],
    [
      'meet again when the machine has caught up',
      [
        ['ahead', HOUR],
        ['pass', MINUTE],
        ['back', HOUR],
        ['sleep', 2 * HOUR],
      ],
      2 * HOUR + MINUTE,
      2 * HOUR + MINUTE,
    ],
  ])('%s', (_title, steps, records, schedules) => expect(after(steps)).toEqual([records, schedules]));

  it('differ after a start behind the latest stored time', () => {
    const box = playedMachine(START);
    const clock = createClock({ floor: START + HOUR, ...box });
    box.pass(MINUTE);
    expect([clock.now(), clock.due()]).toEqual([START + HOUR + MINUTE, START + MINUTE]);
  });

  it('does not read the boot clock unless the wall clock moved', () => {
    let reads = 0;
    const box = playedMachine(START);
    const boot = () => {
      reads += 1;
      return box.boot();
    };
    const clock = createClock({ floor: 0, ...box, boot });
    const atStart = reads;
    for (let count = 0; count < 100; count += 1) {
      box.pass(SECOND);
      clock.now();
    }
    expect(reads).toBe(atStart);
    box.sleep(HOUR);
    clock.now();
    expect(reads).toBe(atStart + 1);
  });
});
