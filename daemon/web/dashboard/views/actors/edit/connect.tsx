// Forms that connect an actor: its link, webhook, aliases and schedule.
import { ask } from '../../../api/call.ts';
import { InlineForm } from '../../../parts/actions/inline-form.tsx';
import { ActorNames } from '../../../parts/actor-name.tsx';
import { commandLine } from '../../../parts/command.ts';
import { idOfName, wordOf } from '../../../parts/names.ts';
import type { Actor } from '../rows.ts';
import { draftOf, updateOf } from './draft.ts';

interface OfActor {
  readonly actor: Actor;
  /** Why the user may not change the actor. */
  readonly refusal: string | undefined;
  readonly onChanged: () => void;
}

/** Replaces one field of the description. An empty value removes it. */
export const changeField = async (actor: Actor, field: 'link' | 'webhook', value: string): Promise<void> => {
  await ask('PUT /actors/v2/:actorId', {
    params: { actorId: actor.id },
    headers: { 'if-match': `"${actor.version}"` },
    json: { ...updateOf(actor, draftOf(actor)), [field]: value },
  });
};

export const LinkForms = ({ actor, refusal, onChanged }: OfActor) => (
  <>
    <ActorNames id="link-actors" />
    <InlineForm
      title="Change the link"
      fields={[{ name: 'to', label: 'Events go to the actor (empty: none)', list: 'link-actors' }]}
      initial={{ to: actor.link }}
      refusal={refusal}
      line={({ to = '' }) =>
        to === '' ? commandLine('links', 'unset', wordOf(actor.id)) : commandLine('links', 'set', wordOf(actor.id), to)
      }
      onSubmit={async ({ to = '' }) => {
        await changeField(actor, 'link', idOfName(to.trim()));
        onChanged();
        return to === '' ? 'The link is removed.' : `Events go to ${to} now.`;
      }}
    />
    <InlineForm
      title="Change the webhook"
      fields={[{ name: 'url', label: 'Events are posted to (empty: none)', placeholder: 'https://example.org/hook' }]}
      initial={{ url: actor.webhook }}
      refusal={refusal}
      line={({ url = '' }) =>
        url === ''
          ? commandLine('webhooks', 'unset', wordOf(actor.id))
          : commandLine('webhooks', 'set', wordOf(actor.id), url)
      }
      onSubmit={async ({ url = '' }) => {
        await changeField(actor, 'webhook', url.trim());
        onChanged();
        return url === '' ? 'The webhook is removed.' : 'The webhook is set.';
      }}
    />
    <InlineForm
      title="New alias"
      fields={[{ name: 'alias', label: 'Alias', placeholder: 'weekly', required: true }]}
      refusal={refusal}
      word="Create"
      line={({ alias = '' }) => commandLine('aliases', 'create', alias || 'ALIAS', wordOf(actor.id))}
      onSubmit={async ({ alias = '' }) => {
        await ask('POST /actors/v2/aliases', { json: { alias: alias.trim(), actorId: actor.id } });
        onChanged();
        return `The alias ${alias} points to this actor.`;
      }}
    />
  </>
);

export const ScheduleForm = ({ actor, refusal, onChanged }: OfActor) => (
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
