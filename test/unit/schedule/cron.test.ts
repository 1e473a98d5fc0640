// Schedules: their syntax and their times, even across clock changes.
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../daemon/domain/failure.ts';
import { nextTime, readSchedule, timesWithin } from '../../../daemon/domain/schedule/cron.ts';

const at = (text: string): number => Date.parse(text);
const NOW = at('2026-11-21T10:41:29Z');

const read = (text: string, timeZone?: string) =>
  readSchedule(text, { startAt: NOW, ...(timeZone !== undefined && { timeZone }) });

/** The next times of a schedule, as ISO text in UTC to the minute. */
const coming = (text: string, after: number, count: number, timeZone?: string): readonly string[] => {
  const schedule = read(text, timeZone);
  const times: string[] = [];
  for (let time = nextTime(schedule, after); time !== undefined && times.length < count; ) {
    times.push(new Date(time).toISOString().slice(0, 16));
    time = nextTime(schedule, time);
  }
  return times;
};

const midnight = (day: string): string => `${day}T00:00`;

const refusal = (text: string, timeZone?: string): string => {
  try {
    read(text, timeZone);
  } catch (error) {
    const field = error instanceof Failure && error.code === 'VALIDATION' && error.detail?.['field'];
    if (field && error.message.startsWith(`${field} `)) return error.message;
    throw error;
  }
  throw new Error(`${text} was taken`);
};

describe('a cron expression', () => {
  it.each<[string, readonly string[]]>([
    ['*/20 * * * *', ['2026-11-21T11:00', '2026-11-21T11:20', '2026-11-21T11:40']],
    ['@hourly', ['2026-11-21T11:00', '2026-11-21T12:00']],
    ['@DAILY', ['2026-11-22T00:00', '2026-11-23T00:00']],
    ['30 9 * * mon-fri', ['2026-11-23T09:30', '2026-11-24T09:30']],
    ['0 0 * * 7', ['2026-11-22T00:00', '2026-11-29T00:00']],
    ['0 0 * * fri-sun', ['2026-11-22T00:00', '2026-11-27T00:00', '2026-11-28T00:00']],
    ['5,10 8-18/5 1 JAN,jul *', ['2027-01-01T08:05', '2027-01-01T08:10', '2027-01-01T13:05']],
    ['0 12 13 * 5', ['2026-11-27T12:00', '2026-12-04T12:00', '2026-12-11T12:00', '2026-12-13T12:00']],
    ['0 0 29 2 *', ['2028-02-29T00:00', '2032-02-29T00:00']],
    ['0 0 31 * *', ['2026-12-31T00:00', '2027-01-31T00:00', '2027-03-31T00:00']],
    ['40/10 * * * *', ['2026-11-21T10:50', '2026-11-21T11:40']],
    ['@midnight', ['2026-11-22T00:00', '2026-11-23T00:00']],
    ['@weekly', ['2026-11-22T00:00', '2026-11-29T00:00']],
    ['@monthly', ['2026-12-01T00:00', '2027-01-01T00:00']],
    ['@yearly', ['2027-01-01T00:00', '2028-01-01T00:00']],
    ['@annually', ['2027-01-01T00:00', '2028-01-01T00:00']],
    ['30,10 * * * *', ['2026-11-21T11:10', '2026-11-21T11:30']],
    ['0 0 1 mar,nov *', ['2027-03-01', '2027-11-01'].map(midnight)],
    ['59 23 31 dec *', ['2026-12-31T23:59', '2027-12-31T23:59']],
    ['0  0\t1 feb-apr sat-sun', ['2027-02-01T00:00', '2027-02-06T00:00']],
    ['0 0 * * 0-0', ['2026-11-22T00:00', '2026-11-29T00:00']],
    [
      '0 0 1 may,jun,aug,sep,oct *',
      ['2027-05-01', '2027-06-01', '2027-08-01', '2027-09-01', '2027-10-01'].map(midnight),
    ],
    ['0 0 * * tue,wed,thu', ['2026-11-24', '2026-11-25', '2026-11-26', '2026-12-01'].map(midnight)],
    ['0 0 */10 * *', ['2026-12-01', '2026-12-11', '2026-12-21', '2026-12-31'].map(midnight)],
    ['0 0 */10 * mon', ['2026-12-21', '2027-01-11'].map(midnight)],
    ['0 0 13 * */5', ['2026-12-13', '2027-06-13'].map(midnight)],
  ])('%s', (text, times) => {
    expect(coming(text, NOW, times.length)).toEqual(times);
  });

  const shorthands = '@hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually';
  const unknown = 'is not understood; write *, a number, a list, a range or a step: * 5 1,2 1-5 */15';
  const fields = 'not 5: minute, hour, day, month, day of the week';
  it.each([
    ['*', `it has 1 field, ${fields}`],
    ['* * * *', `it has 4 fields, ${fields}`],
    ['* * * * * *', `it has 6 fields, ${fields}`],
    ['60 * * * *', 'minute "60" is not within 0-59'],
    ['* 24 * * *', 'hour "24" is not within 0-23'],
    ['* * 0 * *', 'day of the month "0" is not within 1-31'],
    ['* * 32 * *', 'day of the month "32" is not within 1-31'],
    ['* * * 13 *', 'month "13" is not within 1-12 or jan, feb, …'],
    ['* * * foo *', 'month "foo" is not within 1-12 or jan, feb, …'],
    ['* * * * 8', 'day of the week "8" is not within 0-7 or sun, mon, …'],
    ['*/0 * * * *', 'minute "*/0" has the step 0; the smallest step is 1'],
    ['*/12345 * * * *', `minute "*/12345" ${unknown}`],
    ['*/5/5 * * * *', `minute "*/5/5" ${unknown}`],
    ['1,,2 * * * *', `minute "" ${unknown}`],
    ['5-1 * * * *', 'minute "5-1" is backwards: its start is after its end'],
    ['1-2-3 * * * *', 'minute "1-2-3" is not understood'],
    ['1-99 * * * *', 'minute "1-99" is not within 0-59'],
    ['-5 * * * *', 'minute "-5" is not within 0-59'],
    ['a * * * *', 'minute "a" is not within 0-59'],
    ['١ * * * *', 'minute "١" is not within 0-59'],
    ['001 * * * *', 'minute "001" is not within 0-59'],
    ['x1 * * * *', 'minute "x1" is not within 0-59'],
    ['__proto__ * * * *', 'minute "__proto__" is not within 0-59'],
    ['1e1 * * * *', 'minute "1e1" is not within 0-59'],
    ['@reboot', `the only shorthands are ${shorthands}`],
    ['\u0000', `it has 1 field, ${fields}`],
  ])('refuses %j: %s', (text, why) => {
    const forms = 'write five fields like "0 12 * * mon-fri", @hourly, or "2026-12-31 12 + 1 day"';
    expect(refusal(text)).toBe(`cronSchedule ${JSON.stringify(text)} is not a schedule: ${why}. ${forms}.`);
  });

  it('for 31 February has no times', () => {
    expect(nextTime(read('0 0 31 2 *'), NOW)).toBeUndefined();
  });
});

describe('time zones', () => {
  it('make a schedule use local time', () => {
    expect(coming('0 9 * * *', NOW, 2, 'Asia/Kolkata')).toEqual(['2026-11-22T03:30', '2026-11-23T03:30']);
    expect(coming('0 0 1 * *', NOW, 1, 'Pacific/Kiritimati')).toEqual(['2026-11-30T10:00']);
  });

  it('move a skipped local time later by the length of the skip', () => {
    expect(coming('30 2 * * *', at('2026-03-28T12:00Z'), 2, 'Europe/Berlin')).toEqual([
      '2026-03-29T01:30',
      '2026-03-30T00:30',
    ]);
    expect(coming('0 0 * * *', at('2026-04-23T12:00Z'), 2, 'Africa/Cairo')).toEqual([
      '2026-04-23T22:00',
      '2026-04-24T21:00',
    ]);
  });

  it('run a repeated local time once, at its first occurrence', () => {
    expect(coming('30 2 * * *', at('2026-10-24T12:00Z'), 2, 'Europe/Berlin')).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
  });

  it('run an hourly schedule every elapsed hour, even across clock changes', () => {
    expect(coming('30 * * * *', at('2026-10-24T23:45Z'), 4, 'Europe/Berlin')).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T01:30',
      '2026-10-25T02:30',
      '2026-10-25T03:30',
    ]);
    expect(coming('0 * * * *', at('2026-10-03T14:10Z'), 3, 'Australia/Lord_Howe')).toEqual([
      '2026-10-03T14:30',
      '2026-10-03T16:00',
      '2026-10-03T17:00',
    ]);
  });

  it.each(['Mars/Base', '+02:00', '../etc', 'x'.repeat(100), 'constructor', '', ' UTC'])('refuses %j', (timeZone) => {
    expect(refusal('@daily', timeZone)).toBe(
      'cronTimeZone must be the name of a time zone, like Europe/Berlin or UTC.',
    );
  });
});

describe('the form of Abaco', () => {
  it.each<[string, readonly string[]]>([
    ['now + 1 hour', ['2026-11-21T11:41', '2026-11-21T12:41', '2026-11-21T13:41']],
    ['now + 2 days', ['2026-11-23T10:41', '2026-11-25T10:41']],
    ['now + 1 month', ['2026-12-21T10:41', '2027-01-21T10:41']],
    ['2078-09-6 20 + 3 months', ['2078-09-06T20:00', '2078-12-06T20:00', '2079-03-06T20:00']],
    ['2027-01-31 5 + 1 month', ['2027-01-31T05:00', '2027-02-28T05:00', '2027-03-31T05:00']],
    ['2026-12-01 00 + 2 weeks', ['2026-12-01T00:00', '2026-12-15T00:00']],
    ['  2026-12-01   00  +  36   hours ', ['2026-12-01T00:00', '2026-12-02T12:00']],
    ['2026-12-01 0+36 hours', ['2026-12-01T00:00', '2026-12-02T12:00']],
    ['NOW + 100000 hours', ['2038-04-19T02:41']],
    ['2026-12-01 23 + 1 week', ['2026-12-01T23:00', '2026-12-08T23:00']],
    ['2024-02-29 5 + 12 months', ['2027-02-28T05:00', '2028-02-29T05:00']],
    ['2025-11-30 5 + 5 months', ['2027-02-28T05:00', '2027-07-30T05:00']],
  ])('%s', (text, times) => {
    expect(coming(text, at('2026-11-21T09:59Z'), times.length)).toEqual(times);
  });

  const start = 'its start must be a day and an hour (UTC), like 2026-12-31 12, or now';
  const calendar = 'the start must be a day of the calendar and an hour from 00 to 23';
  const unit = 'after the + it needs a number and a unit: hours, days, weeks or months';
  it.each([
    ['now + 0 hours', 'the interval must be 1 to 100000 hours, not 0'],
    ['now + -1 hours', 'the interval must be 1 to 100000 hours, not -1'],
    ['now + 1.5 hours', 'the interval must be 1 to 100000 hours, not 1.5'],
    ['now + 1x days', 'the interval must be 1 to 100000 days, not 1x'],
    ['now + x1 days', 'the interval must be 1 to 100000 days, not x1'],
    ['now + 100001 hours', 'the interval must be 1 to 100000 hours, not 100001'],
    ['now + 9999999 hours', 'the interval must be 1 to 100000 hours, not 9999999'],
    ['now + 1 fortnight', '"fortnight" is not hours, days, weeks or months'],
    ['now + hour', unit],
    ['now +', unit],
    ['+ 1 hour', unit],
    ['now + 1 hour + 1 day', unit],
    ['2027-02-31 5 + 1 day', calendar],
    ['2027-01-01 24 + 1 day', calendar],
    ['2027-01-01 99 + 1 day', calendar],
    ['2027-13-01 00 + 1 day', calendar],
    ['2027-00-01 00 + 1 day', calendar],
    ['2027-01-01 + 1 day', start],
    ['2027-01-01T05 + 1 day', start],
    ['12027-01-01 05 + 1 day', start],
    ['2027-01-01 055 + 1 day', start],
    ['tomorrow + 1 day', start],
  ])('refuses %j: %s', (text, why) => {
    expect(refusal(text)).toContain(
      `cronSchedule ${JSON.stringify(text)} is not a schedule: ${why}. write five fields`,
    );
  });

  it('accepts UTC only', () => {
    expect(refusal('now + 1 day', 'Europe/Berlin')).toBe(
      'cronTimeZone is allowed with five fields only: the form with a + is always in UTC.',
    );
    expect(coming('now + 1 day', NOW, 1, 'UTC')).toEqual(['2026-11-22T10:41']);
  });
});

describe('times in an interval', () => {
  it.each<[string, string, string, number, string]>([
    ['@hourly', '2026-11-21T11:00Z', '2026-11-21T11:00Z', 1, '2026-11-21T11:00Z'],
    ['@hourly', '2026-11-21T11:00Z', '2026-11-21T14:59Z', 4, '2026-11-21T14:00Z'],
    ['now + 1 hour', '2026-11-21T10:00Z', '2026-11-21T14:59Z', 4, '2026-11-21T14:41:29Z'],
    ['now + 1 hour', '2026-11-21T11:41:29Z', '2026-11-21T11:41:29Z', 1, '2026-11-21T11:41:29Z'],
    ['@daily', '2026-11-21T00:00:01Z', '2026-11-22T00:00Z', 1, '2026-11-22T00:00Z'],
    ['@daily', '2000-01-01T00:00Z', '2026-11-22T00:00Z', 3_001, '2026-11-22T00:00Z'],
    ['2026-01-31 0 + 1 month', '2026-01-31T00:00Z', '2026-12-30T00:00Z', 11, '2026-11-30T00:00Z'],
    ['* * * * *', '2026-01-01T00:00Z', '2026-12-31T23:59Z', 525_600, '2026-12-31T23:59Z'],
  ])('%s from %s to %s', (text, from, to, count, last) => {
    expect(timesWithin(read(text), at(from), at(to))).toEqual({ count, last: at(last) });
  });

  it('may be empty', () => {
    expect(timesWithin(read('@daily'), at('2026-11-21T11:00Z'), at('2026-11-21T12:00Z'))).toBeUndefined();
    expect(timesWithin(read('now + 1 day'), at('2026-11-21T11:00Z'), at('2026-11-21T12:00Z'))).toBeUndefined();
  });

  it('count the elapsed hours of a year with two clock changes', () => {
    const count = (text: string) =>
      timesWithin(read(text, 'Europe/Berlin'), at('2025-12-31T23:00Z'), at('2026-12-31T22:59Z'))?.count;
    expect(count('0 * * * *')).toBe(8_760);
    expect(count('30 2 * * *')).toBe(365);
  });
});
