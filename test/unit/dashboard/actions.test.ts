// Actions of the dashboard: what runs once at a time, and what is left of a result that was taken.
import { describe, expect, it } from 'vitest';
import { createOngoing } from '../../../daemon/web/dashboard/parts/actions/ongoing.ts';
import { takenOf } from '../../../daemon/web/dashboard/views/executions/taken.ts';

describe('an action', () => {
  it('does not run again while it runs, and others are independent of it', async () => {
    const ongoing = createOngoing(() => undefined);
    const done: string[] = [];
    const ends: (() => void)[] = [];
    const begin = (key: string) =>
      ongoing.run(async () => {
        await new Promise<void>((resolve) => ends.push(resolve));
        done.push(key);
      }, key);
    const all = [begin('A'), begin('A'), begin('B')];
    expect([ongoing.has('A'), ongoing.has('B'), ongoing.has('C')]).toEqual([true, true, false]);
    ends[1]?.();
    await all[2];
    expect([ongoing.has('A'), ongoing.has('B')]).toEqual([true, false]);
    ends[0]?.();
    await Promise.all(all);
    expect(done).toEqual(['B', 'A']);
    await Promise.all([begin('A'), ends[2]?.()]);
    expect(done).toEqual(['B', 'A', 'A']);
  });

  it('can run again after it failed', async () => {
    const ongoing = createOngoing(() => undefined);
    await expect(ongoing.run(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    expect(ongoing.has()).toBe(false);
  });
});

describe('a taken result', () => {
  const bytesOf = (...bytes: number[]): ArrayBuffer => Uint8Array.from(bytes).buffer;
  it('is text if it is UTF-8, and keeps its bytes in any case', () => {
    expect(takenOf(bytesOf(0x68, 0x69))?.text).toBe('hi');
    const picture = bytesOf(0x89, 0x50, 0x4e, 0x47, 0xff);
    expect(takenOf(picture)).toEqual({ bytes: picture });
  });

  it('is absent only if it has no bytes: a byte order mark is a result', () => {
    expect(takenOf(bytesOf())).toBeUndefined();
    expect(takenOf(bytesOf(0xef, 0xbb, 0xbf))?.text).toBe('\ufeff');
  });
});
