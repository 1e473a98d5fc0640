// Sets the link from one actor to another: by a form, and after a drag in the graph.
import { ask } from '../../api/call.ts';
import { formatFailure } from '../../api/failure.ts';
import { Confirm } from '../../parts/actions/confirm.tsx';
import { InlineForm } from '../../parts/actions/inline-form.tsx';
import { ActorNames } from '../../parts/actor-name.tsx';
import { announce } from '../../parts/announce.tsx';
import { commandLine } from '../../parts/command.ts';
import { idOfName, wordOf } from '../../parts/names.ts';
import { safe } from '../../parts/text.ts';
import { changeField } from '../actors/connect/change-field.ts';
import { refusalOf, useLevel } from '../actors/level.ts';
import type { Wiring } from './graph.ts';

/** @param from id or alias; `to` as well */
const connect = async (from: string, to: string): Promise<void> => {
  const actor = await ask('GET /actors/v2/:actorId', { params: { actorId: from } });
  await changeField(actor, 'link', to);
};

export const ConnectForm = ({ onChanged }: { readonly onChanged: () => void }) => (
  <div class="forms">
    <ActorNames id="connect-actors" />
    <InlineForm
      title="Connect two actors"
      fields={[
        { name: 'from', label: 'Events of the actor', list: 'connect-actors', required: true },
        { name: 'to', label: 'go to the actor', list: 'connect-actors', required: true },
      ]}
      word="Connect"
      line={({ from = '', to = '' }) => commandLine('links', 'set', from || 'ACTOR', to || 'TARGET')}
      onSubmit={async ({ from = '', to = '' }) => {
        await connect(idOfName(from.trim()), idOfName(to.trim()));
        onChanged();
        return `Events of ${safe(from)} go to ${safe(to)} now.`;
      }}
    />
  </div>
);

interface ConnectProps {
  readonly wiring: Wiring;
  /** Ids of actors. */
  readonly from: string;
  readonly to: string;
  readonly onChanged: () => void;
  readonly onFailed: (why: string) => void;
  readonly onClose: () => void;
}

/** Asks whether the events of one actor go to another, and sets the link. */
export const ConnectQuestion = ({ wiring, from, to, onChanged, onFailed, onClose }: ConnectProps) => {
  const level = useLevel(from);
  const labelOf = (id: string): string => safe(wiring.nodes.get(id)?.label ?? id);
  const now = wiring.edges.find((edge) => edge.kind === 'link' && edge.from === from);
  const set = async (): Promise<void> => {
    try {
      await connect(from, to);
      announce(`Events of ${labelOf(from)} go to ${labelOf(to)} now.`);
      onChanged();
    } catch (error) {
      onFailed(formatFailure(error));
    }
  };
  return (
    <Confirm
      title={`Send the events of ${labelOf(from)} to ${labelOf(to)}?`}
      word="Connect"
      isHarmless
      refusal={refusalOf(level.value, 'UPDATE')}
      line={commandLine('links', 'set', wordOf(from), wordOf(to))}
      onYes={() => void set()}
      onClose={onClose}
    >
      <p>
        {now === undefined
          ? 'Each event becomes a message.'
          : `They go to ${labelOf(now.to)} now. An actor has one link.`}
      </p>
    </Confirm>
  );
};
