// Collects the hits of one page while a search runs, and counts all hits.

interface Paging {
  readonly skip: number;
  readonly limit: number;
}

export interface Hits<H> {
  /** Adds the next hit, in creation order. */
  add(hit: H, rank: number): void;
  total(): number;
  page(): readonly H[];
}

/** Collects hits in creation order. Stores only the hits of the page. */
export const hitsInOrder = <H>({ skip, limit }: Paging): Hits<H> => {
  const page: H[] = [];
  let total = 0;
  return {
    add(hit) {
      if (total >= skip && page.length < limit) page.push(hit);
      total += 1;
    },
    total: () => total,
    page: () => page,
  };
};

/** Collects hits by rank; hits of equal rank are in creation order. Stores the first `skip + limit` hits. */
export const bestHits = <H>({ skip, limit }: Paging): Hits<H> => {
  const most = skip + limit;
  const byRank = new Map<number, H[]>();
  let total = 0;
  let held = 0;
  let lowest = Number.POSITIVE_INFINITY;

  const dropWorst = (): void => {
    const worst = byRank.get(lowest);
    worst?.pop();
    held -= 1;
    if (worst === undefined || worst.length > 0) return;
    byRank.delete(lowest);
    lowest = Math.min(...byRank.keys());
  };

  return {
    add(hit, rank) {
      total += 1;
      if (held >= most && rank <= lowest) return;
      const equals = byRank.get(rank);
      if (equals === undefined) byRank.set(rank, [hit]);
      else equals.push(hit);
      held += 1;
      lowest = Math.min(lowest, rank);
      if (held > most) dropWorst();
    },
    total: () => total,
    page() {
      const best = [...byRank].sort(([left], [right]) => right - left).flatMap(([, hits]) => hits);
      return best.slice(skip, skip + limit);
    },
  };
};
