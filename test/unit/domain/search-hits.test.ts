// The hits of a search: the page and the number of all hits, with no more hits held than the page needs.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bestHits, hitsInOrder } from '../../../daemon/domain/search/hits.ts';

const paging = fc.record({ skip: fc.nat({ max: 12 }), limit: fc.nat({ max: 8 }) });
const ranks = fc.array(fc.nat({ max: 5 }), { maxLength: 60 });

describe('hits of a search', () => {
  it('in order are a subset of all hits', () => {
    fc.assert(
      fc.property(ranks, paging, (all, { skip, limit }) => {
        const hits = hitsInOrder<number>({ skip, limit });
        all.forEach((rank, at) => {
          hits.add(at, rank);
        });
        expect(hits.total()).toBe(all.length);
        expect(hits.page()).toEqual([...all.keys()].slice(skip, skip + limit));
      }),
    );
  });

  it('by rank are a subset of all hits, best first and then in order of arrival', () => {
    fc.assert(
      fc.property(ranks, paging, (all, { skip, limit }) => {
        const hits = bestHits<number>({ skip, limit });
        all.forEach((rank, at) => {
          hits.add(at, rank);
        });
        const sorted = [...all.entries()].sort(([, left], [, right]) => right - left).map(([at]) => at);
        expect(hits.total()).toBe(all.length);
        expect(hits.page()).toEqual(sorted.slice(skip, skip + limit));
      }),
    );
  });

  it('by rank are dropped as soon as enough better ones exist', () => {
    const hits = bestHits<number>({ skip: 1, limit: 2 });
    let offered = 0;
    // Each hit is better than all before, so each replaces the worst of three.
    for (; offered < 100_000; offered += 1) hits.add(offered, offered);
    expect(hits.page()).toEqual([offered - 2, offered - 3]);
  });
});
