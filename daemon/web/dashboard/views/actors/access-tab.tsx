// Access to an actor: permissions and nonces.
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { ask } from '../../api/call.ts';
import { formatFailure } from '../../api/failure.ts';
import { usePolled } from '../../api/poll.ts';
import { ActionButton } from '../../parts/actions/action-button.tsx';
import { Ago } from '../../parts/ago.tsx';
import { announce } from '../../parts/announce.tsx';
import { commandLine } from '../../parts/command.ts';
import { wordOf } from '../../parts/names.ts';
import { Problem } from '../../parts/problem.tsx';
import { CommandButton } from '../../parts/terminal-line.tsx';
import { safe } from '../../parts/text.ts';
import { NewNonce } from '../access/new-nonce.tsx';
import { NonceQuestion } from '../access/nonce-question.tsx';
import { forgetNonces } from '../access/read-nonces.ts';
import { formatUses, type NonceRow } from '../access/rows.ts';
import { Permissions } from './permissions.tsx';
import type { Actor } from './rows.ts';

const EVERY_MS = 10_000;

interface AccessProps {
  readonly actor: Actor;
  /** Why the user may not change the access. */
  readonly refusal: string | undefined;
}

const Nonces = ({ actor, refusal }: AccessProps) => {
  const actorId = actor.id;
  const called = wordOf(actorId);
  const title = useRef<HTMLHeadingElement>(null);
  const { value, problem, again } = usePolled(
    actorId,
    (signal) => ask('GET /actors/v2/:actorId/nonces', { params: { actorId }, signal }),
    { every: EVERY_MS },
  );
  const asking = useSignal<NonceRow | undefined>(undefined);
  const remove = async (nonceId: string): Promise<void> => {
    try {
      await ask('DELETE /actors/v2/:actorId/nonces/:nonceId', { params: { actorId, nonceId } });
      forgetNonces();
      announce('The nonce is deleted.');
      // The button of the row disappears.
      title.current?.focus();
    } catch (error) {
      announce(formatFailure(error), true);
    }
    again();
  };
  const nonces = value.value ?? [];
  return (
    <>
      <section class="panel" aria-labelledby="nonces-title">
        <header>
          <h2 id="nonces-title" ref={title} tabIndex={-1}>
            Nonces
          </h2>
        </header>
        <Problem text={problem.value} />
        {nonces.length === 0 ? (
          <p class="empty">No nonces.</p>
        ) : (
          <table class="cards">
            <thead>
              <tr>
                <th scope="col">Nonce</th>
                <th scope="col">Level and uses</th>
                <th scope="col">Last use</th>
                <th scope="col">
                  <span class="visually-hidden">Action</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {nonces.map((nonce) => (
                <tr key={nonce.id}>
                  <td>
                    <code>{nonce.id}</code> <span class="soft">{safe(nonce.description)}</span>
                  </td>
                  <td>
                    {nonce.level}, {formatUses(nonce)}
                  </td>
                  <td>
                    {nonce.lastUseTime === undefined ? (
                      <span class="soft">not used</span>
                    ) : (
                      <Ago time={nonce.lastUseTime} />
                    )}
                  </td>
                  <td class="num">
                    <div class="row-action">
                      <CommandButton line={commandLine('nonces', 'delete', called, nonce.id)} />
                      <ActionButton
                        class="danger"
                        aria-label={`Delete ${nonce.id}`}
                        refusal={refusal}
                        onClick={() => {
                          asking.value = {
                            id: nonce.id,
                            kind: 'actor',
                            target: actorId,
                            actorId,
                            name: called,
                            nonce,
                          };
                        }}
                      >
                        Delete
                      </ActionButton>
                    </div>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        <div class="body">
          <NewNonce actorId={actorId} refusal={refusal} onCreated={again} />
        </div>
      </section>
      {asking.value === undefined ? null : (
        <NonceQuestion
          row={asking.value}
          onYes={({ id }) => remove(id)}
          onClose={() => {
            asking.value = undefined;
          }}
        />
      )}
    </>
  );
};

export const Access = (props: AccessProps) => {
  const params = { actorId: props.actor.id };
  return (
    <>
      <Permissions
        called={wordOf(props.actor.id)}
        read={(signal) => ask('GET /actors/v2/:actorId/permissions', { params, signal })}
        grant={(user, level) => ask('POST /actors/v2/:actorId/permissions', { params, json: { user, level } })}
        refusal={props.refusal}
      />
      <Nonces {...props} />
    </>
  );
};
