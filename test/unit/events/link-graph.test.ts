// Following links from actor to actor: where they end, and where they form a loop.
import { describe, expect, it } from 'vitest';
import { actorsInLoops, loopFrom } from '../../../daemon/domain/actors/link-graph.ts';

const graph = (links: Readonly<Record<string, string>>) => (id: string) =>
  Object.hasOwn(links, id) ? links[id] : undefined;

describe('R133 the graph of links', () => {
  it.each<[string, Readonly<Record<string, string>>, string, readonly string[] | undefined]>([
    ['no link', {}, 'a', undefined],
    ['a chain', { a: 'b', b: 'c' }, 'a', undefined],
    ['a self-link', { a: 'a' }, 'a', ['a', 'a']],
    ['a pair', { a: 'b', b: 'a' }, 'a', ['a', 'b', 'a']],
    ['a loop of three, from its middle', { a: 'b', b: 'c', c: 'a' }, 'b', ['b', 'c', 'a', 'b']],
    ['a loop further on', { a: 'b', b: 'c', c: 'b' }, 'a', ['b', 'c', 'b']],
    ['a loop elsewhere', { a: 'b', x: 'y', y: 'x' }, 'a', undefined],
    ['names of the prototype', { a: '__proto__' }, 'a', undefined],
  ])('%s', (_, links, from, loop) => {
    expect(loopFrom(from, graph(links))).toEqual(loop);
  });

  it('contains the actors of every loop, and none of those that only lead to one', () => {
    const links = { a: 'b', b: 'c', c: 'b', s: 's', x: 'y', y: 'z', p: 'x' };
    expect([...actorsInLoops(['a', 'b', 'c', 's', 'x', 'y', 'p'], graph(links))].toSorted()).toEqual(['b', 'c', 's']);
    expect(actorsInLoops(['p', 'x', 'y'], graph({ ...links, z: 'y' }))).toEqual(new Set(['y', 'z']));
  });

  it('takes one step per actor to find all loops, even in a long chain', () => {
    let steps = 0;
    const ids = Array.from({ length: 10_000 }, (_, at) => String(at));
    const next = (id: string): string | undefined => {
      steps += 1;
      return id === '9999' ? undefined : String(Number(id) + 1);
    };
    expect(actorsInLoops(ids.toReversed(), next).size).toBe(0);
    expect(steps).toBe(10_000);
  });

  it('follows a chain of 100 000 links to its end', () => {
    const next = (id: string) => (id === '99999' ? undefined : String(Number(id) + 1));
    expect(loopFrom('0', next)).toBeUndefined();
    expect(loopFrom('0', (id) => next(id) ?? '0')).toHaveLength(100_001);
  });
});
