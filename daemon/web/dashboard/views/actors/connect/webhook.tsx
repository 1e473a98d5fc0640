// The buttons that set, test and remove the webhook of an actor.

import { useSignal } from '@preact/signals';
import { ask } from '../../../api/call.ts';
import { formatFailure } from '../../../api/failure.ts';
import type { Answer } from '../../../api/routes.ts';
import { ActionButton } from '../../../parts/actions/action-button.tsx';
import { AskFirst } from '../../../parts/actions/ask-first.tsx';
import { InlineForm } from '../../../parts/actions/inline-form.tsx';
import { useOngoing } from '../../../parts/actions/ongoing.ts';
import { Took } from '../../../parts/ago.tsx';
import { commandLine } from '../../../parts/command.ts';
import { nameOf, wordOf } from '../../../parts/names.ts';
import { Problem } from '../../../parts/problem.tsx';
import { Status } from '../../../parts/status.tsx';
import { Command } from '../../../parts/terminal-line.tsx';
import { safe, shownUrl } from '../../../parts/text.ts';
import { deliveryHash } from '../../events/delivery-page.tsx';
import { formatResponse } from '../../events/response.ts';
import { type Connectable, changeField } from './change-field.ts';

type Tried = Answer<'POST /actors/v2/:actorId/webhook/test'>;

/** The outcome of a test: `delivered 204 in 12 ms`, `failed: 503 in 12 ms`. */
const Outcome = ({ tried }: { readonly tried: Tried }) => {
  const { id, url, status, httpStatus, error, sentTime, finishTime } = tried;
  return (
    <>
      <span class="soft">POST {shownUrl(url)}:</span>{' '}
      <a class="link" href={deliveryHash(id)}>
        <Status status={status} />
      </a>
      {error === undefined ? ' ' : ': '}
      <span class={error === undefined ? undefined : 'bad'}>{safe(formatResponse({ httpStatus, error }))}</span>
      {sentTime === undefined || finishTime === undefined ? null : (
        <>
          {' '}
          in <Took from={sentTime} to={finishTime} />
        </>
      )}
    </>
  );
};

export const WebhookActions = ({ actor, refusal, onChanged }: Connectable) => {
  const { id, webhook } = actor;
  const tried = useSignal<Tried | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const ongoing = useOngoing();
  const removal = commandLine('webhooks', 'unset', wordOf(id));
  const change = async (url: string): Promise<void> => {
    await changeField(actor, 'webhook', url);
    tried.value = undefined;
    problem.value = undefined;
    onChanged();
  };
  const test = async (): Promise<void> => {
    tried.value = undefined;
    problem.value = undefined;
    try {
      tried.value = await ask('POST /actors/v2/:actorId/webhook/test', { params: { actorId: id } });
    } catch (error) {
      problem.value = formatFailure(error);
    }
    onChanged();
  };
  return (
    <>
      <div class="forms">
        <InlineForm
          title={webhook === '' ? 'Set a webhook' : 'Change the webhook'}
          fields={[
            { name: 'url', label: 'Events are posted to (empty: none)', placeholder: 'https://example.org/hook' },
          ]}
          initial={{ url: webhook }}
          apiFields={{ webhook: ['url', 'Webhook'] }}
          refusal={refusal}
          line={({ url = '' }) => (url === '' ? removal : commandLine('webhooks', 'set', wordOf(id), url))}
          onSubmit={async ({ url = '' }) => {
            await change(url.trim());
            return url === '' ? 'The webhook is removed.' : 'The webhook is set.';
          }}
        />
        {webhook === '' ? null : (
          <>
            <ActionButton
              isOff={ongoing.has()}
              refusal={refusal}
              title="Sends a test event to the webhook"
              onClick={() => void ongoing.run(test)}
            >
              Test the webhook
            </ActionButton>
            <AskFirst
              title="Remove the webhook"
              question={`Remove the webhook of ${nameOf(id)}?`}
              loss={`Its events are no longer posted to ${shownUrl(webhook)}. Deliveries that wait are not sent.`}
              word="Remove"
              line={removal}
              refusal={refusal}
              onYes={async () => {
                await change('');
                return 'The webhook is removed.';
              }}
            />
            <Command line={commandLine('webhooks', 'test', wordOf(id))} />
          </>
        )}
      </div>
      <div role="status">
        {ongoing.has() ? (
          <p class="soft">The test event is sent. The receiver has not responded yet.</p>
        ) : tried.value === undefined ? null : (
          <p>
            <Outcome tried={tried.value} />
          </p>
        )}
      </div>
      <Problem text={problem.value} />
    </>
  );
};
