// The map in memory whose entries expire and whose size is bounded.
import { describe, expect, it } from 'vitest';
import { createExpiringMap } from '../../../daemon/oauth/expiring-map.ts';

describe('an expiring map', () => {
  it('forgets expired entries', () => {
    const memory = createExpiringMap<string>(10);
    memory.put('a', 'one', 100, 0);
    expect([memory.get('a', 99), memory.get('a', 100)]).toEqual(['one', undefined]);
  });

  it('R76 keeps at most its maximum, and drops the least recently written entry first', () => {
    const memory = createExpiringMap<number>(3);
    for (const [index, key] of ['a', 'b', 'c', 'a', 'd'].entries()) memory.put(key, index, 100, 0);
    expect([...memory.entries()]).toEqual([
      ['c', 2],
      ['a', 3],
      ['d', 4],
    ]);
  });

  it('R146 deletes expired entries when a new one is added', () => {
    const memory = createExpiringMap<number>(100);
    for (let index = 0; index < 50; index += 1) memory.put(`${index}`, index, 10, 0);
    memory.put('new', 1, 100, 50);
    expect([...memory.entries()]).toEqual([['new', 1]]);
  });
});
