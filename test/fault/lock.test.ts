// The lock of a data folder, with real processes that hold it, die with it and compete for it.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { acquireLock } from '../../daemon/store/lock.ts';
import { Locked, StoreDamaged } from '../../daemon/store/store-errors.ts';
import { type ChildLines, runLines } from '../support/daemon/child-lines.ts';
import { mounting } from '../support/daemon/mounts.ts';
import { describeIf } from '../support/runner/requirements.ts';
import { temporaryFolder, until } from '../support/store/store-fixtures.ts';

const contender = async (folder: string, instance: string, under: readonly string[] = []): Promise<ChildLines> => {
  const child = runLines('store/lock-process.ts', [folder, instance], under);
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

const mine = { instance: 'DEV', stateDir: '/state/DEV', now: 5 };

describe('the lock of a data folder', () => {
  it('R119 refuses a second daemon, and names the holder and its start time', async () => {
    const folder = temporaryFolder();
    const holder = await contender(folder, 'blue');
    expect(await go(holder)).toBe('locked -');
    const error = await acquireLock(folder, mine).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Locked);
    expect(error).toMatchObject({ holder: { pid: holder.process.pid, instance: 'blue' } });
    expect(String(error)).toContain(`process ${holder.process.pid} (instance blue, state folder /state/blue, since 20`);

    holder.process.stdin.end();
    await holder.closed;
    const lock = await acquireLock(folder, mine);
    expect(lock.tookOverFrom).toBeUndefined();
    await lock.release();
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('refuses the same process too', async () => {
    const folder = temporaryFolder();
    const lock = await acquireLock(folder, mine);
    await expect(acquireLock(folder, mine)).rejects.toBeInstanceOf(Locked);
    await lock.release();
  });

  it('of a killed process is taken over, and the new owner gets the pid of the previous one', async () => {
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

  it('is stale if its pid belongs to another process now', async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'lock');
    const lock = await acquireLock(folder, mine);
    const owner: Record<string, unknown> = JSON.parse(readFileSync(file, 'utf8'));
    await lock.release();
    writeFileSync(file, JSON.stringify({ ...owner, processStart: '1' }), { mode: 0o600 });
    const next = await acquireLock(folder, mine);
    expect(next.tookOverFrom?.pid).toBe(process.pid);
    await next.release();
  });

  it('is taken by exactly one of ten processes if it is stale, even after an interrupted takeover', async () => {
    const folder = temporaryFolder();
    const holder = await contender(folder, 'blue');
    await go(holder);
    const token: unknown = JSON.parse(readFileSync(path.join(folder, 'lock'), 'utf8')).token;
    holder.process.kill('SIGKILL');
    await holder.closed;
    for (let round = 0; round < 3; round += 1) {
      // The file that a process leaves if it dies during a takeover: its claim on the stale lock.
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
  });

  it('is refused by name and left unchanged if the file is not a lock', async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'lock'), 'nonsense', { mode: 0o600 });
    await expect(acquireLock(folder, mine)).rejects.toBeInstanceOf(StoreDamaged);
    expect(readFileSync(path.join(folder, 'lock'), 'utf8')).toBe('nonsense');
  });

  it('R140 is a file that only its owner can read', async () => {
    const folder = temporaryFolder();
    const lock = await acquireLock(folder, mine);
    expect(statSync(path.join(folder, 'lock')).mode & 0o777).toBe(0o600);
    await lock.release();
  });
});

describeIf(mounting(), 'the lock of a data folder that two containers share', () => {
  it('R119 refuses a second daemon, although neither sees the process of the other', async () => {
    const folder = temporaryFolder();
    // As in a container: the process has a small id that another process may have here.
    const container = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'];
    const holder = await contender(folder, 'blue', container);
    expect(await go(holder)).toBe('locked -');
    const refused = acquireLock(folder, mine);
    await expect(refused).rejects.toBeInstanceOf(Locked);
    await expect(refused).rejects.toThrow('of another container or host (instance blue');
    const other = await contender(folder, 'green', container);
    expect(await go(other)).toBe('refused 1');
    holder.process.stdin.end();
    await holder.closed;
    await (await acquireLock(folder, mine)).release();
  });
});
