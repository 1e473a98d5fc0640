// What the form of a schedule means, for the request and the command alike.
import { commandLine } from '../../../parts/command.ts';

export interface ScheduleValues {
  readonly schedule?: string;
  readonly zone?: string;
  readonly message?: string;
}

interface Plan {
  readonly cronSchedule: string;
  readonly cronOn?: boolean;
  readonly cronTimeZone?: string;
  readonly cronMessage?: string;
}

/** The request that sets the schedule, or removes it if the schedule is empty. */
export const planOf = ({ schedule = '', zone = '', message = '' }: ScheduleValues): Plan => {
  const cronSchedule = schedule.trim();
  if (cronSchedule === '') return { cronSchedule };
  return {
    cronSchedule,
    cronOn: true,
    // A schedule with a `+` is always in UTC.
    ...(!cronSchedule.includes('+') && { cronTimeZone: zone.trim() || 'UTC' }),
    cronMessage: message,
  };
};

/**
 * The command that does the same.
 * @param word names the actor
 * @param before message of the current schedule, which a command without `--message` keeps
 */
export const scheduleLine = (word: string, values: ScheduleValues, before: string | undefined): string => {
  const { cronSchedule, cronTimeZone, cronMessage = '' } = planOf(values);
  if (cronSchedule === '') return commandLine('cron', 'unset', word);
  const zone = cronTimeZone === undefined ? [] : ['--tz', cronTimeZone];
  const message = cronMessage === '' && before === undefined ? [] : ['--message', cronMessage];
  return commandLine('cron', 'set', word, cronSchedule, ...zone, ...message);
};
