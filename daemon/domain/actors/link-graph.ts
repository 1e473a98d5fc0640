// Finds loops in the links between actors. In a loop, events would be passed on forever.

/** Returns the linked actor. Undefined if the actor has no link, or if the linked actor does not exist. */
export type LinkOf = (actorId: string) => string | undefined;

/**
 * Follows the links from an actor and returns the loop that they lead into: the ids in order, with the first id
 * repeated at the end (`[a, b, a]`; a self-link gives `[a, a]`). Undefined if the links end. Takes one step per link.
 * @see docs/http-api.md#events, docs/conformance/security.md R133
 */
export const loopFrom = (actorId: string, linkOf: LinkOf): readonly string[] | undefined => {
  const way = new Set<string>();
  let at: string | undefined = actorId;
  while (at !== undefined && !way.has(at)) {
    way.add(at);
    at = linkOf(at);
  }
  if (at === undefined) return undefined;
  const ids = [...way];
  return [...ids.slice(ids.indexOf(at)), at];
};

/**
 * Returns the actors, among many, whose links lead back to them. Takes one step per actor, however long the chains are.
 */
export const actorsInLoops = (actorIds: Iterable<string>, linkOf: LinkOf): ReadonlySet<string> => {
  const visited = new Set<string>();
  const looped = new Set<string>();
  for (const start of actorIds) {
    const way: string[] = [];
    let at: string | undefined = start;
    while (at !== undefined && !visited.has(at)) {
      visited.add(at);
      way.push(at);
      at = linkOf(at);
    }
    const loop = at === undefined ? -1 : way.indexOf(at);
    if (loop !== -1) for (const id of way.slice(loop)) looped.add(id);
  }
  return looped;
};
