// Where the link of an actor leads.
import type { CommandContext } from '../../context.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import type { Actor } from '../framework/views.ts';

type Linked = Pick<Actor, 'id' | 'link' | 'linkedActor' | 'linkProblem'>;
type Receiver = Pick<ResultOf<Operations['links.show']>, 'out' | 'problem'>;

/**
 * The actor that receives the events of an actor along its link now, or why there is none. Asks the service only for an
 * actor that was not listed with its details, and on services whose lists have none.
 */
export const receiverOf = async (
  { call }: Pick<CommandContext, 'call'>,
  { id, link, linkedActor, linkProblem }: Linked,
): Promise<Receiver> => {
  const isAsked = Boolean(link) && linkedActor === undefined && linkProblem === undefined;
  if (isAsked) return call('links.show', { params: { actorId: id } });
  return { out: linkedActor ?? null, ...(linkProblem !== undefined && { problem: linkProblem }) };
};
