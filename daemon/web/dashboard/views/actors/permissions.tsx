// The permissions of an actor or a config: who has which, granting, and revoking.
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Level } from '../../../../../src/contract/operation.ts';
import { ask } from '../../api/call.ts';
import { ApiFailure, formatFailure } from '../../api/failure.ts';
import { usePolled } from '../../api/poll.ts';
import { ActionButton } from '../../parts/actions/action-button.tsx';
import { Confirm } from '../../parts/actions/confirm.tsx';
import { InlineForm } from '../../parts/actions/inline-form.tsx';
import { announce } from '../../parts/announce.tsx';
import { commandLine } from '../../parts/command.ts';
import { Problem } from '../../parts/problem.tsx';
import { CommandButton } from '../../parts/terminal-line.tsx';
import { safe } from '../../parts/text.ts';

const EVERY_MS = 10_000;
/** Stands for all users. */
const WORLD = 'ABACO_WORLD';

/** The warning about a user who does not exist, in the words of `permissions grant`. Undefined for one who does. */
const warningOf = async (username: string): Promise<string | undefined> => {
  if (username === WORLD) return undefined;
  try {
    await ask('GET /profiles/v2/:username', { params: { username } });
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404)
      return `There is no user "${username}". A user created later with that name will have this permission.`;
  }
  return undefined;
};

interface PermissionsProps {
  /** The actor or config, as commands name it. */
  readonly called: string;
  readonly read: (signal: AbortSignal) => Promise<Readonly<Record<string, Level>>>;
  readonly grant: (user: string, level: string) => Promise<unknown>;
  /** Why the user may not change the permissions. */
  readonly refusal: string | undefined;
}

export const Permissions = ({ called, read, grant, refusal }: PermissionsProps) => {
  const { value, problem, again } = usePolled('permissions', read, { every: EVERY_MS });
  const asking = useSignal<readonly [user: string, level: string] | undefined>(undefined);
  const warning = useSignal<string | undefined>(undefined);
  const title = useRef<HTMLHeadingElement>(null);
  const give = async (user: string, level: string): Promise<void> => {
    warning.value = undefined;
    await grant(user, level);
    again();
  };
  const revoke = async (user: string): Promise<void> => {
    try {
      await give(user, 'NONE');
      announce(`Revoked the permission of ${user}.`);
      // The button of the row disappears.
      title.current?.focus();
    } catch (error) {
      announce(formatFailure(error), true);
    }
  };
  const permissions = Object.entries(value.value ?? {}).filter(([, level]) => level !== 'NONE');
  const everybody = permissions.find(([user]) => user === WORLD)?.[1];
  const asked = asking.value;
  return (
    <section class="panel" aria-labelledby="permissions-title">
      <header>
        <h2 id="permissions-title" ref={title} tabIndex={-1}>
          Permissions
        </h2>
      </header>
      <Problem text={problem.value} />
      <table class="cards">
        <thead>
          <tr>
            <th scope="col">User</th>
            <th scope="col">Level</th>
            <th scope="col">
              <span class="visually-hidden">Action</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {permissions.map(([user, level]) => (
            <tr key={user}>
              <td>
                {safe(user)} {user === WORLD ? <span class="soft">every user</span> : null}
              </td>
              <td>{level}</td>
              <td class="num">
                <div class="row-action">
                  <CommandButton line={commandLine('permissions', 'revoke', called, user)} />
                  <ActionButton
                    class="danger"
                    aria-label={`Revoke the permission of ${safe(user)}`}
                    refusal={refusal}
                    onClick={() => {
                      asking.value = [user, level];
                    }}
                  >
                    Revoke
                  </ActionButton>
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="body">
        {warning.value === undefined ? null : (
          <p class="warn" role="status">
            {safe(warning.value)}
          </p>
        )}
        <InlineForm
          title="Grant a permission"
          fields={[
            { name: 'user', label: `User, or ${WORLD} for all users`, required: true },
            { name: 'level', label: 'Level', choices: ['READ', 'EXECUTE', 'UPDATE'] },
          ]}
          refusal={refusal}
          word="Grant"
          line={({ user = '', level = '' }) => commandLine('permissions', 'grant', called, user || 'USER', level)}
          onSubmit={async ({ user: typed = '', level = 'READ' }) => {
            const user = typed.trim();
            await give(user, level);
            warning.value = await warningOf(user);
            return `Granted ${level} to ${user}.`;
          }}
        />
      </div>
      {asked === undefined ? null : (
        <Confirm
          title={`Revoke ${asked[1]} from ${safe(asked[0])}?`}
          word="Revoke"
          line={commandLine('permissions', 'revoke', called, asked[0])}
          onYes={() => void revoke(asked[0])}
          onClose={() => {
            asking.value = undefined;
          }}
        >
          {everybody === undefined || asked[0] === WORLD
            ? 'The permission ends at once.'
            : `Everybody still has ${everybody} (${WORLD}).`}
        </Confirm>
      )}
    </section>
  );
};
