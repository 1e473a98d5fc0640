// What a durable transaction costs: system calls of the journal, counted on the file handles.
import { constants, readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openStore } from '../../../daemon/store/store.ts';
import { executionRecord } from '../../support/service/records.ts';
import { handClock, rememberingLogger, temporaryFolder } from '../../support/store/store-fixtures.ts';

/** Counts the writes and syncs of all file handles, and collects the flags with which the written files are open. */
const countCalls = async () => {
  const some = await open(path.join(temporaryFolder(), 'file'), 'w');
  const handles = Object.getPrototypeOf(some) as FileHandle;
  await some.close();
  const counts = { write: 0, datasync: 0, sync: 0 };
  const flags: number[] = [];
  for (const name of ['write', 'datasync', 'sync'] as const) {
    const real = handles[name] as (...args: unknown[]) => Promise<unknown>;
    const spy = vi.spyOn(handles, name).mockImplementation(function (this: FileHandle, ...args: unknown[]) {
      counts[name] += 1;
      if (name === 'write') flags.push(flagsOf(this));
      return real.apply(this, args);
    } as never);
    onTestFinished(() => spy.mockRestore());
  }
  return { counts, flags };
};

/** The open flags of a file as the kernel knows them. */
const flagsOf = ({ fd }: FileHandle): number => {
  const [, octal = '0'] = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? [];
  return Number.parseInt(octal, 8);
};

describe.runIf(process.platform === 'linux')('a durable transaction', () => {
  it('costs one synchronous write', async () => {
    const store = await openStore({ folder: temporaryFolder(), clock: handClock(), logger: rememberingLogger() });
    const { counts, flags } = await countCalls();
    for (let n = 0; n < 5; n += 1) await store.transact((tx) => tx.put('executions', executionRecord(`e${n}`)));
    expect(counts).toEqual({ write: 5, datasync: 0, sync: 0 });
    for (const flag of flags) expect(flag & constants.O_DSYNC).toBe(constants.O_DSYNC);
    await store.close();
  });

  it('shares its write with all transactions that wait at the same time', async () => {
    const store = await openStore({ folder: temporaryFolder(), clock: handClock(), logger: rememberingLogger() });
    const { counts } = await countCalls();
    await Promise.all(
      Array.from({ length: 64 }, (_, n) => store.transact((tx) => tx.put('executions', executionRecord(`e${n}`)))),
    );
    expect(counts).toEqual({ write: 1, datasync: 0, sync: 0 });
    await store.close();
  });

  it('is synced the same way after a restart', async () => {
    const folder = temporaryFolder();
    const first = await openStore({ folder, clock: handClock(), logger: rememberingLogger() });
    await first.close();
    const store = await openStore({ folder, clock: handClock(), logger: rememberingLogger() });
    const { counts, flags } = await countCalls();
    await store.transact((tx) => tx.put('executions', executionRecord('e')));
    expect(counts).toEqual({ write: 1, datasync: 0, sync: 0 });
    expect(flags.every((flag) => (flag & constants.O_DSYNC) !== 0)).toBe(true);
    await store.close();
  });
});
