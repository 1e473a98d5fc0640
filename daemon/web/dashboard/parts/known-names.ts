// Which text means which actor: pure rules over the names that the page knows.
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** The actors by id, and what else a text can mean. */
export interface Known {
  readonly actors: ReadonlyMap<string, Named>;
  /** The id of the only actor with a name. Undefined if several actors have it. */
  readonly ids: ReadonlyMap<string, string | undefined>;
  readonly aliases: ReadonlySet<string>;
}

export const knownOf = (all: readonly Named[], aliases: readonly string[]): Known => {
  const ids = new Map<string, string | undefined>();
  for (const { id, name } of all) ids.set(name, ids.has(name) ? undefined : id);
  return { actors: new Map(all.map((actor) => [actor.id, actor])), ids, aliases: new Set(aliases) };
};

/** The id of the only actor with this name. An id, an alias, and a name of several actors are returned unchanged. */
export const idIn = ({ actors, ids, aliases }: Known, text: string): string =>
  text === '' || actors.has(text) || aliases.has(text) ? text : (ids.get(text) ?? text);

/** A text of this form is an id, for commands. */
const ID = /^[A-Za-z][A-Za-z0-9]{12}$/;

/** How commands and addresses name an actor: by its name if that means no other actor, else by its id. */
export const wordIn = (known: Known, actorId: string): string => {
  const name = known.actors.get(actorId)?.name ?? '';
  return name !== '' && !name.startsWith('-') && !ID.test(name) && idIn(known, name) === actorId ? name : actorId;
};
