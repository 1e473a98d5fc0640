// A full or read-only disk: writes fail without a change, the error names the reason, and writes work again once there
// is space.
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { Failure } from '../../daemon/domain/failure.ts';
import { openBodies } from '../../daemon/store/bodies.ts';
import { openLogs } from '../../daemon/store/logs/logs.ts';
import { openStore } from '../../daemon/store/store.ts';
import { StoreUnwritable } from '../../daemon/store/store-errors.ts';
import { mounting, smallDisk } from '../support/daemon/mounts.ts';
import { describeIf } from '../support/runner/requirements.ts';
import { executionRecord } from '../support/service/records.ts';
import { contents, handClock, rememberingLogger, until } from '../support/store/store-fixtures.ts';

const clock = handClock();
const open = (folder: string, checkpointFloor?: number) => {
  const logger = rememberingLogger();
  const options = { folder, clock, logger, retryMs: 20 };
  return openStore(checkpointFloor === undefined ? options : { ...options, checkpointFloor });
};

/** False for a refusal of the disk. @throws any other error */
const refused = (error: unknown): false => {
  if (error instanceof Failure && error.code === 'STORE_UNAVAILABLE') return false;
  throw error;
};

describeIf(mounting(), 'a full disk', () => {
  it('R145 a full disk refuses writes without a change, and after recovery exactly the acknowledged writes are stored', async () => {
    const { folder } = smallDisk('1m');
    const data = path.join(folder, 'data');
    let store = await open(data);
    const ballast = path.join(folder, 'ballast');
    writeFileSync(ballast, Buffer.alloc(600_000));
    const acknowledged: string[] = [];
    let refused: unknown;
    const text = 'x'.repeat(3000);
    let n = 0;
    const write = async (id: string) => {
      await store.transact((tx) => {
        tx.nextSequence();
        tx.put('executions', executionRecord(id, { executor: text }));
      });
      acknowledged.push(id);
    };
    while (refused === undefined) {
      const results = await Promise.allSettled(Array.from({ length: 4 }, () => write(`e${n++}`)));
      refused = results.find((result) => result.status === 'rejected')?.reason;
    }
    expect(refused).toMatchObject({ code: 'STORE_UNAVAILABLE', detail: { errno: 'ENOSPC' } });
    expect(String(refused)).toContain('full');
    expect(String(refused)).toContain('Nothing was changed');
    expect(String(refused)).not.toContain(folder);
    expect(store.status()).toMatchObject({ writable: false, reason: expect.stringContaining('full') });
    expect([...store.all('executions')].map(({ id }) => id)).toEqual(acknowledged);

    // Reads and transactions without a change still work. Other transactions are refused at once.
    expect(await store.transact((tx) => tx.count('executions'))).toBe(acknowledged.length);
    await expect(write('while-full')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    const number = await store.transact((tx) => tx.count('executions'));
    expect(number).toBe(acknowledged.length);

    rmSync(ballast);
    await until(() => store.status().writable);
    expect(await store.transact((tx) => tx.nextSequence())).toBe(acknowledged.length + 1);
    await write('after');
    await store.close();
    store = await open(data);
    expect([...store.all('executions')].map(({ id }) => id)).toEqual(acknowledged);
    expect(acknowledged.at(-1)).toBe('after');
    await store.close();
  });

  it('R145 discards refused writes, even if the process dies while the disk is full', async () => {
    const { folder } = smallDisk('1m');
    const data = path.join(folder, 'data');
    const store = await open(data);
    writeFileSync(path.join(folder, 'ballast'), Buffer.alloc(800_000));
    const acknowledged: string[] = [];
    for (let n = 0; store.status().writable; n += 1) {
      // Many small lines before a large one: an interrupted write leaves whole lines of refused transactions in the
      // file.
      const batch = Array.from({ length: 20 }, (_, k) => `e${n}x${k}`);
      await Promise.allSettled(
        batch.map(async (id, k) => {
          await store.transact((tx) =>
            tx.put('executions', executionRecord(id, { executor: 'x'.repeat(k === 19 ? 30_000 : 10) })),
          );
          acknowledged.push(id);
        }),
      );
    }
    // The store is not closed, so this is the data that another process finds after a kill.
    const next = await open(data);
    expect([...next.all('executions')].map(({ id }) => id)).toEqual(acknowledged);
    await next.close();
    await store.close();
  });

  it('a checkpoint that fails on a full disk does not damage the data', async () => {
    const { folder } = smallDisk('1m');
    const data = path.join(folder, 'data');
    const store = await open(data, 200_000);
    writeFileSync(path.join(folder, 'ballast'), Buffer.alloc(560_000));
    for (let n = 0; n < 110; n += 1) {
      const put = () =>
        store.transact((tx) => tx.put('executions', executionRecord(`e${n}`, { executor: 'x'.repeat(3000) })));
      // A checkpoint that is under way can have the last blocks, until it fails.
      await until(() => put().then(() => true, refused));
    }
    await store.close();
    const next = await open(data);
    expect(next.count('executions')).toBe(110);
    expect([...contents(data).keys()].filter((name) => name.endsWith('.tmp'))).toEqual([]);
    await next.close();
  });

  it('bodies and logs fail with the same error on a full disk, and a log is complete once there is space', async () => {
    const { folder } = smallDisk('256k');
    const data = path.join(folder, 'data');
    const bodies = await openBodies({ folder: data });
    const logs = await openLogs({ folder: data, clock, logger: rememberingLogger() });
    const ballast = path.join(folder, 'ballast');
    const log = logs.open('e1');
    writeFileSync(ballast, Buffer.alloc(200_000));
    await expect(bodies.put(Buffer.alloc(100_000))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect([...contents(path.join(data, 'bodies')).keys()]).toEqual([]);
    log.write('stdout', Buffer.from('y'.repeat(90_000)));
    await expect(log.close()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    rmSync(ballast);
    await log.close();
    expect(await logs.read('e1')).toBe('y'.repeat(90_000));
  });
});

describeIf(mounting(), 'a read-only disk', () => {
  it('a store does not open on a full disk, names the reason, and leaves the data unchanged', async () => {
    const disk = smallDisk('1m');
    const data = path.join(disk.folder, 'data');
    const store = await open(data);
    await store.transact((tx) => tx.put('executions', executionRecord('e1')));
    await store.close();
    const before = contents(data);
    disk.readOnly(true);
    const error = await open(data).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreUnwritable);
    expect(String(error)).toContain('read-only');
    await expect(open(path.join(disk.folder, 'new'))).rejects.toBeInstanceOf(StoreUnwritable);
    expect(contents(data)).toEqual(before);
    disk.readOnly(false);
    await (await open(data)).close();
  });
});
