// The schedule of an actor: how a request changes it, which run is due, and the next times.
import { describe, expect, it } from 'vitest';
import type { CronPlan } from '../../../daemon/domain/records/actor-records.ts';
import {
  CRON,
  CRON_MESSAGE,
  type CronRequest,
  changePlan,
  comingTimes,
  dueRun,
} from '../../../daemon/domain/schedule/cron-plan.ts';

const at = (text: string): number => Date.parse(`2026-11-${text}Z`);
const NOW = at('21T10:41:29');
const hourly: CronPlan = { schedule: '@hourly', on: true, startAt: at('01T00:00'), nextAt: at('21T11:00') };

describe('a request', () => {
  it.each<[string, CronPlan | undefined, CronRequest, CronPlan | undefined]>([
    ['without a schedule makes no plan', undefined, {}, undefined],
    ['with an empty schedule removes the plan', hourly, { cronSchedule: ' ' }, undefined],
    ['that switches nothing off makes no plan', undefined, { cronOn: false }, undefined],
    [
      'with a schedule switches it on',
      undefined,
      { cronSchedule: '@hourly' },
      { schedule: '@hourly', on: true, startAt: NOW, nextAt: at('21T11:00') },
    ],
    [
      'may leave it off',
      undefined,
      { cronSchedule: '@hourly', cronOn: false, cronMessage: 'hi' },
      { schedule: '@hourly', on: false, startAt: NOW, message: 'hi' },
    ],
    [
      'may name a time zone',
      undefined,
      { cronSchedule: '0 9 * * *', cronTimeZone: 'Asia/Kolkata' },
      { schedule: '0 9 * * *', on: true, timeZone: 'Asia/Kolkata', startAt: NOW, nextAt: at('22T03:30') },
    ],
    ['that repeats the plan changes nothing', hourly, { cronSchedule: '@hourly', cronOn: true }, hourly],
    ['that names nothing changes nothing', hourly, {}, hourly],
    ['with a message keeps the times', hourly, { cronMessage: 'hi' }, { ...hourly, message: 'hi' }],
    ['with an empty message removes it', { ...hourly, message: 'hi' }, { cronMessage: '' }, hourly],
    ['without a message keeps it', { ...hourly, message: 'hi' }, {}, { ...hourly, message: 'hi' }],
    [
      'that switches off removes the next time',
      hourly,
      { cronOn: false },
      { schedule: '@hourly', on: false, startAt: at('01T00:00') },
    ],
    [
      'that switches on again continues with the next time, not with those that passed',
      { schedule: '@hourly', on: false, startAt: at('01T00:00') },
      { cronOn: true },
      hourly,
    ],
    [
      'that switches an interval on again keeps its start',
      { schedule: 'now + 7 hours', on: false, startAt: at('21T01:00') },
      { cronOn: true },
      { schedule: 'now + 7 hours', on: true, startAt: at('21T01:00'), nextAt: at('21T15:00') },
    ],
    [
      'with another schedule starts anew, on as before, in UTC',
      { ...hourly, timeZone: 'Asia/Kolkata', message: 'hi' },
      { cronSchedule: '@daily' },
      { schedule: '@daily', on: true, message: 'hi', startAt: NOW, nextAt: at('22T00:00') },
    ],
    [
      'with another time zone starts anew',
      { ...hourly, schedule: '@daily', nextAt: at('22T00:00') },
      { cronTimeZone: 'Asia/Kolkata' },
      { schedule: '@daily', on: true, timeZone: 'Asia/Kolkata', startAt: NOW, nextAt: at('21T18:30') },
    ],
    [
      'without a time zone keeps it',
      { schedule: '@daily', on: true, timeZone: 'Asia/Kolkata', startAt: 5, nextAt: at('21T18:30') },
      { cronSchedule: '@daily' },
      { schedule: '@daily', on: true, timeZone: 'Asia/Kolkata', startAt: 5, nextAt: at('21T18:30') },
    ],
    [
      'with an empty time zone means UTC',
      { schedule: '@daily', on: true, timeZone: 'Asia/Kolkata', startAt: 5, nextAt: at('21T18:30') },
      { cronTimeZone: '' },
      { schedule: '@daily', on: true, startAt: NOW, nextAt: at('22T00:00') },
    ],
    [
      'may start an interval with the current hour',
      undefined,
      { cronSchedule: '2026-11-21 10 + 1 day' },
      { schedule: '2026-11-21 10 + 1 day', on: true, startAt: NOW, nextAt: at('21T10:00') },
    ],
    [
      'may start an interval later',
      undefined,
      { cronSchedule: '2026-11-22 03 + 1 day' },
      { schedule: '2026-11-22 03 + 1 day', on: true, startAt: NOW, nextAt: at('22T03:00') },
    ],
    [
      'with an interval from now runs one interval later',
      undefined,
      { cronSchedule: 'now + 1 hour' },
      { schedule: 'now + 1 hour', on: true, startAt: NOW, nextAt: at('21T11:41:29') },
    ],
  ])('%s', (_, before, wish, after) => {
    expect(changePlan(before, wish, NOW)).toStrictEqual(after);
  });

  it.each<[CronRequest, string, string]>([
    [{ cronOn: true }, 'cronOn', 'cronOn cannot be true: there is no cronSchedule. Send one.'],
    [
      { cronSchedule: '0 0 31 2 *' },
      'cronSchedule',
      'cronSchedule "0 0 31 2 *" never occurs: no month has such a day.',
    ],
    [
      { cronSchedule: '2026-11-21 09 + 1 day' },
      'cronSchedule',
      'cronSchedule "2026-11-21 09 + 1 day" starts in the past. Start it with the current hour (UTC), a later hour, or "now".',
    ],
  ])('%j is refused', (wish, field, message) => {
    expect(() => changePlan(undefined, wish, NOW)).toThrow(
      expect.objectContaining({ code: 'VALIDATION', message, detail: { field } }),
    );
  });
});

describe('a due run', () => {
  const due = (cron: CronPlan | undefined, now: number, status: 'READY' | 'SHUTTING_DOWN' = 'READY') =>
    dueRun({ status, ...(cron && { cron }) }, now);

  it('has its time, and the plan then has the next one', () => {
    expect(due(hourly, at('21T11:00'))).toStrictEqual({
      run: { scheduledAt: at('21T11:00'), missed: 0 },
      plan: { ...hourly, nextAt: at('21T12:00') },
    });
  });

  it('counts the times that were missed, and has the latest', () => {
    expect(due(hourly, at('21T13:30'))).toStrictEqual({
      run: { scheduledAt: at('21T13:00'), missed: 2 },
      plan: { ...hourly, nextAt: at('21T14:00') },
    });
  });

  it('is fired late if the stored time is not in the schedule', () => {
    expect(due({ ...hourly, nextAt: at('21T11:30') }, at('21T11:31'))).toMatchObject({
      run: { scheduledAt: at('21T11:30'), missed: 0 },
    });
  });

  it('leaves no next time when the schedule has none', () => {
    const { nextAt: _, ...rest } = { ...hourly, schedule: '0 0 31 2 *' };
    expect(due({ ...rest, nextAt: NOW }, NOW)?.plan).toStrictEqual(rest);
  });

  it('does not exist before its time, without a schedule, when it is off, and during deletion of the actor', () => {
    expect(due(hourly, at('21T11:00') - 1)).toBeUndefined();
    expect(due(undefined, NOW)).toBeUndefined();
    expect(due({ schedule: '@hourly', on: true }, NOW)).toBeUndefined();
    expect(due({ ...hourly, on: false }, at('21T12:00'))).toBeUndefined();
    expect(due(hourly, at('21T12:00'), 'SHUTTING_DOWN')).toBeUndefined();
  });
});

it('the messages of a schedule have the sender cron and a text', () => {
  expect([CRON, CRON_MESSAGE]).toEqual(['cron', 'This is a message of the schedule of this actor.']);
});

it.each<[string, CronPlan, number, readonly string[]]>([
  ['begin with the stored time', hourly, 2, ['21T11:00', '21T12:00']],
  ['of a plan that is off begin now', { schedule: '@daily', on: false }, 2, ['22T00:00', '23T00:00']],
  ['follow the time zone', { schedule: '@daily', on: false, timeZone: 'Asia/Kolkata' }, 1, ['21T18:30']],
  ['may be none', { schedule: '0 0 31 2 *', on: true }, 3, []],
])('the coming times %s', (_, plan, count, times) => {
  expect(comingTimes(plan, NOW, count)).toEqual(times.map(at));
});
