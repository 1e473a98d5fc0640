// Whether answers that were given at once are those of some serial order: one request after the other, none of them moved
// before one that was answered before it was asked.

/** One request of a history: when it was asked and answered, on any clock. */
export interface Done<R, A> {
  readonly request: R;
  readonly answer: A;
  readonly askedAt: number;
  readonly answeredAt: number;
}

export interface Rules<W, R, A> {
  readonly step: (world: W, request: R) => { readonly world: W; readonly answer: A };
  /** Whether what was answered is what the rules say. */
  readonly isSame: (told: A, expected: A) => boolean;
  /** Whether it can have ended like that. */
  readonly accepts: (world: W) => boolean;
}

/** What can be tried before it is given up; an order that exists is found in a few tries for each request. */
const MOST_TRIES = 200_000;

/**
 * The requests in an order in which the rules give every one its answer and end in a world that is accepted; undefined when
 * there is none.
 * @throws Error when it is not found out within reason
 */
export const serialOrder = <W, R, A>(
  history: readonly Done<R, A>[],
  start: W,
  { step, isSame, accepts }: Rules<W, R, A>,
): readonly R[] | undefined => {
  // Answers come mostly in the order of the decisions.
  const all = [...history].sort((a, b) => a.answeredAt - b.answeredAt);
  const seen = new Set<string>();
  const taken = all.map(() => false);
  const order: R[] = [];
  let tries = 0;

  const from = (world: W): boolean => {
    if (order.length === all.length) return accepts(world);
    const place = `${taken.map(Number).join('')} ${JSON.stringify(world)}`;
    if (seen.has(place)) return false;
    seen.add(place);
    // The first answer that is left came before everything that was asked later.
    const bound = all.find((_, at) => !taken[at])?.answeredAt ?? 0;
    for (const [at, { request, answer, askedAt }] of all.entries()) {
      if (taken[at] || askedAt > bound) continue;
      tries += 1;
      if (tries > MOST_TRIES) throw new Error(`no serial order found in ${MOST_TRIES} tries`);
      const next = step(world, request);
      if (!isSame(answer, next.answer)) continue;
      taken[at] = true;
      order.push(request);
      if (from(next.world)) return true;
      taken[at] = false;
      order.pop();
    }
    return false;
  };
  return from(start) ? order : undefined;
};
