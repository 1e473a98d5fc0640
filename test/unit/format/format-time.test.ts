// Durations and times: the accepted input, and the text shown to people.
import { describe, expect, it } from 'vitest';
import { readStep } from '../../../src/contract/times.ts';
import { CliFailure } from '../../../src/failure.ts';
import {
  formatAgo,
  formatDuration,
  formatMoment,
  parseDuration,
  parseInstant,
  parseStep,
  parseTime,
} from '../../../src/ui/format/time.ts';

const NOW = Date.parse('2026-11-21T12:00:00.000Z');

describe('a duration', () => {
  it.each([
    ['90s', 90_000],
    ['15m', 900_000],
    ['4h', 14_400_000],
    ['30d', 2_592_000_000],
    ['500ms', 500],
    ['1h30m', 5_400_000],
    ['0.5s', 500],
    [' 2m ', 120_000],
  ])('%j is %d ms', (text, ms) => expect(parseDuration(text)).toBe(ms));

  it.each(['', '90', 's', '-5m', '1w', '5 m', '1e3s', '99999999999s'])('%j is a usage error', (text) => {
    expect(() => parseDuration(text)).toThrow(CliFailure);
  });

  it.each([
    [0, '0ms'],
    [42, '42ms'],
    [804, '0.8s'],
    [9_999, '9.9s'],
    [59_999, '59s'],
    [60_000, '1m'],
    [133_000, '2m13s'],
    [7_980_000, '2h13m'],
    [273_600_000, '3d4h'],
    [-5, '0ms'],
  ])('%d ms is shown as %j', (ms, text) => expect(formatDuration(ms)).toBe(text));
});

describe('a time', () => {
  it.each([
    ['2026-11-21T11:00:00Z', NOW - 3_600_000],
    ['2026-11-21T12:00:00.250+01:00', NOW - 3_600_000 + 250],
    ['2026-11-21 11:00', NOW - 3_600_000],
    ['2026-11-21', NOW - 43_200_000],
    ['10m', NOW - 600_000],
    ['@1700000000', 1_700_000_000_000],
    ['@1700000000.5', 1_700_000_000_500],
  ])('%j is accepted', (text, ms) => expect(parseTime(text, NOW)).toBe(ms));

  it.each(['', 'yesterday', '2026-13-41T00:00:00Z', '@', '12:00', '2026/11/21'])('%j is a usage error', (text) => {
    expect(() => parseTime(text, NOW)).toThrow(CliFailure);
  });

  it.each([
    [0, 'just now'],
    [42_000, '42s ago'],
    [300_000, '5m ago'],
    [3 * 3_600_000, '3h ago'],
    [50 * 3_600_000, '2d ago'],
    [-3 * 3_600_000, 'in 3h'],
  ])('%d ms ago is shown as %j', (back, text) => expect(formatAgo(NOW - back, NOW)).toBe(text));

  it.each([
    ['UTC', 'Sat 21 Nov 2026, 12:00 UTC'],
    ['Europe/Berlin', 'Sat 21 Nov 2026, 13:00 Europe/Berlin'],
    ['Pacific/Auckland', 'Sun 22 Nov 2026, 01:00 Pacific/Auckland'],
  ])('is shown in the zone %s as %j', (zone, text) => expect(formatMoment(NOW, zone)).toBe(text));
});

describe('an instant', () => {
  it.each([
    ['2030-01-31', '2030-01-31T00:00:00.000Z'],
    ['2030-01-31T12:00:00+02:00', '2030-01-31T10:00:00.000Z'],
    ['2030-01-31 12:00', '2030-01-31T12:00:00.000Z'],
    ['@0', '1970-01-01T00:00:00.000Z'],
    [' 2028-02-29 ', '2028-02-29T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%j is %s', (text, time) => expect(new Date(parseInstant(text)).toISOString()).toBe(time));

  it.each([
    '',
    'now',
    '10m',
    '@-1',
    '2030-02-30',
    '2030-13-01',
    '1969-12-31',
    '1000000-01-01',
    '+010000-01-01T00:00:00Z',
    '9999-12-31T23:59:59-01:00',
    '2030-01-31T25:00:00Z',
  ])('%j is a usage error', (text) => {
    expect(() => parseInstant(text)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});

describe('a step of a clock', () => {
  it.each([
    ['3h', 0, 10_800_000],
    ['1y', 12, 0],
    ['2mo', 2, 0],
    ['1y6mo2w1d12h', 18, 15.5 * 86_400_000],
    ['2m', 0, 120_000],
    ['1ms', 0, 1],
  ])('%j is %d months and %d ms', (text, months, ms) => {
    expect([parseStep(` ${text} `), readStep(text)]).toEqual([text, { months, ms }]);
  });

  it.each(['', '0s', '0y', '0.0001ms', '-3h', '3', 'h', '1.5y', '3h1y', 'forever', '1e9y', '9999999999y'])(
    '%j is a usage error',
    (text) => {
      expect(() => parseStep(text)).toThrow(expect.objectContaining({ code: 'USAGE' }));
    },
  );
});
