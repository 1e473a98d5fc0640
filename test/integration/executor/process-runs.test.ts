// The end of runs: what that of a short run costs its runner, counted on the runs of a runner in this process, and the
// removal of what runs leave.
import { execFileSync } from 'node:child_process';
import fs, {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { refOf } from '../../../daemon/executor/runner/protocol.ts';
import { createRuns, type Runs } from '../../../daemon/executor/runner/runs.ts';
import { bundle } from '../../support/engine/process-harness.ts';
import { describeIf, requirement } from '../../support/runner/requirements.ts';

let folder: string;
let runs: Runs;
let restore: () => void = () => undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'actorctl-runs-'));
  runs = createRuns({ runsFolder: folder, outputCapBytes: 1_000, endedRuns: [] });
});

afterEach(async () => {
  vi.useRealTimers();
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
    'triggers a search only among processes that started after the run',
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
      // On a busy machine the run takes so long that its limits are checked meanwhile, or that it is not a short one.
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
      await runs.remove(await runToEnd('c'));
      // A machine whose pids begin again during this test searches all processes.
      const last = Number(readFileSync('/proc/loadavg', 'latin1').trimEnd().split(' ').at(-1));
      if (last > before) expect(searched.filter((pid) => pid <= before)).toEqual([]);
    },
  );
});

/** The modes of folders do not bind root, so another user removes them. */
const NOBODY = 65_534;

/** Creates a folder with a file and a link to `target`, for this user, and makes it read-only. */
const readOnlyFolder = (path: string, uid: number, target: string): void => {
  mkdirSync(join(path, 'd'), { recursive: true });
  writeFileSync(join(path, 'd', 'x'), '');
  symlinkSync(target, join(path, 'd', 'link'));
  for (const each of [path, join(path, 'd')]) chownSync(each, uid, uid);
  for (const each of [join(path, 'd'), path]) chmodSync(each, 0o555);
};

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
const otherUser = requirement('linux', isRoot, 'only root on Linux can run a program as another user');

describeIf(otherUser, 'a read-only folder', () => {
  /** Evaluates a script as another user than root. Returns what it prints. */
  const asNobody = (script: string): string =>
    execFileSync(process.execPath, ['-e', script], { cwd: folder, uid: NOBODY, gid: NOBODY, encoding: 'utf8' });
  const bundled = (entry: string, name: string) => bundle(entry, join(folder, name));

  beforeEach(() => chownSync(folder, NOBODY, NOBODY));

  it('the folder of a run is removed with the run, and a link in it is not followed', async () => {
    await bundled('src/local/folders/remove-tree.ts', 'remove-tree.cjs');
    mkdirSync(join(folder, 'kept'));
    writeFileSync(join(folder, 'kept', 'x'), '');
    chmodSync(join(folder, 'kept'), 0o555);
    readOnlyFolder(join(folder, 'run'), NOBODY, join(folder, 'kept'));
    asNobody(`require('./remove-tree.cjs').removeTree('run')`);
    expect(readdirSync(folder).sort()).toEqual(['kept', 'remove-tree.cjs']);
    expect(readdirSync(join(folder, 'kept'))).toEqual(['x']);
    expect(fs.statSync(join(folder, 'kept')).mode & 0o777).toBe(0o555);
  });

  it('the folder of a lost run stops neither the next runner nor the daemon, even if it cannot be removed', async () => {
    await bundled('daemon/executor/runner/main.ts', 'runner.cjs');
    await bundled('daemon/executor/process/process-executor.ts', 'executor.cjs');
    const own = refOf('own', '0'.repeat(12)) ?? '';
    const foreign = refOf('foreign', '0'.repeat(12)) ?? '';
    readOnlyFolder(join(folder, 'runs', own), NOBODY, '/');
    readOnlyFolder(join(folder, 'runs', foreign), 0, '/');
    chownSync(join(folder, 'runs'), NOBODY, NOBODY);
    const printed = asNobody(`
      const log = () => undefined;
      const at = (name) => require('node:path').resolve(name);
      const executor = require('./executor.cjs').createProcessExecutor({
        ...{ runsFolder: at('runs'), runnerPath: at('runner.cjs'), socketPath: at('runner.sock'), apiServer: log },
        logger: { debug: log, info: log, error: log, warn: ({ ref }) => console.log('warned', ref) },
      });
      executor.list().then(async (found) => {
        console.log('found', found.length);
        await executor.close({ removeAll: true });
      });
    `);
    expect(printed).toBe(`warned ${foreign}\nfound 0\n`);
    expect(readdirSync(join(folder, 'runs')).filter((name) => name.startsWith('process-'))).toEqual([foreign]);
  });
});

it('a run folder that could not be removed is removed at the next request', async () => {
  const ref = await runToEnd('d');
  const run = join(folder, ref);
  const { rm } = fs.promises;
  fs.promises.rm = async () => Promise.reject(new Error('disk'));
  syncBuiltinESMExports();
  restore = () => {
    fs.promises.rm = rm;
    syncBuiltinESMExports();
  };
  await expect(runs.remove(ref)).rejects.toThrow('disk');
  restore();
  await runs.remove(ref);
  expect(fs.existsSync(run)).toBe(false);
});

it('a run is not created if a starting runner deletes its folder meanwhile', () => {
  const ref = refOf('runsgone', 'a'.repeat(12)) ?? '';
  const order = {
    ...{ ref, executionId: 'runsgone', workerId: 'worker', folder, command: ['true'] },
    ...{ environment: {}, memoryBytes: 1e9, pids: 100 },
  };
  expect(() => runs.create(order)).toThrow(expect.objectContaining({ kind: 'unavailable' }));
});
