// The form that creates a nonce, and its address, which is shown once.
import { useSignal } from '@preact/signals';
import { ask } from '../../api/call.ts';
import { copy } from '../../parts/actions/copy.ts';
import { InlineForm } from '../../parts/actions/inline-form.tsx';
import { ActorNames } from '../../parts/actor-name.tsx';
import { commandLine } from '../../parts/command.ts';
import { idOfName, wordOf } from '../../parts/names.ts';
import { forgetNonces } from './read-nonces.ts';

interface NewNonceProps {
  /** Undefined if the form asks for the actor. */
  readonly actorId?: string;
  /** Why the user may not create one. */
  readonly refusal?: string | undefined;
  readonly onCreated: () => void;
}

export const NewNonce = ({ actorId, refusal, onCreated }: NewNonceProps) => {
  const created = useSignal<string | undefined>(undefined);
  const idOf = (actor: string): string => actorId ?? idOfName(actor.trim());
  return (
    <>
      {created.value === undefined ? null : (
        <div class="once">
          <p>This address sends a message without a login. It is shown only now.</p>
          <code class="line">{created.value}</code>
          <div class="actions">
            <button type="button" onClick={() => copy(created.value ?? '')}>
              Copy the address
            </button>
          </div>
        </div>
      )}
      {actorId === undefined ? <ActorNames id="nonce-actors" /> : null}
      <InlineForm
        title={actorId === undefined ? 'New nonce' : 'Create a nonce'}
        fields={[
          ...(actorId === undefined
            ? [{ name: 'actor', label: 'Actor, by name or id', list: 'nonce-actors', required: true }]
            : []),
          { name: 'level', label: 'Level', choices: ['EXECUTE', 'READ', 'UPDATE'] },
          { name: 'uses', label: 'Number of uses (empty: no limit)', placeholder: '1' },
          { name: 'hours', label: 'Lifetime in hours (empty: until it is deleted)', placeholder: '24' },
        ]}
        apiFields={{
          level: ['level', 'Level'],
          maxUses: ['uses', 'Number of uses'],
          expiresIn: ['hours', 'Lifetime'],
        }}
        refusal={refusal}
        word="Create"
        line={({ actor = '', level = '', uses = '', hours = '' }) =>
          commandLine(
            'nonces',
            'create',
            '--level',
            level,
            ...(uses === '' ? [] : ['--max-uses', uses]),
            ...(hours === '' ? [] : ['--expires', `${hours}h`]),
            wordOf(idOf(actor)) || 'ACTOR',
          )
        }
        onSubmit={async ({ actor = '', level = '', uses = '', hours = '' }) => {
          const id = idOf(actor);
          const nonce = await ask('POST /actors/v2/:actorId/nonces', {
            params: { actorId: id },
            json: {
              level,
              ...(uses !== '' && { maxUses: Number(uses) }),
              ...(hours !== '' && { expiresIn: Math.round(Number(hours) * 3_600) }),
            },
          });
          created.value = `${location.origin}/actors/v2/${encodeURIComponent(id)}/messages?x-nonce=${nonce.id}`;
          forgetNonces();
          onCreated();
          return 'Created a nonce.';
        }}
      />
    </>
  );
};
