// Schedules: their syntax and their times, also across clock changes.
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

const refusal = (text: string, timeZone?: string): string => {
  try {
    read(text, timeZone);
  } catch (error) {
    if (error instanceof Failure && error.code === 'VALIDATION') return error.message;
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
  ])('%s', (text, times) => {
    expect(coming(text, NOW, times.length)).toEqual(times);
  });

  it.each([
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 8',
    '*/0 * * * *',
    '5-1 * * * *',
    '1,,2 * * * *',
    'a * * * *',
    '-5 * * * *',
    '1-2-3 * * * *',
    '* * * foo *',
    '@reboot',
    '*/5/5 * * * *',
    '١ * * * *',
    '__proto__ * * * *',
    '1e1 * * * *',
    '\u0000',
  ])('refuses %j', (text) => {
    expect(refusal(text)).toMatch(/^cronSchedule .* is not a schedule: /);
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

  it('run an hourly schedule every elapsed hour, also across clock changes', () => {
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

  it.each(['Mars/Base', '+02:00', '../etc', 'x'.repeat(100), 'constructor'])('refuses %j', (timeZone) => {
    expect(refusal('@daily', timeZone)).toMatch(/^cronTimeZone /);
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
    ['2026-12-01 0+36 hours', ['2026-12-01T00:00', '2026-12-02T12:00']],
  ])('%s', (text, times) => {
    expect(coming(text, at('2026-11-21T09:59Z'), times.length)).toEqual(times);
  });

  it.each([
    'now + 0 hours',
    'now + -1 hours',
    'now + 1.5 hours',
    'now + 1 fortnight',
    'now + hour',
    'now +',
    '+ 1 hour',
    '2027-02-31 5 + 1 day',
    '2027-01-01 24 + 1 day',
    '2027-13-01 00 + 1 day',
    '2027-01-01 + 1 day',
    '2027-01-01T05 + 1 day',
    'tomorrow + 1 day',
    'now + 9999999 hours',
    'now + 1 hour + 1 day',
  ])('refuses %j', (text) => {
    expect(refusal(text)).toMatch(/^cronSchedule .* is not a schedule: /);
  });

  it('accepts UTC only', () => {
    expect(refusal('now + 1 day', 'Europe/Berlin')).toMatch(/^cronTimeZone /);
    expect(coming('now + 1 day', NOW, 1, 'UTC')).toEqual(['2026-11-22T10:41']);
  });
});

describe('times in an interval', () => {
  it.each<[string, string, string, number, string]>([
    ['@hourly', '2026-11-21T11:00Z', '2026-11-21T11:00Z', 1, '2026-11-21T11:00Z'],
    ['@hourly', '2026-11-21T11:00Z', '2026-11-21T14:59Z', 4, '2026-11-21T14:00Z'],
    ['now + 1 hour', '2026-11-21T10:00Z', '2026-11-21T14:59Z', 4, '2026-11-21T14:41:29Z'],
    ['2026-01-31 0 + 1 month', '2026-01-31T00:00Z', '2026-12-30T00:00Z', 11, '2026-11-30T00:00Z'],
    ['* * * * *', '2026-01-01T00:00Z', '2026-12-31T23:59Z', 525_600, '2026-12-31T23:59Z'],
  ])('%s from %s to %s', (text, from, to, count, last) => {
    expect(timesWithin(read(text), at(from), at(to))).toEqual({ count, last: at(last) });
  });

  it('can be none', () => {
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
