// One event, with buttons that deliver it again.

import { ask } from '../../api/call.ts';
import { formatFailure } from '../../api/failure.ts';
import { usePolled } from '../../api/poll.ts';
import { ActionButton } from '../../parts/actions/action-button.tsx';
import { useOngoing } from '../../parts/actions/ongoing.ts';
import { announce } from '../../parts/announce.tsx';
import { commandLine } from '../../parts/command.ts';
import { nameOf } from '../../parts/names.ts';
import { Problem } from '../../parts/problem.tsx';
import { Command } from '../../parts/terminal-line.tsx';
import { safe, safeLines } from '../../parts/text.ts';
import { hashOf } from '../../shell/place.ts';
import { refusalOf, useLevel } from '../actors/level.ts';
import { Attempts } from './delivery-page.tsx';

const EVERY_MS = 30_000;
const DELIVERIES_EVERY_MS = 5_000;

export const EventPage = ({ id }: { readonly id: string }) => {
  const { value, problem } = usePolled(
    id,
    (signal) => ask('GET /actors/v2/events/:eventNumber', { params: { eventNumber: id }, signal }),
    { every: EVERY_MS },
  );
  const ongoing = useOngoing();
  const redeliver = async (to: 'link' | 'webhook'): Promise<void> => {
    try {
      await ask('POST /actors/v2/events/:eventNumber/redeliver', { params: { eventNumber: id }, json: { to } });
      again();
      announce(to === 'link' ? 'The linked actor got the event again.' : 'The event is sent to the webhook again.');
    } catch (error) {
      announce(formatFailure(error), true);
    }
  };
  const event = value.value;
  const refusal = refusalOf(useLevel(event?.actor_id).value, 'UPDATE');
  const webhook = event?.deliveries.webhook ?? '';
  const { value: sent, again } = usePolled(
    `attempts ${webhook}`,
    async (signal) =>
      webhook === ''
        ? undefined
        : ask('GET /actors/v2/deliveries/:deliveryId', { params: { deliveryId: webhook }, signal }),
    { every: DELIVERIES_EVERY_MS },
  );
  return (
    <>
      <div class="head">
        <h1>
          <a class="crumb" href={hashOf(['events'])}>
            Events /
          </a>{' '}
          {safe(id)}
        </h1>
        <Command line={commandLine('events', 'show', id)} />
      </div>
      <Problem text={problem.value} />
      {event === undefined ? null : (
        <>
          <p class="actions">
            <a class="link" href={hashOf(['actors', event.actor_id])}>
              {nameOf(event.actor_id)}
            </a>
            {event.execution_id === undefined ? null : (
              <a class="link" href={hashOf(['executions', event.execution_id])}>
                execution {safe(event.execution_id)}
              </a>
            )}
            {event.deliveries.link === null ? null : (
              <a class="link" href={hashOf(['executions', event.deliveries.link])}>
                execution of the linked actor
              </a>
            )}
          </p>
          {event.linkProblem === undefined ? null : <Problem text={event.linkProblem} />}
          <section class="panel" aria-label="Event">
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a person scrolls it by keyboard */}
            <pre class="plain" tabIndex={0}>
              {safeLines(JSON.stringify(event, null, 2))}
            </pre>
          </section>
          {sent.value === undefined ? null : <Attempts attempts={sent.value.attempts} />}
          <div class="actions">
            <ActionButton
              refusal={event.deliveries.link === null ? 'The event did not go along a link.' : refusal}
              isOff={ongoing.has('link')}
              onClick={() => void ongoing.run(() => redeliver('link'), 'link')}
            >
              Send along the link again
            </ActionButton>
            <Command line={commandLine('events', 'redeliver', id, '--to', 'link')} />
            <ActionButton
              refusal={event.deliveries.webhook === null ? 'The event did not go to a webhook.' : refusal}
              isOff={ongoing.has('webhook')}
              onClick={() => void ongoing.run(() => redeliver('webhook'), 'webhook')}
            >
              Send to the webhook again
            </ActionButton>
            <Command line={commandLine('events', 'redeliver', id, '--to', 'webhook')} />
          </div>
        </>
      )}
    </>
  );
};
