// Access to an actor: permissions and nonces.
import { useSignal } from '@preact/signals';
import { ask } from '../../api/call.ts';
import { formatFailure } from '../../api/failure.ts';
import { usePolled } from '../../api/poll.ts';
import { Ago } from '../../parts/ago.tsx';
import { announce } from '../../parts/announce.tsx';
import { commandLine } from '../../parts/command.ts';
import { Problem } from '../../parts/problem.tsx';
import { CommandButton, TerminalLine } from '../../parts/terminal-line.tsx';
import { safe } from '../../parts/text.ts';
import { NonceQuestion } from '../access/nonce-question.tsx';
import { forgetNonces } from '../access/read-nonces.ts';
import { formatUses, type NonceRow } from '../access/rows.ts';

const EVERY_MS = 10_000;

export const Access = ({ actorId }: { readonly actorId: string }) => {
  const { value, problem, again } = usePolled(
    actorId,
    async (signal) => {
      const [permissions, nonces] = await Promise.all([
        ask('GET /actors/v2/:actorId/permissions', { params: { actorId }, signal }),
        ask('GET /actors/v2/:actorId/nonces', { params: { actorId }, signal }),
      ]);
      return { permissions, nonces };
    },
    { every: EVERY_MS },
  );
  const asking = useSignal<NonceRow | undefined>(undefined);
  const remove = async (nonceId: string): Promise<void> => {
    try {
      await ask('DELETE /actors/v2/:actorId/nonces/:nonceId', { params: { actorId, nonceId } });
      forgetNonces();
      announce('The nonce is deleted.');
    } catch (error) {
      announce(formatFailure(error), true);
    }
    again();
  };
  const { permissions = {}, nonces = [] } = value.value ?? {};
  return (
    <>
      <Problem text={problem.value} />
      <section class="panel" aria-labelledby="permissions-title">
        <header>
          <h2 id="permissions-title">Permissions</h2>
        </header>
        <div class="body">
          <dl class="facts">
            {Object.entries(permissions).map(([user, level]) => (
              <>
                <dt key={user}>{safe(user)}</dt>
                <dd>{level}</dd>
              </>
            ))}
          </dl>
          <TerminalLine line={commandLine('permissions', 'grant', actorId, 'USER', 'READ')} />
        </div>
      </section>
      <section class="panel" aria-labelledby="nonces-title">
        <header>
          <h2 id="nonces-title">Nonces</h2>
        </header>
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
                      <CommandButton line={commandLine('nonces', 'delete', actorId, nonce.id)} />
                      <button
                        type="button"
                        class="danger"
                        aria-label={`Delete ${nonce.id}`}
                        onClick={() => {
                          asking.value = {
                            id: nonce.id,
                            kind: 'actor',
                            target: actorId,
                            actorId,
                            name: actorId,
                            nonce,
                          };
                        }}
                      >
                        Delete
                      </button>
                    </div>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        <div class="body">
          <TerminalLine line={commandLine('nonces', 'create', actorId, '--max-uses', '1')} />
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
