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

/** A number above zero. Undefined for an empty text. @throws Error for any other text */
const positive = (text: string, label: string, isWhole: boolean): number | undefined => {
  const number = Number(text.trim());
  if (text.trim() === '') return undefined;
  if (!(number > 0) || (isWhole && !Number.isInteger(number)) || !Number.isFinite(number)) {
    throw new Error(`${label} is ${isWhole ? 'a whole number' : 'a number'} above 0, or empty.`);
  }
  return number;
};

export const NewNonce = ({ actorId, refusal, onCreated }: NewNonceProps) => {
  const created = useSignal<{ readonly address: string; readonly isReader: boolean } | undefined>(undefined);
  const idOf = (actor: string): string => actorId ?? idOfName(actor.trim());
  return (
    <>
      {created.value === undefined ? null : (
        <div class="once">
          <p>
            This address {created.value.isReader ? 'reads the actor' : 'sends a message'} without a login. It is shown
            only now.
          </p>
          <code class="line">{created.value.address}</code>
          <div class="actions">
            <button type="button" onClick={() => copy(created.value?.address ?? '')}>
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
          const maxUses = positive(uses, 'The number of uses', true);
          const lifetime = positive(hours, 'The lifetime in hours', false);
          const nonce = await ask('POST /actors/v2/:actorId/nonces', {
            params: { actorId: id },
            json: {
              level,
              ...(maxUses !== undefined && { maxUses }),
              ...(lifetime !== undefined && { expiresIn: Math.max(1, Math.round(lifetime * 3_600)) }),
            },
          });
          const isReader = level === 'READ';
          const path = `/actors/v2/${encodeURIComponent(id)}${isReader ? '' : '/messages'}`;
          created.value = { address: `${location.origin}${path}?x-nonce=${nonce.id}`, isReader };
          forgetNonces();
          onCreated();
          return 'Created a nonce.';
        }}
      />
    </>
  );
};
