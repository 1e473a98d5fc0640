// The buttons that set and remove the link of an actor.
import { AskFirst } from '../../../parts/actions/ask-first.tsx';
import { InlineForm } from '../../../parts/actions/inline-form.tsx';
import { ActorNames } from '../../../parts/actor-name.tsx';
import { commandLine } from '../../../parts/command.ts';
import { idOfName, nameOf, wordOf } from '../../../parts/names.ts';
import { safe } from '../../../parts/text.ts';
import { type Connectable, changeField } from './change-field.ts';

export const LinkActions = ({ actor, refusal, onChanged }: Connectable) => {
  const { id, link } = actor;
  const removal = commandLine('links', 'unset', wordOf(id));
  return (
    <div class="forms">
      <ActorNames id="link-actors" />
      <InlineForm
        title={link === '' ? 'Set a link' : 'Change the link'}
        fields={[{ name: 'to', label: 'Events go to the actor (empty: none)', list: 'link-actors' }]}
        initial={{ to: wordOf(link) }}
        apiFields={{ link: ['to', 'Link'] }}
        refusal={refusal}
        line={({ to = '' }) => (to === '' ? removal : commandLine('links', 'set', wordOf(id), to))}
        onSubmit={async ({ to = '' }) => {
          await changeField(actor, 'link', idOfName(to.trim()));
          onChanged();
          return to === '' ? 'The link is removed.' : `Events go to ${safe(to)} now.`;
        }}
      />
      {link === '' ? null : (
        <AskFirst
          title="Remove the link"
          question={`Remove the link of ${nameOf(id)}?`}
          loss={`Its events no longer go to ${safe(wordOf(link))}.`}
          word="Remove"
          line={removal}
          refusal={refusal}
          onYes={async () => {
            await changeField(actor, 'link', '');
            onChanged();
            return 'The link is removed.';
          }}
        />
      )}
    </div>
  );
};
