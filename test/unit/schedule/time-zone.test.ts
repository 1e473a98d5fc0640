// Wall times of time zones, and the times of schedules around a clock change.
import { describe, expect, it, vi } from 'vitest';
import { nextTime, readSchedule } from '../../../daemon/domain/schedule/cron.ts';
import { isTimeZone, momentOf, wallTime } from '../../../daemon/domain/schedule/time-zone.ts';

const at = (text: string): number => Date.parse(text);

describe('the wall time', () => {
  it.each([
    ['2026-11-21T10:41:29.123Z', 'UTC', '2026-11-21T10:41:29.123Z'],
    ['2026-11-21T10:41:29.123Z', 'Asia/Kolkata', '2026-11-21T16:11:29.123Z'],
    ['2026-03-29T00:59:59.999Z', 'Europe/Berlin', '2026-03-29T01:59:59.999Z'],
    ['2026-03-29T01:00:00.000Z', 'Europe/Berlin', '2026-03-29T03:00:00.000Z'],
    ['1969-12-31T23:59:59.999Z', 'Asia/Kolkata', '1970-01-01T05:29:59.999Z'],
  ])('at %s in %s is %s', (moment, zone, wall) => {
    expect(new Date(wallTime(at(moment), zone)).toISOString()).toBe(wall);
  });

  it.each([
    ['2026-07-01T12:00Z', 'UTC', '2026-07-01T12:00Z'],
    ['2026-07-01T12:00Z', 'Europe/Berlin', '2026-07-01T10:00Z'],
    ['2026-03-29T12:00Z', 'Europe/Berlin', '2026-03-29T10:00Z'],
    ['2026-03-29T01:59Z', 'Europe/Berlin', '2026-03-29T00:59Z'],
    ['2026-03-29T02:30Z', 'Europe/Berlin', '2026-03-29T01:30Z'],
    ['2026-10-25T02:30Z', 'Europe/Berlin', '2026-10-25T00:30Z'],
    ['2026-10-25T03:00Z', 'Europe/Berlin', '2026-10-25T02:00Z'],
    ['2026-10-25T12:00Z', 'Europe/Berlin', '2026-10-25T11:00Z'],
  ])('%s in %s is the moment %s', (wall, zone, moment) => {
    expect(momentOf(at(wall), zone)).toBe(at(moment));
  });
});

it('a time zone is named, not given as an offset', () => {
  for (const name of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5']) {
    expect(isTimeZone(name)).toBe(true);
  }
  for (const name of ['', '+02:00', ' UTC', 'UTC ', 'Mars/Base', 'x'.repeat(65)]) expect(isTimeZone(name)).toBe(false);
});

it('a time zone has one formatter, in whatever letter case it is named', () => {
  const format = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts');
  for (const name of ['Pacific/Chatham', 'pacific/chatham', 'PACIFIC/Chatham']) {
    expect(isTimeZone(name)).toBe(true);
    expect(wallTime(at('2026-07-01T00:00Z'), name)).toBe(at('2026-07-01T12:45Z'));
  }
  expect(new Set(format.mock.contexts).size).toBe(1);
  format.mockRestore();
});

it.each<[string, string, string, readonly string[]]>([
  ['0 12 * * *', 'Europe/Berlin', '2026-03-29T00:00Z', ['2026-03-29T10:00Z', '2026-03-30T10:00Z']],
  ['0 12 * * *', 'Europe/Berlin', '2026-10-25T00:00Z', ['2026-10-25T11:00Z', '2026-10-26T11:00Z']],
  // The hours that pass count: the hour from 2 to 3 passes twice.
  [
    '0 */2 * * *',
    'Europe/Berlin',
    '2026-10-24T21:00Z',
    ['2026-10-24T22:00Z', '2026-10-25T00:00Z', '2026-10-25T01:00Z', '2026-10-25T03:00Z'],
  ],
  // The clock skips from 2:00 to 2:30, so 2:15 runs at 2:45, after 2:30.
  ['15,30 2 * * *', 'Australia/Lord_Howe', '2026-10-03T14:10Z', ['2026-10-03T15:30Z', '2026-10-03T15:45Z']],
])('%s in %s after %s runs at %j', (text, timeZone, after, times) => {
  const schedule = readSchedule(text, { startAt: 0, timeZone });
  let moment: number | undefined = at(after);
  for (const time of times) {
    moment = nextTime(schedule, moment ?? 0);
    expect(moment).toBe(at(time));
  }
});
