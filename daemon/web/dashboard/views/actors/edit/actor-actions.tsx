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
import { nameOf, wordOf } from '../../../parts/names.ts';
import { safe } from '../../../parts/text.ts';
import { go } from '../../../shell/router.ts';
import { refusalOf } from '../level.ts';
import type { Actor } from '../rows.ts';
import { draftOf, updateOf } from './draft.ts';

interface Loss {
  readonly running: number;
  /** What goes with the actor, in the words of `actors delete`. The names of other actors may be read later. */
  readonly words: () => readonly string[];
}

const counted = (count: number, noun: string): readonly string[] =>
  count === 0 ? [] : [`${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`];

const listed = (names: readonly string[], one: string, many: string): readonly string[] =>
  names.length === 0 ? [] : [`${names.length === 1 ? one : many} ${names.join(', ')}`];

/** What a deletion of the actor takes away. */
const readLoss = async (id: string): Promise<Loss> => {
  const params = { actorId: id };
  const { owner, stateless, cronSchedule, webhook } = await ask('GET /actors/v2/:actorId', { params });
  const [{ _metadata }, { busy }, { messages }, states, links, nonces, permissions, aliases] = await Promise.all([
    ask('GET /actors/v2/search/:type', { params: { type: 'executions' }, query: { actorId: id, limit: 1 } }),
    ask('GET /actors/v2/utilization/activity', {}),
    ask('GET /actors/v2/:actorId/messages', { params }),
    stateless ? [] : ask('GET /actors/v2/:actorId/state/versions', { params }),
    ask('GET /actors/v2/:actorId/links', { params }),
    ask('GET /actors/v2/:actorId/nonces', { params }),
    ask('GET /actors/v2/:actorId/permissions', { params }),
    ask('GET /actors/v2/aliases', {}),
  ]);
  const users = Object.entries(permissions).filter(([user, level]) => user !== owner && level !== 'NONE');
  const own = aliases.filter(({ actorId }) => actorId === id);
  return {
    running: busy.find((each) => each.id === id)?.running ?? 0,
    words: () => [
      ...counted(_metadata.totalCount, 'execution'),
      ...counted(messages, 'waiting message'),
      ...(states.length > 0 ? ['state'] : []),
      ...(cronSchedule === undefined ? [] : [`schedule ${cronSchedule}`]),
      ...(webhook === '' ? [] : [`webhook to ${URL.canParse(webhook) ? new URL(webhook).origin : webhook}`]),
      ...(links.link === null ? [] : [`link to ${nameOf(links.out ?? links.link)}`]),
      ...listed(links.in.map(nameOf), 'link from', 'links from'),
      ...counted(nonces.length, 'nonce'),
      ...listed(
        users.map(([user]) => user),
        'permission of',
        'permissions of',
      ),
      ...listed(
        own.map(({ alias }) => alias),
        'alias',
        'aliases',
      ),
    ],
  };
};

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
      announce(`Deleted actor ${called}.`);
      go(['actors']);
    });
  const lost = loss.value;
  const words = lost?.words() ?? [];
  return (
    <>
      {actor.status === 'ERROR' ? (
        <ActionButton class="primary" isOff={ongoing.has()} refusal={refusal} onClick={retry}>
          Retry
        </ActionButton>
      ) : null}
      <ActionButton refusal={refusal} onClick={() => go(['actors', actor.id], { tab: 'edit' })}>
        Edit
      </ActionButton>
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
          {words.length === 0 ? null : (
            <>
              <p>This is deleted with it:</p>
              <ul class="losses">
                {words.map((each) => (
                  <li key={each}>{safe(each)}</li>
                ))}
              </ul>
            </>
          )}
          <p>All messages and logs are deleted too.</p>
          {lost.running === 0 ? null : <p class="bad">{counted(lost.running, 'running execution')} will be halted.</p>}
        </Confirm>
      )}
    </>
  );
};
