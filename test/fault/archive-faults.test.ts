// A daemon on a small disk, or killed while it imports: the data is either the old or the new data.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { finishExchange } from '../../daemon/store/archive/exchange.ts';
import { daemonProgram } from '../support/daemon/home.ts';
import { mounting, smallDisk } from '../support/daemon/mounts.ts';
import { preloads } from '../support/preloads/preloads.ts';
import { describeIf } from '../support/runner/requirements.ts';
import { actorRecord } from '../support/service/records.ts';
import { openData } from '../support/store/archives.ts';
import { killedAtWrite } from '../support/store/killed-at-write.ts';
import { temporaryFolder } from '../support/store/store-fixtures.ts';

/** Writes an archive of an actor, and of bodies of this many bytes that do not compress. */
const archiveWith = async (file: string, bytes: number): Promise<void> => {
  const data = await openData(path.join(temporaryFolder(), 'source'));
  await data.store.transact((tx) => tx.put('actors', actorRecord('new')));
  for (let written = 0; written < bytes; written += 100_000) await data.bodies.put(randomBytes(100_000));
  await data.write(file);
  await data.store.close();
};

const prepare = async (dataDir: string): Promise<void> => {
  const data = await openData(dataDir);
  await data.store.transact((tx) => tx.put('actors', actorRecord('old')));
  await data.store.close();
};

const actorsIn = async (dataDir: string): Promise<readonly string[]> => {
  const data = await openData(dataDir);
  const ids = [...data.store.all('actors')].map(({ id }) => id);
  await data.store.close();
  return ids;
};

/** Starts the built daemon with an import; its third descriptor reports the start. */
const importing = (home: string, dataDir: string, file: string, env: NodeJS.ProcessEnv = {}): ChildProcess =>
  spawn(
    process.execPath,
    [
      ...preloads,
      daemonProgram,
      ...['--data-dir', dataDir, '--port', 'auto', '--ready-fd', '3', '--import', file, '--replace'],
    ],
    {
      env: { ...process.env, ACTORCTL_HOME: home, DOCKER_HOST: 'unix:///nonexistent', ...env },
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    },
  );

describe('a daemon that is killed while it imports', () => {
  // The new data replaces the old data between the last two steps.
  it.each([
    ['nothing', /"progress":0[,}]/, ['old']],
    ['half', /"progress":0\.[5-9]/, ['old']],
    ['nearly all', /"progress":(?:0\.9[7-9]|1)/, ['old', 'new']],
    ['all', /"progress":1[,}]/, ['old', 'new']],
  ])(
    'has either the old or the new data at its next start, never a mix, when %s was imported',
    async (_, progress, possible) => {
      const home = temporaryFolder();
      const file = path.join(home, 'all.tar.gz');
      await archiveWith(file, 3_000_000);
      const dataDir = path.join(home, 'data');
      await prepare(dataDir);
      const child = importing(home, dataDir, file, killedAtWrite(home, 'after', progress));
      const exit = once(child, 'exit');
      let text = '';
      for await (const piece of child.stdio[3] as Readable) text += String(piece);
      // A daemon that never wrote this has started, and would run on.
      expect(text).not.toContain('ready');
      expect(await exit).toEqual([null, 'SIGKILL']);
      expect(text).toMatch(progress);
      await finishExchange(dataDir);
      const actors = await actorsIn(dataDir);
      expect(actors).toHaveLength(1);
      expect(possible).toContain(actors[0]);
      expect(existsSync(path.join(dataDir, 'import.next'))).toBe(false);
    },
  );
});

describeIf(mounting(), 'an import into a full disk', () => {
  it('an invalid archive is refused before or during unpacking, and the old data is unchanged', async () => {
    const { folder } = smallDisk('2m');
    const dataDir = path.join(folder, 'data');
    mkdirSync(folder, { recursive: true });
    await prepare(dataDir);
    const file = path.join(temporaryFolder(), 'all.tar.gz');
    await archiveWith(file, 3_000_000);
    expect(statSync(file).size).toBeGreaterThan(2_000_000);
    const child = importing(temporaryFolder(), dataDir, file);
    const exit = once(child, 'exit');
    let text = '';
    for await (const piece of child.stdio[3] as Readable) text += String(piece);
    expect(await exit).toEqual([9, null]);
    expect(text).toContain('The data folder cannot be written');
    expect(await actorsIn(dataDir)).toEqual(['old']);
    expect(existsSync(path.join(dataDir, 'import.next'))).toBe(false);

    // An archive that does not fit on the disk leaves no partial file either.
    const data = await openData(dataDir);
    for (let n = 0; n < 12; n += 1) await data.bodies.put(randomBytes(100_000));
    await expect(data.write(path.join(folder, 'all.tar.gz'))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(existsSync(path.join(folder, 'all.tar.gz'))).toBe(false);
    await data.store.close();
  });
});
