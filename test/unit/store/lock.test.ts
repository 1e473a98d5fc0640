// The lock of a data folder in one process: takeover, foreign files and contention.
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { acquireLock } from '../../../daemon/store/lock.ts';
import { openStore } from '../../../daemon/store/store.ts';
import { Locked, StoreDamaged } from '../../../daemon/store/store-errors.ts';
import { handClock, rememberingLogger, temporaryFolder } from '../../support/store/store-fixtures.ts';

const mine = { instance: 'blue', stateDir: '/state/blue', now: 1_000 };

/** A folder, its lock file, and the owner that this process writes into it. */
const locked = async (onLost: () => void = vi.fn()) => {
  const folder = path.join(temporaryFolder(), 'data');
  const file = path.join(folder, 'lock');
  const lock = await acquireLock(folder, { ...mine, onLost });
  const owner: Record<string, unknown> = JSON.parse(readFileSync(file, 'utf8'));
  const write = (text: string) => writeFileSync(file, text, { mode: 0o600 });
  return { folder, file, lock, owner, write };
};

/** Waits for work that itself waits for a long time: each pause takes a few milliseconds. */
const hurried = async <T>(work: Promise<T>): Promise<T> => {
  vi.useFakeTimers({ toFake: ['performance'], now: 0 });
  const wait = setTimeout;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((go: () => void, ms: number) => {
    vi.advanceTimersByTime(ms);
    return wait(go, 1);
  }) as never);
  return await work;
};

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

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
    const dead = { ...owner, processStart: '1', since: 7, token: 'd'.repeat(32) };
    write(JSON.stringify(dead));
    writeFileSync(`${file}.left.new`, JSON.stringify(dead));
    const next = await acquireLock(folder, { instance: 'green', stateDir: '/state/green', now: 2_000 });
    expect(next.tookOverFrom).toEqual({ pid: process.pid, instance: 'blue', stateDir: '/state/blue', since: 7 });
    expect(readdirSync(folder)).toEqual(['lock']);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ instance: 'green', since: 2_000 });
    await next.release();
  });

  it('that no daemon wrote is refused and left unchanged', async () => {
    const { folder, lock, owner, write, file } = await locked();
    await lock.release();
    const { instance: _, ...noInstance } = owner;
    const { since: __, ...noSince } = owner;
    const { stateDir: ___, ...noState } = owner;
    const dead = { bootId: 'another boot' };
    for (const content of [
      'nonsense',
      JSON.stringify({ ...noInstance, ...dead }),
      JSON.stringify({ ...noSince, ...dead }),
      JSON.stringify({ ...noState, ...dead }),
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

  it('that another process is taking over is requested again, a limited number of times', async () => {
    const { folder, lock, owner, write, file } = await locked();
    await lock.release();
    write(JSON.stringify({ ...owner, processStart: '1' }));
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

  it.each([{ bootId: 'another boot' }, { pidNamespace: 'pid:[1]' }])(
    'of an owner with %o is refused while the owner responds',
    async (elsewhere) => {
      const { folder, lock, owner, write } = await locked();
      // The running lock knows its file by the token.
      write(JSON.stringify({ ...owner, ...elsewhere }));
      const refused = acquireLock(folder, mine);
      await expect(refused).rejects.toBeInstanceOf(Locked);
      await expect(refused).rejects.toThrow(`process ${process.pid} of another container or host (instance blue`);
      await lock.release();
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  it.each([{ bootId: 'another boot' }, { pidNamespace: 'pid:[1]' }])(
    'of an owner with %o that does not respond is taken over',
    async (elsewhere) => {
      const { folder, lock, owner, write } = await locked();
      await lock.release();
      write(JSON.stringify({ ...owner, ...elsewhere, since: 7 }));
      const next = await hurried(acquireLock(folder, { instance: 'green', stateDir: '/state/green', now: 2_000 }));
      expect(next.tookOverFrom).toEqual({ pid: process.pid, instance: 'blue', stateDir: '/state/blue', since: 7 });
      expect(readdirSync(folder)).toEqual(['lock']);
      await next.release();
    },
  );

  it('of a remote owner that releases it on request is free', async () => {
    const { folder, lock, owner, write, file } = await locked();
    await lock.release();
    write(JSON.stringify({ ...owner, bootId: 'another boot' }));
    const taking = acquireLock(folder, mine);
    await expect.poll(() => statSync(file).mtimeMs).toBe(Date.UTC(2000, 0));
    rmSync(file);
    const next = await taking;
    expect(next.tookOverFrom).toBeUndefined();
    await next.release();
  });

  it('that was removed is lost, even if its successor has released it, and is not created again', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const onLost = vi.fn();
    const { folder, lock, file } = await locked(onLost);
    rmSync(file);
    await vi.advanceTimersByTimeAsync(2_000);
    await lock.release();
    expect(onLost).toHaveBeenCalledOnce();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that was taken over while the machine slept is lost before the next write', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const onLost = vi.fn();
    const { lock, owner, write } = await locked(onLost);
    write(JSON.stringify({ ...owner, token: 'e'.repeat(32) }));
    lock.confirm();
    expect(onLost).not.toHaveBeenCalled();
    // The file is written in place, so only the modification time shows the change.
    const later = Date.now() + 7_000;
    vi.spyOn(Date, 'now').mockReturnValue(later);
    lock.confirm();
    expect(onLost).toHaveBeenCalledOnce();
    await lock.release();
  });

  it('that another file has replaced is lost before the next write', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const onLost = vi.fn();
    const { lock, owner, file } = await locked(onLost);
    lock.confirm();
    expect(onLost).not.toHaveBeenCalled();
    writeFileSync(`${file}.next`, JSON.stringify({ ...owner, token: 'e'.repeat(32) }), { mode: 0o600 });
    renameSync(`${file}.next`, file);
    lock.confirm();
    expect(onLost).toHaveBeenCalledOnce();
    await lock.release();
  });

  it('is checked before each write of a store', async () => {
    const { folder, lock } = await locked();
    const sizes: number[] = [];
    const journal = () => path.join(folder, 'db', 'journal-1.ndjson');
    const confirm = () => void sizes.push(existsSync(journal()) ? statSync(journal()).size : -1);
    const store = await openStore({
      folder,
      clock: handClock(),
      logger: rememberingLogger(),
      lock: { ...lock, confirm },
    });
    await store.transact((tx) => tx.nextSequence());
    const { size } = statSync(journal());
    await store.transact((tx) => tx.nextSequence());
    await store.close();
    // Before each of two transactions, the checkpoint, and its manifest. No record has changed, so it has no snapshot.
    expect(sizes).toEqual([0, size, 2 * size, 2 * size]);
  });

  it('keeps the files of a process elsewhere that may be taking it', async () => {
    const { folder, lock, owner, file } = await locked();
    await lock.release();
    const draft = JSON.stringify({ ...owner, processStart: '1', pidNamespace: 'pid:[1]' });
    for (const name of ['new', 'old']) writeFileSync(`${file}.${name}.new`, draft, { mode: 0o600 });
    utimesSync(`${file}.old.new`, 1, 1);
    const next = await acquireLock(folder, mine);
    expect(readdirSync(folder).sort()).toEqual(['lock', 'lock.new.new']);
    await next.release();
  });

  it('that another daemon has taken over stays, and its former owner is notified once', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const onLost = vi.fn();
    const { lock, owner, write, file } = await locked(onLost);
    const theirs = JSON.stringify({ ...owner, token: 'e'.repeat(32) });
    write(theirs);
    await vi.advanceTimersByTimeAsync(2_000);
    await expect.poll(() => onLost).toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(10_000);
    await lock.release();
    expect(onLost).toHaveBeenCalledOnce();
    expect(readFileSync(file, 'utf8')).toBe(theirs);
  });
});
