// Links form a graph in which every actor leads to one other at most; events would run round a loop in it for ever.

/** The actor to which an actor's link leads; undefined when it has no link, or its link leads to nothing. */
export type LinkOf = (actorId: string) => string | undefined;

/**
 * The loop that one runs into by following the links from an actor: the ids on it in order, the first once more at the end
 * (`[a, b, a]`, of a self-link `[a, a]`). Undefined when the links come to an end. Takes as many steps as there are links on the way.
 * @see spec 7.4, auth.md R133
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
