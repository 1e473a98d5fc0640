// Actions on an actor: try again after an ERROR, and delete.

import { useSignal } from '@preact/signals';
import type { Level } from '../../../../../../src/contract/operation.ts';
import { ask } from '../../../api/call.ts';
import { formatFailure } from '../../../api/failure.ts';
import { ActionButton } from '../../../parts/actions/action-button.tsx';
import { Confirm } from '../../../parts/actions/confirm.tsx';
import { useOngoing } from '../../../parts/actions/ongoing.ts';
import { announce } from '../../../parts/announce.tsx';
import { commandLine } from '../../../parts/command.ts';
import { wordOf } from '../../../parts/names.ts';
import { safe } from '../../../parts/text.ts';
import { go } from '../../../shell/router.ts';
import { refusalOf } from '../level.ts';
import type { Actor } from '../rows.ts';
import { draftOf, updateOf } from './draft.ts';

interface Loss {
  readonly executions: number;
  readonly running: number;
  readonly waiting: number;
  readonly aliases: readonly string[];
}

/** What a deletion of the actor takes away. */
const readLoss = async (actorId: string): Promise<Loss> => {
  const [{ _metadata }, { busy }, aliases] = await Promise.all([
    ask('GET /actors/v2/search/:type', { params: { type: 'executions' }, query: { actorId, limit: 1 } }),
    ask('GET /actors/v2/utilization/activity', {}),
    ask('GET /actors/v2/aliases', {}),
  ]);
  const now = busy.find(({ id }) => id === actorId);
  return {
    executions: _metadata.totalCount,
    running: now?.running ?? 0,
    waiting: now?.waiting ?? 0,
    aliases: aliases.filter((each) => each.actorId === actorId).map(({ alias }) => alias),
  };
};

const counted = (count: number, what: string): string =>
  `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;

interface ActorActionsProps {
  readonly actor: Actor;
  readonly level: Level | undefined;
  readonly onChanged: () => void;
}

export const ActorActions = ({ actor, level, onChanged }: ActorActionsProps) => {
  const refusal = refusalOf(level, 'UPDATE');
  const ongoing = useOngoing();
  const loss = useSignal<Loss | undefined>(undefined);
  const act = (work: () => Promise<void>): void =>
    void ongoing.run(async () => {
      try {
        await work();
      } catch (error) {
        announce(formatFailure(error), true);
      }
    });
  const called = actor.name || actor.id;
  const retry = () =>
    act(async () => {
      await ask('PUT /actors/v2/:actorId', {
        params: { actorId: actor.id },
        headers: { 'if-match': `"${actor.version}"` },
        json: { ...updateOf(actor, draftOf(actor)), force: true },
      });
      announce('The actor starts again. Waiting messages run when it is ready.');
      onChanged();
    });
  const remove = (isForced: boolean) =>
    act(async () => {
      const query = { force: isForced || undefined };
      await ask('DELETE /actors/v2/:actorId', { params: { actorId: actor.id }, query });
      announce(`The actor ${called} is deleted.`);
      go(['actors']);
    });
  const lost = loss.value;
  return (
    <>
      {actor.status === 'ERROR' ? (
        <ActionButton class="primary" isOff={ongoing.has()} refusal={refusal} onClick={retry}>
          Retry
        </ActionButton>
      ) : null}
      <button
        type="button"
        disabled={refusal !== undefined}
        title={refusal}
        onClick={() => go(['actors', actor.id], { tab: 'edit' })}
      >
        Edit
      </button>
      <ActionButton
        class="danger"
        isOff={ongoing.has()}
        refusal={refusal}
        onClick={() =>
          act(async () => {
            loss.value = await readLoss(actor.id);
          })
        }
      >
        Delete
      </ActionButton>
      {lost === undefined ? null : (
        <Confirm
          title={`Delete the actor ${safe(called)}?`}
          word={lost.running > 0 ? 'Halt and delete' : 'Delete'}
          line={commandLine('actors', 'delete', ...(lost.running > 0 ? ['--force'] : []), wordOf(actor.id))}
          onYes={() => remove(lost.running > 0)}
          onClose={() => {
            loss.value = undefined;
          }}
        >
          <p>
            {counted(lost.executions, 'execution')} with their logs and {actor.stateless ? '' : 'the state, '}
            {counted(lost.waiting, 'waiting message')} are deleted with it
            {lost.aliases.length === 0 ? '' : `, and the aliases ${lost.aliases.map(safe).join(', ')}`}.
          </p>
          {lost.running === 0 ? null : <p class="bad">{counted(lost.running, 'running execution')} will be halted.</p>}
        </Confirm>
      )}
    </>
  );
};
