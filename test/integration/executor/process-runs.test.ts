// What the end of a short run costs its runner: counted on the runs of a runner in this process.
import fs, { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refOf } from '../../../daemon/executor/runner/protocol.ts';
import { createRuns, type Runs } from '../../../daemon/executor/runner/runs.ts';

let folder: string;
let runs: Runs;
let restore: () => void = () => undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'actorctl-runs-'));
  runs = createRuns({ runsFolder: folder, outputCapBytes: 1_000, endedRuns: [] });
});

afterEach(async () => {
  restore();
  restore = () => undefined;
  await runs.killEverything();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs `echo done` to its end. Resolves with the ref of the run. */
const runToEnd = async (mark: string): Promise<string> => {
  const executionId = `runs${mark}`;
  const ref = refOf(executionId, mark.padEnd(12, '0')) ?? '';
  mkdirSync(join(folder, ref));
  runs.create({
    ...{ ref, executionId, workerId: 'worker', folder, command: ['sh', '-c', 'echo done'] },
    ...{ environment: {}, memoryBytes: 1e9, pids: 100 },
  });
  const { ended } = await runs.start(ref, () => undefined);
  expect((await ended).exitCode).toBe(0);
  return ref;
};

/** Counts the syncs of files that this process opens with promises. */
const countSyncs = async (): Promise<() => number> => {
  const handle = await open(folder);
  const prototype = Object.getPrototypeOf(handle) as { sync: () => Promise<void> };
  await handle.close();
  const { sync } = prototype;
  let count = 0;
  prototype.sync = function () {
    count += 1;
    return sync.call(this);
  };
  restore = () => {
    prototype.sync = sync;
  };
  return () => count;
};

describe('the end of a short run', () => {
  it('is written to disk and synced if the daemon does not remove the run', async () => {
    const syncs = await countSyncs();
    const ref = await runToEnd('a');
    await expect.poll(() => readdirSync(join(folder, ref))).toContain('ended.json');
    await expect.poll(() => runs.busy()).toBe(0);
    expect(syncs()).toBe(2);
  });

  it('costs no sync if the daemon removes the run, because the daemon has the end on disk by then', async () => {
    const syncs = await countSyncs();
    await runs.remove(await runToEnd('b'));
    expect(runs.busy()).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
    expect(syncs()).toBe(0);
  });

  it.runIf(process.platform === 'linux')(
    'is followed by a search of processes that began after it, not of all',
    async () => {
      const { readFileSync } = fs;
      const searched: number[] = [];
      fs.readFileSync = ((file: string, ...rest: [BufferEncoding]) => {
        const pid = /^\/proc\/(\d+)\/stat$/.exec(file)?.[1];
        if (pid !== undefined) searched.push(Number(pid));
        return readFileSync(file, ...rest);
      }) as typeof fs.readFileSync;
      syncBuiltinESMExports();
      restore = () => {
        fs.readFileSync = readFileSync;
        syncBuiltinESMExports();
      };
      const before = Number(readFileSync('/proc/loadavg', 'latin1').trimEnd().split(' ').at(-1));
      await runs.remove(await runToEnd('c'));
      // A machine whose pids begin again during this test searches all processes.
      const last = Number(readFileSync('/proc/loadavg', 'latin1').trimEnd().split(' ').at(-1));
      if (last > before) expect(searched.filter((pid) => pid <= before)).toEqual([]);
    },
  );
});
