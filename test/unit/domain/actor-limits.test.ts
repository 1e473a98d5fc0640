// The limits of an actor: workers, memory, CPU, run time and token lifetime.
import { describe, expect, it } from 'vitest';
import {
  capacityOf,
  demandMemory,
  limitsOf,
  memoryBytesOf,
  runTimeLimitOf,
  tokenLifeOf,
} from '../../../daemon/domain/actors/actor-limits.ts';

describe('the limits of an actor', () => {
  const cases: [boolean, number | undefined, number, number][] = [
    [true, undefined, 4, 4],
    [true, 2, 4, 2],
    [true, 9, 4, 4],
    [true, 0, 4, 1],
    [false, undefined, 4, 1],
    [false, 3, 4, 1],
  ];
  it.each(cases)(
    'with stateless %s, maxWorkers %s and the maximum %s allow %s workers',
    (stateless, maxWorkers, bound, expected) => {
      expect(capacityOf({ stateless, ...(maxWorkers !== undefined && { maxWorkers }) }, bound)).toBe(expected);
    },
  );

  const memory: [string, number | undefined][] = [
    ['1g', 1024 ** 3],
    ['512m', 512 * 1024 ** 2],
    ['1.5k', 1536],
    ['64MB', 64 * 1024 ** 2],
    ['4096', 4096],
    ['-1', Number.MAX_SAFE_INTEGER],
    [' -1 ', Number.MAX_SAFE_INTEGER],
    [' 2 KB ', 2048],
    ['1.25k', 1280],
    ['0.5', undefined],
    ['9999999999g', Number.MAX_SAFE_INTEGER],
    ['-5', undefined],
    ['1kx', undefined],
    ['1 k b', undefined],
    ['0', undefined],
    ['', undefined],
    ['much', undefined],
  ];
  it.each(memory)('have the memory limit %j as %s bytes', (text, bytes) => {
    expect(memoryBytesOf(text)).toBe(bytes);
  });

  it('default to the limits of the instance', () => {
    const instance = { memoryBytes: 100, pids: 5, diskBytes: 7 };
    expect(limitsOf({}, instance)).toEqual(instance);
    expect(limitsOf({ memLimit: '1k', maxCpus: 5e8 }, instance)).toEqual({
      ...instance,
      memoryBytes: 1024,
      nanoCpus: 5e8,
    });
    expect(limitsOf({ memLimit: 'much', maxCpus: -1 }, instance)).toStrictEqual(instance);
    expect(limitsOf({ maxCpus: 0 }, instance)).toStrictEqual(instance);
  });

  it('have the run time of the actor, else that of the instance, else none', () => {
    expect(runTimeLimitOf({ maxRunTime: 2 }, 9000)).toBe(2000);
    expect(runTimeLimitOf({}, 9000)).toBe(9000);
    expect(runTimeLimitOf({ maxRunTime: 0 }, 9000)).toBe(9000);
    expect(runTimeLimitOf({}, undefined)).toBeUndefined();
    expect(runTimeLimitOf({ maxRunTime: -1 }, undefined)).toBeUndefined();
  });

  it('give a token the lifetime of the execution, at most four hours', () => {
    expect(tokenLifeOf(60_000, 10_000)).toBe(70_000);
    expect(tokenLifeOf(undefined, 10_000)).toBe(4 * 3_600_000);
    expect(tokenLifeOf(1e12, 10_000)).toBe(4 * 3_600_000);
  });
});

describe('the least memory of an engine', () => {
  const least = 6 * 1024 ** 2;
  it.each(['1', '5m', '6143k'])('refuses %s', (limit) => {
    expect(() => demandMemory(limit, least)).toThrow(
      expect.objectContaining({
        code: 'VALIDATION',
        message: expect.stringMatching(/^memLimit must be at least 6m, because/),
        detail: { field: 'memLimit' },
      }),
    );
  });
  it.each(['6m', '512m', '1g', '-1', undefined])('accepts %s', (limit) => {
    expect(() => demandMemory(limit, least)).not.toThrow();
    expect(() => demandMemory('1', 0)).not.toThrow();
  });
});
