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
  /** Whether one that was answered like that changes nothing, wherever it comes. */
  readonly isLook: (done: Done<R, A>) => boolean;
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
  { step, isSame, isLook, accepts }: Rules<W, R, A>,
): readonly R[] | undefined => {
  // Answers come mostly in the order of the decisions.
  const all = [...history].sort((a, b) => a.answeredAt - b.answeredAt);
  const dead = new Set<string>();
  let tries = 0;

  /** What can come next: everything that was asked before the first answer that is left. */
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
    // A look that is right here may as well come here: nothing needs it later. A change that changes nothing here may be needed.
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
