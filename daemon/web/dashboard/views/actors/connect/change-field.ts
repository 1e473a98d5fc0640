// Changes one field of an actor that connects it.
import { ask } from '../../../api/call.ts';
import { draftOf, updateOf } from '../edit/draft.ts';
import type { Actor } from '../rows.ts';

/** What the forms that connect an actor are given. */
export interface Connectable {
  readonly actor: Actor;
  /** Why the user may not change the actor. */
  readonly refusal: string | undefined;
  readonly onChanged: () => void;
}

/** Replaces one field of the description. An empty value removes it. */
export const changeField = async (actor: Actor, field: 'link' | 'webhook', value: string): Promise<void> => {
  await ask('PUT /actors/v2/:actorId', {
    params: { actorId: actor.id },
    headers: { 'if-match': `"${actor.version}"` },
    json: { ...updateOf(actor, draftOf(actor)), [field]: value },
  });
};
