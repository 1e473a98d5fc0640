// One delivery: its attempts, its request, and the begin of the response.

import { ask } from '../../api/call.ts';
import { formatFailure } from '../../api/failure.ts';
import { usePolled } from '../../api/poll.ts';
import type { Answer } from '../../api/routes.ts';
import { ActionButton } from '../../parts/actions/action-button.tsx';
import { useOngoing } from '../../parts/actions/ongoing.ts';
import { Ago, Took } from '../../parts/ago.tsx';
import { announce } from '../../parts/announce.tsx';
import { commandLine } from '../../parts/command.ts';
import { nameOf } from '../../parts/names.ts';
import { Problem } from '../../parts/problem.tsx';
import { Status } from '../../parts/status.tsx';
import { Command, CommandButton } from '../../parts/terminal-line.tsx';
import { safe, safeLines, shownUrl } from '../../parts/text.ts';
import { hashOf } from '../../shell/place.ts';
import { refusalOf, useLevel } from '../actors/level.ts';
import { beyondCode, formatResponse } from './response.ts';

type Detail = Answer<'GET /actors/v2/deliveries/:deliveryId'>;

const EVERY_MS = 10_000;

export const deliveryHash = (id: string): string => hashOf(['events', 'deliveries', id]);

/** JSON on several lines; other text as it is. */
const pretty = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

const Text = ({ text }: { readonly text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a person scrolls it by keyboard
  <pre class="plain" tabIndex={0}>
    {safeLines(text)}
  </pre>
);

/** The deliveries of one event. @param here id of the delivery that is shown */
export const Attempts = ({ attempts, here }: { readonly attempts: Detail['attempts']; readonly here?: string }) => (
  <section class="panel" aria-labelledby="attempts-title">
    <header>
      <h2 id="attempts-title">Attempts</h2>
    </header>
    <table>
      <thead class="visually-hidden">
        <tr>
          <th scope="col">Delivery</th>
          <th scope="col">Outcome</th>
          <th scope="col">Age</th>
        </tr>
      </thead>
      <tbody>
        {attempts.map(({ id, status, httpStatus, error, createTime }) => (
          <tr key={id}>
            <td>
              <a class="link mono" data-row href={deliveryHash(id)} aria-current={id === here ? 'true' : undefined}>
                {safe(id)}
              </a>
            </td>
            <td>
              <Status status={status} />{' '}
              <span class={error === undefined ? undefined : 'bad'}>{safe(formatResponse({ httpStatus, error }))}</span>
            </td>
            <td class="num soft">
              <Ago time={createTime} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

const Request = ({ request }: Pick<Detail, 'request'>) => (
  <section class="panel" aria-labelledby="request-title">
    <header>
      <h2 id="request-title">Request</h2>
    </header>
    {request === undefined ? (
      <p class="empty">The event was deleted, and its text with it.</p>
    ) : (
      <Text
        text={[...request.headers.map(({ name, value }) => `${name}: ${value}`), '', pretty(request.body)].join('\n')}
      />
    )}
  </section>
);

const Response = ({ httpStatus, response, error }: Pick<Detail, 'httpStatus' | 'response' | 'error'>) => (
  <section class="panel" aria-labelledby="response-title">
    <header>
      <h2 id="response-title">Response {httpStatus ?? ''}</h2>
      <span class="soft">{safe(response?.type ?? '')}</span>
    </header>
    {beyondCode({ httpStatus, error }) === '' ? null : (
      <p class="body bad">{safe(beyondCode({ httpStatus, error }))}</p>
    )}
    {response === undefined ? (
      <p class="empty">No text, or only those who may update the actor may read it.</p>
    ) : response.text === undefined ? (
      <p class="empty">It is not text.</p>
    ) : (
      <Text text={response.isCut ? `${response.text}…` : pretty(response.text)} />
    )}
    {response?.isCut ? <p class="body soft">Its first part. The rest is not stored.</p> : null}
  </section>
);

export const DeliveryPage = ({ id }: { readonly id: string }) => {
  const { value, problem, again } = usePolled(
    `delivery ${id}`,
    (signal) => ask('GET /actors/v2/deliveries/:deliveryId', { params: { deliveryId: id }, signal }),
    { every: EVERY_MS },
  );
  const ongoing = useOngoing();
  const redeliver = async (): Promise<void> => {
    try {
      const made = await ask('POST /actors/v2/deliveries/:deliveryId/redeliver', { params: { deliveryId: id } });
      announce(`${made.status.toLowerCase()} ${formatResponse(made)}`, made.status !== 'DELIVERED');
    } catch (error) {
      announce(formatFailure(error), true);
    }
    again();
  };
  const delivery = value.value;
  const refusal = refusalOf(useLevel(delivery?.actorId).value, 'UPDATE');
  return (
    <>
      <div class="head">
        <h1>
          <a class="crumb" href={hashOf(['events', 'deliveries'])}>
            Deliveries /
          </a>{' '}
          {safe(id)}
        </h1>
        <Command line={commandLine('webhooks', 'delivery', id)} />
      </div>
      <Problem text={problem.value} />
      {delivery === undefined ? null : (
        <>
          <section class="panel" aria-label="Delivery">
            <div class="body">
              <dl class="facts">
                <dt>status</dt>
                <dd>
                  <Status status={delivery.status} />
                </dd>
                <dt>event</dt>
                <dd>
                  <a class="link" href={hashOf(['events', delivery.eventId])}>
                    {safe(delivery.eventType ?? delivery.eventId)}
                  </a>
                  {' of '}
                  <a class="link" href={hashOf(['actors', delivery.actorId])}>
                    {nameOf(delivery.actorId)}
                  </a>
                </dd>
                <dt>receiver</dt>
                <dd>{shownUrl(delivery.url)}</dd>
                <dt>sent</dt>
                <dd>
                  {delivery.sentTime === undefined ? (
                    '–'
                  ) : (
                    <>
                      <Ago time={delivery.sentTime} /> ago, took{' '}
                      <Took from={delivery.sentTime} to={delivery.finishTime} />
                    </>
                  )}
                </dd>
              </dl>
              <div class="actions">
                <ActionButton isOff={ongoing.has()} refusal={refusal} onClick={() => void ongoing.run(redeliver)}>
                  Redeliver
                </ActionButton>
                <CommandButton line={commandLine('webhooks', 'redeliver', id)} />
              </div>
            </div>
          </section>
          <Attempts attempts={delivery.attempts} here={id} />
          <div class="columns">
            <Request request={delivery.request} />
            <Response {...delivery} />
          </div>
        </>
      )}
    </>
  );
};
