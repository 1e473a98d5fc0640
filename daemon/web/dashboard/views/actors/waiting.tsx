// The messages that wait for an actor: their places, why they wait, and a button that cancels them.
import { useSignal } from '@preact/signals';
import { ask } from '../../api/call.ts';
import { formatFailure } from '../../api/failure.ts';
import { usePolled } from '../../api/poll.ts';
import { Confirm } from '../../parts/actions/confirm.tsx';
import { Ago } from '../../parts/ago.tsx';
import { announce } from '../../parts/announce.tsx';
import { formatBytes } from '../../parts/bytes.ts';
import { commandLine, nameWords } from '../../parts/command.ts';
import { safe } from '../../parts/text.ts';
import { hashOf } from '../../shell/place.ts';
import type { Actor } from './rows.ts';

const EVERY_MS = 3_000;
/** Rows that are shown. */
const SHOWN = 5;

const whyOf = ({ status, statusMessage }: Actor): string => {
  if (status === 'ERROR') return 'They wait until the actor is repaired.';
  if (status !== 'READY') return `They wait until the actor is ready. ${safe(statusMessage)}`;
  return 'They wait for a free worker.';
};

const counted = (count: number): string =>
  `${count.toLocaleString('en')} waiting ${count === 1 ? 'message' : 'messages'}`;

const CancelOne = (props: {
  readonly id: string;
  readonly actor: string;
  readonly onYes: (id: string) => void;
  readonly onClose: () => void;
}) => (
  <Confirm
    title={`Cancel execution ${props.id}?`}
    word="Cancel it"
    line={commandLine('messages', 'purge', ...nameWords(props.actor), '--execution', props.id)}
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
  const cancel = async (executionId: string): Promise<void> => {
    try {
      const { purged } = await ask('DELETE /actors/v2/:actorId/messages', { params, query: { executionId } });
      announce(purged === 0 ? `Execution ${executionId} no longer waits.` : `Cancelled ${executionId}.`, purged === 0);
    } catch (error) {
      announce(formatFailure(error), true);
    }
    again();
  };
  return (
    <section class="panel" aria-labelledby="waiting-title">
      <header>
        <h2 id="waiting-title">{counted(messages)}</h2>
        <button
          type="button"
          class="danger"
          disabled={refusal !== undefined}
          title={refusal}
          onClick={() => {
            asking.value = true;
          }}
        >
          Cancel all
        </button>
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
              <button
                type="button"
                aria-label={`Cancel ${executionId}`}
                disabled={refusal !== undefined}
                title={refusal}
                onClick={() => {
                  cancelling.value = executionId;
                }}
              >
                Cancel
              </button>
            </li>
          ))}
        </ol>
        {messages > SHOWN ? <p class="soft">and {(messages - SHOWN).toLocaleString('en')} more</p> : null}
      </div>
      {cancelling.value === undefined ? null : (
        <CancelOne
          id={cancelling.value}
          actor={actor.name || actor.id}
          onYes={(executionId) => void cancel(executionId)}
          onClose={() => {
            cancelling.value = undefined;
          }}
        />
      )}
      {asking.value ? (
        <Confirm
          title={`Cancel ${counted(messages)}?`}
          word="Cancel them"
          line={commandLine('messages', 'purge', ...nameWords(actor.name || actor.id))}
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
