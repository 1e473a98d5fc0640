// Finds the names of actors, which lists and messages show in place of ids.
import type { CommandContext } from '../../context.ts';
import { CliFailure } from '../../failure.ts';
import type { Column } from '../../ui/format/view.ts';
import { ifReadable } from './if-found.ts';

type Asker = Pick<CommandContext, 'call' | 'output' | 'settings'>;

type ActorNames = ReadonlyMap<string, string>;

/** A row that belongs to an actor. The name is absent if the actor is deleted, not readable or has none. */
export interface OfActor {
  readonly actorId: string;
  readonly actorName?: string;
}

/**
 * Returns the names of all actors that the caller may read, with one request. Returns none with `--nonce`, because
 * the request would consume a use of the nonce, and with `--envelope`, which prints the envelope of the last
 * response.
 */
export const actorNames = async ({ call, output, settings }: Asker): Promise<ActorNames> => {
  if (settings.nonce !== undefined || output.enveloped) return new Map();
  const actors = (await ifReadable(call('actors.list'))) ?? [];
  return new Map(actors.filter(({ name }) => name !== '').map(({ id, name }) => [id, name]));
};

export const nameRow = <T extends { readonly actorId: string }>(row: T, names: ActorNames): T & OfActor => {
  const actorName = names.get(row.actorId);
  return actorName === undefined ? row : { ...row, actorName };
};

/** Adds the names of their actors to rows, with one request for all of them. */
export const nameRows = async <T extends { readonly actorId: string }>(
  context: Asker,
  rows: readonly T[],
): Promise<readonly (T & OfActor)[]> => {
  if (rows.length === 0) return [];
  const names = await actorNames(context);
  return rows.map((row) => nameRow(row, names));
};

/** The column with the name of the actor, or its id if the name is not known. */
export const ACTOR: Column<OfActor> = {
  header: 'ACTOR',
  value: ({ actorName, actorId }) => actorName ?? actorId,
  role: 'name',
};

export const ACTOR_ID: Column<OfActor> = {
  header: 'ACTOR ID',
  value: ({ actorId }) => actorId,
  role: 'id',
  wide: true,
};

/**
 * Returns a function that finds the name of an actor by its id, for streams. The first call requests all names; an
 * actor that was not among them is requested individually. It returns the id if the actor has no name or is not
 * readable.
 */
export const createNames = (context: Asker): ((actorId: string) => Promise<string>) => {
  const names = new Map<string, string>();
  let listed: Promise<ActorNames> | undefined;
  const ask = async (actorId: string): Promise<string> => {
    listed ??= actorNames(context);
    const name = (await listed).get(actorId);
    if (name !== undefined) return name;
    return (await ifReadable(context.call('actors.show', { params: { actorId } })))?.name || actorId;
  };
  return async (actorId) => {
    const known = names.get(actorId);
    if (known !== undefined) return known;
    try {
      const name = await ask(actorId);
      names.set(actorId, name);
      return name;
    } catch (error) {
      // A missing name is not an error: the id is shown instead, and the next call requests the name again.
      if (!(error instanceof CliFailure)) throw error;
      listed = undefined;
      return actorId;
    }
  };
};
