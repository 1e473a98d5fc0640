// The aliases of an actor: created, pointed to another actor, and deleted.
import { ask } from '../../../api/call.ts';
import { usePolled } from '../../../api/poll.ts';
import { AskFirst } from '../../../parts/actions/ask-first.tsx';
import { InlineForm } from '../../../parts/actions/inline-form.tsx';
import { commandLine } from '../../../parts/command.ts';
import { idOfName, knownActors, wordOf } from '../../../parts/names.ts';
import { safe } from '../../../parts/text.ts';
import { me } from '../../../shell/me.ts';
import { refusalOf } from '../level.ts';
import type { Connectable } from './change-field.ts';

const EVERY_MS = 60_000;

interface AliasActionsProps {
  readonly alias: string;
  /** Id of the actor to which it points. */
  readonly actorId: string;
  readonly onChanged: () => void;
}

/** An alias has permissions of its own. */
const AliasActions = ({ alias, actorId, onChanged }: AliasActionsProps) => {
  const username = me.value?.username;
  const { value } = usePolled(
    `level of alias ${alias} ${username}`,
    async (signal) =>
      username === undefined
        ? undefined
        : (await ask('GET /actors/v2/aliases/:alias/permissions/:username', { params: { alias, username }, signal }))
            .has,
    { every: EVERY_MS },
  );
  const refusal = refusalOf(value.value, 'UPDATE');
  return (
    <div class="forms">
      <InlineForm
        title={`Repoint ${safe(alias)}`}
        short="Repoint"
        fields={[{ name: 'to', label: 'To the actor', list: 'link-actors', required: true }]}
        refusal={refusal}
        word="Repoint"
        line={({ to = '' }) => commandLine('aliases', 'set', alias, to || 'ACTOR')}
        onSubmit={async ({ to = '' }) => {
          const json = { actorId: idOfName(to.trim()), ifActorId: actorId };
          await ask('PUT /actors/v2/aliases/:alias', { params: { alias }, json });
          onChanged();
          return `The alias ${alias} points to ${safe(to)} now.`;
        }}
      />
      <AskFirst
        title={`Delete ${safe(alias)}`}
        short="Delete"
        question={`Delete the alias ${safe(alias)}?`}
        loss="Its permissions and nonces are deleted with it. The actor stays. Links through the alias lead nowhere."
        word="Delete"
        line={commandLine('aliases', 'delete', alias)}
        refusal={refusal}
        onYes={async () => {
          await ask('DELETE /actors/v2/aliases/:alias', { params: { alias } });
          onChanged();
          return `The alias ${safe(alias)} is deleted.`;
        }}
      />
    </div>
  );
};

export const AliasRows = ({
  aliases,
  actorId,
  onChanged,
}: Omit<AliasActionsProps, 'alias'> & { readonly aliases: readonly string[] }) => (
  <ul class="aliases">
    {aliases.map((alias) => (
      <li key={alias}>
        <span>{safe(alias)}</span>
        <AliasActions alias={alias} actorId={actorId} onChanged={onChanged} />
      </li>
    ))}
  </ul>
);

export const NewAlias = ({ actor, refusal, onChanged }: Connectable) => (
  <div class="forms">
    <InlineForm
      title="New alias"
      fields={[{ name: 'alias', label: 'Alias', placeholder: 'weekly', required: true }]}
      apiFields={{ alias: ['alias', 'Alias'] }}
      refusal={refusal}
      word="Create"
      line={({ alias = '' }) => commandLine('aliases', 'create', alias || 'ALIAS', wordOf(actor.id))}
      note={({ alias = '' }) => {
        const named = knownActors().find(({ id, name }) => name === alias.trim() && id !== actor.id);
        return named === undefined ? null : (
          <p class="warn">
            "{safe(named.name)}" is also the name of the actor {named.id}. Commands read it as the alias, so that actor
            needs its id.
          </p>
        );
      }}
      onSubmit={async ({ alias = '' }) => {
        await ask('POST /actors/v2/aliases', { json: { alias: alias.trim(), actorId: actor.id } });
        onChanged();
        return `The alias ${safe(alias)} points to this actor.`;
      }}
    />
  </div>
);
