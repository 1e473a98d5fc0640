// The form of a schedule in the dashboard: request, command and times.
import { expect, it } from 'vitest';
import { formatMomentIn } from '../../../daemon/web/dashboard/parts/time.ts';
import {
  planOf,
  type ScheduleValues,
  scheduleLine,
} from '../../../daemon/web/dashboard/views/actors/connect/schedule-plan.ts';

const zone = 'Europe/Zurich';

it.each<[ScheduleValues, string | undefined, string]>([
  [{ schedule: ' @hourly ', zone }, zone, `actorctl cron set report @hourly --tz ${zone}`],
  [
    { schedule: '0 9 * * 1', zone, message: 'hi' },
    zone,
    `actorctl cron set report '0 9 * * 1' --tz ${zone} --message hi`,
  ],
  [{ schedule: '@daily', zone: '' }, 'UTC', 'actorctl cron set report @daily --tz UTC'],
  [{ schedule: 'now + 1 day', zone }, undefined, "actorctl cron set report 'now + 1 day'"],
  [{ schedule: ' ', zone }, undefined, 'actorctl cron unset report'],
])('the form %j sends the time zone %s, and its command says the same', (values, timeZone, line) => {
  expect(planOf(values).cronTimeZone).toBe(timeZone);
  expect(scheduleLine('report', values, undefined)).toBe(line);
});

it('an empty message removes the message that the schedule had', () => {
  const values = { schedule: '@daily', zone: 'UTC', message: '' };
  expect(planOf(values).cronMessage).toBe('');
  expect(scheduleLine('report', values, 'before')).toBe("actorctl cron set report @daily --tz UTC --message ''");
});

it.each([
  [zone, `Mon 2026-11-23 09:00 ${zone}`],
  ['Asia/Kolkata', 'Mon 2026-11-23 13:30 Asia/Kolkata'],
  ['Mars/Base', 'Mon 2026-11-23 08:00 UTC'],
])('a time in %s names its day and its zone', (timeZone, words) => {
  expect(formatMomentIn(Date.UTC(2026, 10, 23, 8), timeZone)).toBe(words);
});
