// Deliveries of events to webhooks, with the receiver's response and a button for redelivery.

import { useSignal } from '@preact/signals';
import { ask } from '../../api/call.ts';
import { ApiFailure, formatFailure } from '../../api/failure.ts';
import { usePolled } from '../../api/poll.ts';
import { ActionButton } from '../../parts/actions/action-button.tsx';
import { Confirm } from '../../parts/actions/confirm.tsx';
import { useOngoing } from '../../parts/actions/ongoing.ts';
import { outstandingOf } from '../../parts/actions/outstanding.ts';
import { Ago, Took } from '../../parts/ago.tsx';
import { announce } from '../../parts/announce.tsx';
import { commandLine } from '../../parts/command.ts';
import { nameOf } from '../../parts/names.ts';
import { Problem } from '../../parts/problem.tsx';
import { Status } from '../../parts/status.tsx';
import { CommandButton } from '../../parts/terminal-line.tsx';
import { safe, shownUrl } from '../../parts/text.ts';
import { hashOf } from '../../shell/place.ts';
import { filter } from '../../shell/router.ts';
import { refusalOf, useLevels } from '../actors/level.ts';
import { deliveryHash } from './delivery-page.tsx';
import { formatResponse } from './response.ts';

const SHOWN = 200;
/** Deliveries among which the failed ones are found that are sent again together. */
const REDELIVERED_MOST = 1_000;
const EVERY_MS = 3_000;

/** Undefined if only this delivery cannot be sent again: the actor has no webhook, or the event was deleted. */
const skipUndeliverable = (error: unknown): undefined => {
  if (error instanceof ApiFailure && [403, 404, 409].includes(error.status)) return undefined;
  throw error;
};

/** Most deliveries that the command of the question names. */
const NAMED_MOST = 10;

interface RedeliverQuestionProps {
  readonly ids: readonly string[];
  readonly onYes: (ids: readonly string[]) => void;
  readonly onClose: () => void;
}

const RedeliverQuestion = ({ ids, onYes, onClose }: RedeliverQuestionProps) => (
  <Confirm
    title={`Redeliver ${ids.length} ${ids.length === 1 ? 'event' : 'events'}?`}
    word="Redeliver"
    isHarmless
    line={
      ids.length > NAMED_MOST
        ? commandLine('webhooks', 'deliveries', '--failed')
        : commandLine('webhooks', 'redeliver', ...ids)
    }
    onYes={() => onYes(ids)}
    onClose={onClose}
  >
    <p>
      The events of all actors whose last delivery failed, or has an unknown outcome, are sent again one after another,
      to the webhook that each actor has now. A receiver that got an event before gets it twice.
    </p>
  </Confirm>
);

export const Deliveries = ({ failed }: { readonly failed: boolean }) => {
  const { value, problem, again } = usePolled(
    `deliveries ${failed}`,
    (signal) => ask('GET /actors/v2/deliveries', { query: { limit: SHOWN, ...(failed && { failed: true }) }, signal }),
    { every: EVERY_MS, afterEvents: 1_000 },
  );
  const ongoing = useOngoing();
  const redeliver = async (deliveryId: string): Promise<void> => {
    try {
      const made = await ask('POST /actors/v2/deliveries/:deliveryId/redeliver', {
        params: { deliveryId },
      });
      announce(`${made.status.toLowerCase()} ${formatResponse(made)}`, made.status !== 'DELIVERED');
    } catch (error) {
      announce(formatFailure(error), true);
    }
    again();
  };
  /** The failed deliveries that a question names. */
  const asked = useSignal<readonly string[] | undefined>(undefined);
  const askAboutAll = async (): Promise<void> => {
    try {
      const { deliveries } = await ask('GET /actors/v2/deliveries', { query: { limit: REDELIVERED_MOST } });
      const ids = outstandingOf(deliveries);
      if (ids.length === 0) announce('Every failed delivery was sent again already.');
      else asked.value = ids;
    } catch (error) {
      announce(formatFailure(error), true);
    }
  };
  /** One after another, so that a receiver that comes back is not flooded. */
  const redeliverAll = async (ids: readonly string[]): Promise<void> => {
    try {
      let delivered = 0;
      for (const deliveryId of ids) {
        const params = { deliveryId };
        // An actor without a webhook cannot get its event, but others can.
        const answer = await ask('POST /actors/v2/deliveries/:deliveryId/redeliver', { params }).catch(
          skipUndeliverable,
        );
        if (answer?.status === 'DELIVERED') delivered += 1;
      }
      announce(`${delivered} of ${ids.length} events are delivered now.`, delivered < ids.length);
    } catch (error) {
      announce(formatFailure(error), true);
    }
    again();
  };
  const rows = (value.value?.deliveries ?? []).toReversed();
  const levels = useLevels(rows.map(({ actorId }) => actorId));
  const refusals = rows.map(({ actorId }) => refusalOf(levels.get(actorId), 'UPDATE'));
  return (
    <>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          <input
            type="checkbox"
            checked={failed}
            onChange={(event) => filter({ failed: event.currentTarget.checked ? 'true' : undefined })}
          />{' '}
          Only failed or unknown
        </label>
        <ActionButton
          isOff={ongoing.has('all')}
          refusal={refusals.includes(undefined) ? undefined : refusals[0]}
          onClick={() => void ongoing.run(askAboutAll, 'all')}
        >
          Redeliver all failed
        </ActionButton>
        <span class="soft" role="status">
          {rows.length === SHOWN ? `the newest ${SHOWN} deliveries` : ''}
        </span>
      </form>
      {asked.value === undefined ? null : (
        <RedeliverQuestion
          ids={asked.value}
          onYes={(ids) => void ongoing.run(() => redeliverAll(ids), 'all')}
          onClose={() => {
            asked.value = undefined;
          }}
        />
      )}
      <Problem text={problem.value} />
      {value.value === undefined ? null : rows.length === 0 ? (
        <p class="panel empty">No deliveries.</p>
      ) : (
        <section class="panel wide-table" aria-label="Deliveries">
          <table class="cards deliveries">
            <thead>
              <tr>
                <th scope="col">Event</th>
                <th scope="col">Status</th>
                <th scope="col">Response</th>
                <th scope="col">Receiver</th>
                <th scope="col">Duration</th>
                <th scope="col">Age</th>
                <th scope="col">
                  <span class="visually-hidden">Action</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map(
                ({
                  id,
                  eventId,
                  eventType,
                  actorId,
                  status,
                  httpStatus,
                  error,
                  url,
                  createTime,
                  sentTime,
                  finishTime,
                  redeliveryOf,
                }) => (
                  <tr key={id}>
                    <td>
                      <a class="link" data-row href={hashOf(['events', eventId])}>
                        {safe(eventType ?? eventId)}
                      </a>{' '}
                      <span class="soft">
                        {nameOf(actorId)}
                        {redeliveryOf === undefined ? '' : ', again'}
                      </span>
                    </td>
                    <td>
                      <a class="link" href={deliveryHash(id)} aria-label={`${status.toLowerCase()}, delivery ${id}`}>
                        <Status status={status} />
                      </a>
                    </td>
                    <td>
                      <span class={error === undefined ? undefined : 'bad'}>
                        {safe(formatResponse({ httpStatus, error }))}
                      </span>
                    </td>
                    <td class="soft">{shownUrl(url)}</td>
                    <td>
                      {sentTime === undefined ? <span class="soft">–</span> : <Took from={sentTime} to={finishTime} />}
                    </td>
                    <td>
                      <Ago time={createTime} />
                    </td>
                    <td class="num">
                      <div class="row-action">
                        <CommandButton line={commandLine('webhooks', 'redeliver', id)} />
                        <ActionButton
                          isOff={ongoing.has(id)}
                          refusal={refusalOf(levels.get(actorId), 'UPDATE')}
                          aria-label={`Redeliver ${id}`}
                          onClick={() => void ongoing.run(() => redeliver(id), id)}
                        >
                          Redeliver
                        </ActionButton>
                      </div>
                    </td>
                  </tr>
                ),
              )}
            </tbody>
          </table>
        </section>
      )}
    </>
  );
};
