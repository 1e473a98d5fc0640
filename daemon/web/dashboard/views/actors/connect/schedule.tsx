// The form of the schedule of an actor.
import { ask } from '../../../api/call.ts';
import { InlineForm } from '../../../parts/actions/inline-form.tsx';
import { commandLine } from '../../../parts/command.ts';
import { wordOf } from '../../../parts/names.ts';
import type { Connectable } from './change-field.ts';

export const ScheduleForm = ({ actor, refusal, onChanged }: Connectable) => (
  <InlineForm
    title={actor.cronSchedule === undefined ? 'Set a schedule' : 'Change the schedule'}
    fields={[
      { name: 'schedule', label: 'Schedule (empty: none)', placeholder: '0 9 * * mon-fri' },
      { name: 'zone', label: 'Time zone', placeholder: 'Europe/Zurich' },
      { name: 'message', label: 'Message (empty: the usual one)' },
    ]}
    initial={{
      schedule: actor.cronSchedule ?? '',
      zone: actor.cronTimeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
      message: actor.cronMessage ?? '',
    }}
    refusal={refusal}
    line={({ schedule = '', zone = '', message = '' }) =>
      schedule === ''
        ? commandLine('cron', 'unset', wordOf(actor.id))
        : commandLine(
            'cron',
            'set',
            wordOf(actor.id),
            schedule,
            ...(zone === '' ? [] : ['--tz', zone]),
            ...(message === '' ? [] : ['--message', message]),
          )
    }
    onSubmit={async ({ schedule = '', zone = '', message = '' }) => {
      await ask('PUT /actors/v2/:actorId/cron', {
        params: { actorId: actor.id },
        json: {
          cronSchedule: schedule.trim(),
          // Only a schedule of five fields has a time zone.
          ...(schedule.trim().split(/\s+/).length === 5 && !schedule.includes('+') && { cronTimeZone: zone.trim() }),
          ...(schedule !== '' && { cronOn: true, cronMessage: message }),
        },
      });
      onChanged();
      return schedule === '' ? 'The schedule is removed.' : 'The schedule is set.';
    }}
  />
);
