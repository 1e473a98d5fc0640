// The lock of a data folder, with real processes that hold it, die with it and race for it.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { acquireLock } from '../../daemon/store/lock.ts';
import { Locked, StoreDamaged } from '../../daemon/store/store-errors.ts';
import { type ChildLines, runLines } from '../support/daemon/child-lines.ts';
import { temporaryFolder, until } from '../support/store/store-fixtures.ts';

const contender = async (folder: string, instance: string): Promise<ChildLines> => {
  const child = runLines('store/lock-process.ts', [folder, instance]);
  onTestFinished(async () => {
    child.process.kill('SIGKILL');
    await child.closed;
  });
  await until(() => child.lines().length > 0 || child.process.exitCode !== null);
  expect(child.errors()).toBe('');
  return child;
};

const go = async (child: ChildLines): Promise<string> => {
  child.process.stdin.write('go\n');
  await until(() => child.lines().length > 1 || child.process.exitCode !== null);
  return child.lines()[1] ?? child.errors();
};

const mine = { instance: 'DEV', now: 5 };

describe('the lock of a data folder', () => {
  it('R119 a second daemon is refused, and told who has the folder since when', async () => {
    const folder = temporaryFolder();
    const holder = await contender(folder, 'blue');
    expect(await go(holder)).toBe('locked -');
    const error = await acquireLock(folder, mine).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Locked);
    expect(error).toMatchObject({ holder: { pid: holder.process.pid, instance: 'blue' } });
    expect(String(error)).toContain(`process ${holder.process.pid} (instance blue, since 20`);

    holder.process.stdin.end();
    await holder.closed;
    const lock = await acquireLock(folder, mine);
    expect(lock.tookOverFrom).toBeUndefined();
    await lock.release();
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('the same process is refused too', async () => {
    const folder = temporaryFolder();
    const lock = await acquireLock(folder, mine);
    await expect(acquireLock(folder, mine)).rejects.toBeInstanceOf(Locked);
    await lock.release();
  });

  it('the lock of a killed process is taken over, and the new owner is told from whom', async () => {
    const folder = temporaryFolder();
    const holder = await contender(folder, 'blue');
    await go(holder);
    holder.process.kill('SIGKILL');
    await holder.closed;
    const lock = await acquireLock(folder, mine);
    expect(lock.tookOverFrom).toMatchObject({ pid: holder.process.pid, instance: 'blue' });
    expect(readdirSync(folder)).toEqual(['lock']);
    await lock.release();
  });

  it('a lock from before the last boot, or whose process id was given again, is stale', async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'lock');
    const lock = await acquireLock(folder, mine);
    const owner: Record<string, unknown> = JSON.parse(readFileSync(file, 'utf8'));
    await lock.release();
    for (const change of [{ bootId: 'another boot' }, { processStart: '1' }]) {
      writeFileSync(file, JSON.stringify({ ...owner, ...change }), { mode: 0o600 });
      const next = await acquireLock(folder, mine);
      expect(next.tookOverFrom?.pid).toBe(process.pid);
      await next.release();
    }
  });

  it('ten processes race for a stale lock: exactly one wins, even when the last race was cut short', async () => {
    const folder = temporaryFolder();
    const holder = await contender(folder, 'blue');
    await go(holder);
    const token: unknown = JSON.parse(readFileSync(path.join(folder, 'lock'), 'utf8')).token;
    holder.process.kill('SIGKILL');
    await holder.closed;
    for (let round = 0; round < 3; round += 1) {
      // What a contender leaves who dies while it takes over: its claim on the stale lock.
      if (round === 0) {
        const dead = { ...JSON.parse(readFileSync(path.join(folder, 'lock'), 'utf8')), token: 'd'.repeat(32) };
        writeFileSync(path.join(folder, `lock.${String(token)}`), JSON.stringify(dead), { mode: 0o600 });
      }
      const racers = await Promise.all(Array.from({ length: 10 }, (_, n) => contender(folder, `racer${n}`)));
      const results = await Promise.all(racers.map(go));
      expect(results.filter((line) => line.startsWith('locked'))).toHaveLength(1);
      expect(results.filter((line) => line.startsWith('refused'))).toHaveLength(9);
      for (const racer of racers) racer.process.kill('SIGKILL');
      await Promise.all(racers.map(({ closed }) => closed));
    }
    const lock = await acquireLock(folder, mine);
    expect(readdirSync(folder)).toEqual(['lock']);
    await lock.release();
  }, 120_000);

  it('a lock file that is no lock is refused with its name, and left alone', async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'lock'), 'nonsense', { mode: 0o600 });
    await expect(acquireLock(folder, mine)).rejects.toBeInstanceOf(StoreDamaged);
    expect(readFileSync(path.join(folder, 'lock'), 'utf8')).toBe('nonsense');
  });

  it('R140 the lock file is for its owner only', async () => {
    const folder = temporaryFolder();
    const lock = await acquireLock(folder, mine);
    expect(statSync(path.join(folder, 'lock')).mode & 0o777).toBe(0o600);
    await lock.release();
  });
});
