// The messages that wait for an actor: their places, why they wait, and buttons that cancel one or all of them.
import { useSignal } from '@preact/signals';
import { ask } from '../../api/call.ts';
import { formatFailure } from '../../api/failure.ts';
import { usePolled } from '../../api/poll.ts';
import { ActionButton } from '../../parts/actions/action-button.tsx';
import { Confirm } from '../../parts/actions/confirm.tsx';
import { Ago } from '../../parts/ago.tsx';
import { announce } from '../../parts/announce.tsx';
import { formatBytes } from '../../parts/bytes.ts';
import { commandLine } from '../../parts/command.ts';
import { wordOf } from '../../parts/names.ts';
import { safe } from '../../parts/text.ts';
import { hashOf } from '../../shell/place.ts';
import { refusalOf, useLevel } from './level.ts';
import type { Actor } from './rows.ts';

const EVERY_MS = 3_000;
/** Rows that are shown. */
const SHOWN = 5;

const whyOf = ({ status, statusMessage }: Actor, wait = 'They wait'): string => {
  if (status === 'ERROR') return `${wait} until the actor is repaired.`;
  if (status !== 'READY') return `${wait} until the actor is ready. ${safe(statusMessage)}`;
  return `${wait} for a free worker.`;
};

const cancel = async (actorId: string, executionId: string): Promise<void> => {
  try {
    const params = { actorId };
    const { purged } = await ask('DELETE /actors/v2/:actorId/messages', { params, query: { executionId } });
    announce(purged === 0 ? `Execution ${executionId} no longer waits.` : `Cancelled ${executionId}.`, purged === 0);
  } catch (error) {
    announce(formatFailure(error), true);
  }
};

const counted = (count: number): string =>
  `${count.toLocaleString('en')} waiting ${count === 1 ? 'message' : 'messages'}`;

const CancelOne = (props: {
  readonly id: string;
  readonly actorId: string;
  readonly onYes: (id: string) => void;
  readonly onClose: () => void;
}) => (
  <Confirm
    title={`Cancel execution ${props.id}?`}
    word="Cancel the message"
    keep="Keep waiting"
    line={commandLine('messages', 'purge', wordOf(props.actorId), '--execution', props.id)}
    onYes={() => props.onYes(props.id)}
    onClose={props.onClose}
  >
    <p>Its message is deleted without being run. The other messages keep waiting.</p>
  </Confirm>
);

interface WaitingProps {
  readonly actor: Actor;
  /** Why the user may not cancel the messages. */
  readonly refusal: string | undefined;
}

export const Waiting = ({ actor, refusal }: WaitingProps) => {
  const params = { actorId: actor.id };
  const { value, again } = usePolled(
    `waiting ${actor.id}`,
    (signal) => ask('GET /actors/v2/:actorId/messages', { params, query: { details: true }, signal }),
    { every: EVERY_MS, afterEvents: 500, concerns: (event) => event.actor_id === actor.id },
  );
  const asking = useSignal(false);
  const cancelling = useSignal<string | undefined>(undefined);
  const { messages = 0, waiting = [] } = value.value ?? {};
  if (messages === 0) return null;
  const purge = async (): Promise<void> => {
    try {
      const { purged } = await ask('DELETE /actors/v2/:actorId/messages', { params });
      announce(`Cancelled ${counted(purged)}.`);
    } catch (error) {
      announce(formatFailure(error), true);
    }
    again();
  };
  return (
    <section class="panel" aria-labelledby="waiting-title">
      <header>
        <h2 id="waiting-title">{counted(messages)}</h2>
        <ActionButton
          class="danger"
          refusal={refusal}
          onClick={() => {
            asking.value = true;
          }}
        >
          Cancel all
        </ActionButton>
      </header>
      <div class="body">
        <p class="soft">{whyOf(actor)}</p>
        <ol class="places">
          {waiting.slice(0, SHOWN).map(({ executionId, type, size, receivedAt, from }) => (
            <li key={executionId}>
              <a class="link mono" href={hashOf(['executions', executionId])}>
                {executionId}
              </a>{' '}
              <span class="soft">
                {formatBytes(size)} of {type}, from {safe(from)}, <Ago time={receivedAt} /> ago
              </span>{' '}
              <ActionButton
                aria-label={`Cancel ${executionId}`}
                refusal={refusal}
                onClick={() => {
                  cancelling.value = executionId;
                }}
              >
                Cancel
              </ActionButton>
            </li>
          ))}
        </ol>
        {messages > SHOWN ? <p class="soft">and {(messages - SHOWN).toLocaleString('en')} more</p> : null}
      </div>
      {cancelling.value === undefined ? null : (
        <CancelOne
          id={cancelling.value}
          actorId={actor.id}
          onYes={(executionId) => void cancel(actor.id, executionId).then(again)}
          onClose={() => {
            cancelling.value = undefined;
          }}
        />
      )}
      {asking.value ? (
        <Confirm
          title={`Cancel ${counted(messages)}?`}
          word="Cancel the messages"
          keep="Keep waiting"
          line={commandLine('messages', 'purge', wordOf(actor.id))}
          onYes={() => void purge()}
          onClose={() => {
            asking.value = false;
          }}
        >
          <p>They are deleted without being run. Running executions go on.</p>
        </Confirm>
      ) : null}
    </section>
  );
};

interface PlaceProps {
  readonly actorId: string;
  readonly executionId: string;
  readonly onCancelled: () => void;
}

/** The place of one message in the mailbox, why it waits, and a button that cancels it. */
export const WaitingPlace = ({ actorId, executionId, onCancelled }: PlaceProps) => {
  const { value } = usePolled(
    `place ${executionId}`,
    async (signal) => {
      const params = { actorId };
      const [{ messages, waiting = [] }, actor] = await Promise.all([
        ask('GET /actors/v2/:actorId/messages', { params, query: { details: true }, signal }),
        ask('GET /actors/v2/:actorId', { params, signal }),
      ]);
      return { messages, oldest: waiting.map((each) => each.executionId), actor };
    },
    { every: EVERY_MS, afterEvents: 500, concerns: (event) => event.actor_id === actorId },
  );
  const level = useLevel(actorId).value;
  const asking = useSignal(false);
  if (value.value === undefined) return null;
  const { messages, oldest, actor } = value.value;
  const refusal = refusalOf(level, 'UPDATE');
  const before = oldest.indexOf(executionId);
  // The status of the execution says which workers are busy.
  const why = actor.status === 'READY' ? '' : ` ${whyOf(actor, 'It waits')}`;
  const place =
    before === -1 ? `after the first ${oldest.length.toLocaleString('en')}` : (before + 1).toLocaleString('en');
  return (
    <div class="waiting-place">
      <span>
        Place {place} of {messages.toLocaleString('en')}.{why}
      </span>
      <ActionButton
        refusal={refusal}
        onClick={() => {
          asking.value = true;
        }}
      >
        Cancel
      </ActionButton>
      {asking.value ? (
        <CancelOne
          id={executionId}
          actorId={actor.id}
          onYes={() => void cancel(actorId, executionId).then(onCancelled)}
          onClose={() => {
            asking.value = false;
          }}
        />
      ) : null}
    </div>
  );
};
