// The lock of a data folder in one process: takeover, foreign files and contention.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { acquireLock } from '../../../daemon/store/lock.ts';
import { Locked, StoreDamaged } from '../../../daemon/store/store-errors.ts';
import { temporaryFolder } from '../../support/store/store-fixtures.ts';

const mine = { instance: 'blue', now: 1_000 };

/** A folder, its lock file, and the owner that this process writes into it. */
const locked = async () => {
  const folder = path.join(temporaryFolder(), 'data');
  const file = path.join(folder, 'lock');
  const lock = await acquireLock(folder, mine);
  const owner: Record<string, unknown> = JSON.parse(readFileSync(file, 'utf8'));
  const write = (text: string) => writeFileSync(file, text, { mode: 0o600 });
  return { folder, file, lock, owner, write };
};

describe('the lock of a data folder', () => {
  it('names its owner, and is released once', async () => {
    const { folder, lock, owner, write, file } = await locked();
    expect(owner).toMatchObject({ pid: process.pid, instance: 'blue', since: 1_000 });
    expect(lock.tookOverFrom).toBeUndefined();
    await expect(acquireLock(folder, mine)).rejects.toMatchObject({
      name: 'Locked',
      holder: { pid: process.pid, instance: 'blue', since: 1_000 },
    });
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
    write(JSON.stringify(owner));
    await lock.release();
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(owner);
  });

  it('of a dead process is taken over, with what that process left', async () => {
    const { folder, lock, owner, write, file } = await locked();
    await lock.release();
    const dead = { ...owner, bootId: 'another boot', since: 7, token: 'd'.repeat(32) };
    write(JSON.stringify(dead));
    writeFileSync(`${file}.left.new`, JSON.stringify(dead));
    const next = await acquireLock(folder, { instance: 'green', now: 2_000 });
    expect(next.tookOverFrom).toEqual({ pid: process.pid, instance: 'blue', since: 7 });
    expect(readdirSync(folder)).toEqual(['lock']);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ instance: 'green', since: 2_000 });
    await next.release();
  });

  it('that no daemon wrote is refused and left unchanged', async () => {
    const { folder, lock, owner, write, file } = await locked();
    await lock.release();
    const { instance: _, ...noInstance } = owner;
    const { since: __, ...noSince } = owner;
    const dead = { bootId: 'another boot' };
    for (const content of [
      'nonsense',
      JSON.stringify({ ...noInstance, ...dead }),
      JSON.stringify({ ...noSince, ...dead }),
      JSON.stringify({ ...owner, ...dead, instance: 1 }),
      JSON.stringify({ ...owner, ...dead, since: 'x' }),
      JSON.stringify({ ...owner, ...dead, token: 'x' }),
    ]) {
      write(content);
      const refused = acquireLock(folder, mine);
      await expect(refused).rejects.toBeInstanceOf(StoreDamaged);
      await expect(refused).rejects.toThrow(`${file}: it is not a lock (if no daemon runs on this folder, remove it).`);
      expect(readFileSync(file, 'utf8')).toBe(content);
    }
  });

  it('that another process is taking over is asked for again, and not for ever', async () => {
    const { folder, lock, owner, write, file } = await locked();
    await lock.release();
    write(JSON.stringify({ ...owner, bootId: 'another boot' }));
    // This process is alive, so its claim on the dead lock counts.
    const claim = `${file}.${String(owner['token'])}`;
    writeFileSync(claim, JSON.stringify({ ...owner, token: 'e'.repeat(32) }), { mode: 0o600 });
    const waits: unknown[] = [];
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((go: () => void, ms: number) => {
      waits.push(ms);
      setImmediate(go);
    }) as never);
    await expect(acquireLock(folder, mine)).rejects.toBeInstanceOf(Locked);
    expect(waits).toEqual(Array.from({ length: 100 }, () => 20));
  });
});
