// Checks whether the responses to concurrent requests match some serial order, in which no request comes before one
// whose response arrived before the first was sent.

/** One request of a history, with the times of request and response on any clock. */
export interface Done<R, A> {
  readonly request: R;
  readonly answer: A;
  readonly askedAt: number;
  readonly answeredAt: number;
}

export interface Rules<W, R, A> {
  readonly step: (world: W, request: R) => { readonly world: W; readonly answer: A };
  /** Whether the actual response equals the expected one. */
  readonly isSame: (actual: A, expected: A) => boolean;
  /** Whether a request with this response changes nothing at any position. */
  readonly isLook: (done: Done<R, A>) => boolean;
  /** Whether this final state is possible. */
  readonly accepts: (world: W) => boolean;
}

/** Maximum number of steps of the search. An existing order is found within a few steps per request. */
const MOST_TRIES = 200_000;

/**
 * An order of the requests in which the rules give each its actual response and lead to an accepted final state, or
 * undefined if there is none.
 * @throws Error if the search takes too many steps
 */
export const serialOrder = <W, R, A>(
  history: readonly Done<R, A>[],
  start: W,
  { step, isSame, isLook, accepts }: Rules<W, R, A>,
): readonly R[] | undefined => {
  // Responses usually arrive in the order of the decisions, so the search starts with that order.
  const all = [...history].sort((a, b) => a.answeredAt - b.answeredAt);
  const dead = new Set<string>();
  let tries = 0;

  /** The requests that may come next: all that were sent before the first remaining response. */
  const next = (left: ReadonlySet<Done<R, A>>): readonly Done<R, A>[] => {
    const [first] = left;
    const bound = first?.answeredAt ?? 0;
    const open: Done<R, A>[] = [];
    for (const done of left) if (done.askedAt <= bound) open.push(done);
    return open;
  };
  const tried = (world: W, { request, answer }: Done<R, A>): W | undefined => {
    tries += 1;
    if (tries > MOST_TRIES) throw new Error(`no serial order found in ${MOST_TRIES} tries`);
    const stepped = step(world, request);
    return isSame(answer, stepped.answer) ? stepped.world : undefined;
  };

  const from = (world: W, left: Set<Done<R, A>>): readonly R[] | undefined => {
    const text = JSON.stringify(world);
    const order: R[] = [];
    const changes = new Map<Done<R, A>, W>();
    // A read that matches here can be placed here, because no later request needs it. A change without effect may be
    // needed later, so it is only a candidate.
    for (let open = next(left), fresh = open; fresh.length > 0; ) {
      for (const done of fresh) {
        const after = tried(world, done);
        if (after === undefined) continue;
        if (!isLook(done)) changes.set(done, after);
        else {
          left.delete(done);
          order.push(done.request);
        }
      }
      const seen = new Set(open);
      open = next(left);
      fresh = open.filter((done) => !seen.has(done));
    }
    if (left.size === 0) return accepts(world) ? order : undefined;
    const place = `${all.map((done) => Number(left.has(done))).join('')} ${text}`;
    if (dead.has(place)) return undefined;
    for (const [done, after] of changes) {
      const rest = new Set(left);
      rest.delete(done);
      const further = from(after, rest);
      if (further) return [...order, done.request, ...further];
    }
    dead.add(place);
    return undefined;
  };
  return from(start, new Set(all));
};
