// How much of the machine an actor may have.
import { describe, expect, it } from 'vitest';
import {
  capacityOf,
  limitsOf,
  memoryBytesOf,
  runTimeLimitOf,
  tokenLifeOf,
} from '../../../daemon/domain/actors/actor-limits.ts';

describe('the capacity of an actor', () => {
  const cases: [boolean, number | undefined, number, number][] = [
    [true, undefined, 4, 4],
    [true, 2, 4, 2],
    [true, 9, 4, 4],
    [true, 0, 4, 1],
    [false, undefined, 4, 1],
    [false, 3, 4, 1],
  ];
  it.each(cases)('stateless %s with maxWorkers %s within %s is %s', (stateless, maxWorkers, bound, expected) => {
    expect(capacityOf({ stateless, ...(maxWorkers !== undefined && { maxWorkers }) }, bound)).toBe(expected);
  });

  const memory: [string, number | undefined][] = [
    ['1g', 1024 ** 3],
    ['512m', 512 * 1024 ** 2],
    ['1.5k', 1536],
    ['64MB', 64 * 1024 ** 2],
    ['4096', 4096],
    ['-1', Number.MAX_SAFE_INTEGER],
    ['0', undefined],
    ['', undefined],
    ['much', undefined],
  ];
  it.each(memory)('reads the memory limit %j as %s bytes', (text, bytes) => {
    expect(memoryBytesOf(text)).toBe(bytes);
  });

  it('has the limits of the instance where the actor has none', () => {
    const instance = { memoryBytes: 100, pids: 5 };
    expect(limitsOf({}, instance)).toEqual(instance);
    expect(limitsOf({ memLimit: '1k', maxCpus: 5e8 }, instance)).toEqual({ memoryBytes: 1024, pids: 5, nanoCpus: 5e8 });
    expect(limitsOf({ memLimit: 'much', maxCpus: -1 }, instance)).toEqual(instance);
  });

  it('has a time limit of its own, or that of the instance, or none', () => {
    expect(runTimeLimitOf({ maxRunTime: 2 }, 9000)).toBe(2000);
    expect(runTimeLimitOf({}, 9000)).toBe(9000);
    expect(runTimeLimitOf({}, undefined)).toBeUndefined();
    expect(runTimeLimitOf({ maxRunTime: -1 }, undefined)).toBeUndefined();
  });

  it('gives a token that lives as long as the execution may, four hours at most', () => {
    expect(tokenLifeOf(60_000, 10_000)).toBe(70_000);
    expect(tokenLifeOf(undefined, 10_000)).toBe(4 * 3_600_000);
    expect(tokenLifeOf(1e12, 10_000)).toBe(4 * 3_600_000);
  });
});
