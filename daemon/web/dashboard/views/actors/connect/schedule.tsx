// The schedule of an actor: its next runs, and the buttons that set it, switch it and remove it.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask } from '../../../api/call.ts';
import { formatFailure } from '../../../api/failure.ts';
import { usePolled } from '../../../api/poll.ts';
import type { Answer } from '../../../api/routes.ts';
import { ActionButton } from '../../../parts/actions/action-button.tsx';
import { AskFirst } from '../../../parts/actions/ask-first.tsx';
import { type FieldWords, fieldProblems, formatProblems } from '../../../parts/actions/field-problems.ts';
import { InlineForm } from '../../../parts/actions/inline-form.tsx';
import { useOngoing } from '../../../parts/actions/ongoing.ts';
import { announce } from '../../../parts/announce.tsx';
import { commandLine } from '../../../parts/command.ts';
import { nameOf, wordOf } from '../../../parts/names.ts';
import { Command } from '../../../parts/terminal-line.tsx';
import { safe } from '../../../parts/text.ts';
import { formatMoment, formatMomentIn, zoneOffset } from '../../../parts/time.ts';
import type { Connectable } from './change-field.ts';
import { planOf, type ScheduleValues, scheduleLine } from './schedule-plan.ts';

const TIMES = 5;
const PREVIEWED = 3;
const EVERY_MS = 30_000;
/** Pause in typing after which the preview is read. */
const PAUSE_MS = 300;

type Plan = Answer<'PUT /actors/v2/:actorId/cron'>;

const Message = ({ text }: { readonly text: string | undefined }) => (
  <p>
    {text === undefined || text === '' ? (
      <span class="soft">Each run gets the default message.</span>
    ) : (
      <>
        Message: <code>{safe(text)}</code>
      </>
    )}
  </p>
);

const Times = ({ times, timeZone }: { readonly times: readonly string[]; readonly timeZone: string }) => (
  <ol>
    {times.map((time) => {
      const at = Date.parse(time);
      return (
        <li key={time}>
          <time dateTime={time} title={`${formatMoment(at)} ${zoneOffset(at)} here`}>
            {safe(formatMomentIn(at, timeZone))}
          </time>
        </li>
      );
    })}
  </ol>
);

const apiFields: FieldWords = {
  cronSchedule: ['schedule', 'Schedule'],
  cronTimeZone: ['zone', 'Time zone'],
  cronMessage: ['message', 'Message'],
};

/** When the schedule of the form would run with which message, or why it is refused. */
const Preview = ({
  actorId,
  values,
  isOff,
}: {
  readonly actorId: string;
  readonly values: ScheduleValues;
  /** Whether the actor has a schedule that is off. */
  readonly isOff: boolean;
}) => {
  const shown = useSignal<Plan | string | undefined>(undefined);
  const plan = planOf(values);
  const text = JSON.stringify(plan);
  useEffect(() => {
    shown.value = undefined;
    const over = new AbortController();
    const read = async (): Promise<void> => {
      const params = { actorId };
      try {
        const json = JSON.parse(text);
        const found = await ask('PUT /actors/v2/:actorId/cron', {
          params,
          query: { dryRun: true },
          json,
          signal: over.signal,
        });
        if (!over.signal.aborted) shown.value = found;
      } catch (error) {
        if (!over.signal.aborted) shown.value = formatProblems(fieldProblems(error, apiFields));
      }
    };
    const timer = plan.cronSchedule === '' ? undefined : setTimeout(() => void read(), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      over.abort();
    };
  }, [actorId, text]);
  if (plan.cronSchedule === '') return <p class="soft">No schedule.</p>;
  const found = shown.value;
  if (found === undefined) return <p class="soft">…</p>;
  if (typeof found === 'string') return <p class="bad">{safe(found)}</p>;
  return (
    <>
      <p class="soft">{isOff ? 'Saving switches the schedule on. It would run next:' : 'It would run next:'}</p>
      <Times times={found.next.slice(0, PREVIEWED)} timeZone={found.cronTimeZone ?? 'UTC'} />
      <Message text={found.cronMessage} />
    </>
  );
};

const Switch = ({ actor: { id, cronOn }, refusal, onChanged }: Connectable) => {
  const ongoing = useOngoing();
  const change = async (): Promise<void> => {
    try {
      await ask('PUT /actors/v2/:actorId/cron', { params: { actorId: id }, json: { cronOn: !cronOn } });
      announce(`The schedule is ${cronOn ? 'off' : 'on'}.`);
      onChanged();
    } catch (error) {
      announce(formatFailure(error), true);
    }
  };
  return (
    <ActionButton isOff={ongoing.has()} refusal={refusal} onClick={() => void ongoing.run(change)}>
      {cronOn ? 'Switch off' : 'Switch on'}
    </ActionButton>
  );
};

const Actions = (props: Connectable) => {
  const { actor, refusal, onChanged } = props;
  const { id, cronSchedule, cronOn, cronTimeZone, cronMessage } = actor;
  const word = wordOf(id);
  const set = async (values: ScheduleValues): Promise<string> => {
    const plan = planOf(values);
    await ask('PUT /actors/v2/:actorId/cron', { params: { actorId: id }, json: plan });
    onChanged();
    return plan.cronSchedule === '' ? 'The schedule is removed.' : 'The schedule is set.';
  };
  return (
    <div class="forms">
      <InlineForm
        title={cronSchedule === undefined ? 'Set a schedule' : 'Change the schedule'}
        fields={[
          { name: 'schedule', label: 'Schedule (empty: none)', placeholder: '0 9 * * mon-fri' },
          { name: 'zone', label: 'Time zone', placeholder: 'Europe/Zurich' },
          { name: 'message', label: 'Message (empty: the default message)' },
        ]}
        initial={{
          schedule: cronSchedule ?? '',
          // A schedule without a zone is in UTC.
          zone: cronTimeZone ?? (cronSchedule === undefined ? Intl.DateTimeFormat().resolvedOptions().timeZone : 'UTC'),
          message: cronMessage ?? '',
        }}
        apiFields={apiFields}
        refusal={refusal}
        line={(values) => scheduleLine(word, values, cronMessage)}
        note={(values) => <Preview actorId={id} values={values} isOff={cronSchedule !== undefined && !cronOn} />}
        onSubmit={set}
      />
      {cronSchedule === undefined ? null : (
        <>
          <Switch {...props} />
          <AskFirst
            title="Remove the schedule"
            question={`Remove the schedule of ${nameOf(id)}?`}
            loss={`The schedule ${safe(cronSchedule)}${cronMessage === undefined ? ' is' : ' and its message are'} deleted. Executions that run go on.`}
            word="Remove"
            line={commandLine('cron', 'unset', word)}
            refusal={refusal}
            onYes={() => set({})}
          />
          <Command line={commandLine('cron', cronOn ? 'disable' : 'enable', word)} />
        </>
      )}
    </div>
  );
};

export const Schedule = (props: Connectable) => {
  const { id, version, cronSchedule = '', cronOn, cronTimeZone = 'UTC', cronMessage } = props.actor;
  const { value } = usePolled(
    `cron ${id} ${version} ${cronSchedule} ${cronOn}`,
    (signal) => ask('GET /actors/v2/:actorId/cron', { params: { actorId: id }, query: { count: TIMES }, signal }),
    { every: EVERY_MS, afterEvents: 1_000, concerns: (event) => event.actor_id === id },
  );
  return (
    <section class="panel" aria-labelledby="schedule-title">
      <header>
        <h2 id="schedule-title">Schedule</h2>
        {cronSchedule === '' ? null : <span class="soft">{cronOn ? 'on' : 'off'}</span>}
      </header>
      <div class="body">
        {cronSchedule === '' ? (
          <p class="soft">No schedule.</p>
        ) : (
          <>
            <p>
              <code>{safe(cronSchedule)}</code> <span class="soft">in {safe(cronTimeZone)}</span>
            </p>
            <Message text={cronMessage} />
            {cronOn ? null : <p class="soft">The schedule is off. Switched on, it would run next:</p>}
            <Times times={value.value?.next ?? []} timeZone={cronTimeZone} />
          </>
        )}
        <Actions {...props} />
        <Command
          line={
            cronSchedule === ''
              ? commandLine('cron', 'set', wordOf(id), '@hourly')
              : commandLine('cron', 'next', wordOf(id))
          }
        />
      </div>
    </section>
  );
};
