// A daemon that was killed while it wrote a snapshot leaves nothing of it after the next start.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openDataFolder } from '../../../daemon/app/data-folder.ts';
import { resolveConfig } from '../../../daemon/config.ts';
import { rememberingLogger, temporaryFolder } from '../../support/store/store-fixtures.ts';

it('the start removes partial snapshots, and nothing else', async () => {
  const dataDir = path.join(temporaryFolder(), 'data');
  const folder = path.join(dataDir, 'snapshots');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const part = `a.tar.gz.${'0a'.repeat(12)}.tmp`;
  for (const name of ['a.tar.gz', part, 'b.tmp', 'b.tar.gz.tmp']) writeFileSync(path.join(folder, name), 'x');
  const home = temporaryFolder();
  const config = resolveConfig(['--data-dir', dataDir], { ACTORCTL_HOME: home });
  mkdirSync(config.paths.stateDir, { recursive: true });
  const closers: (() => Promise<unknown>)[] = [];
  await openDataFolder(config, rememberingLogger(), closers, () => undefined);
  for (const close of closers.reverse()) await close();
  expect(readdirSync(folder).sort()).toEqual(['a.tar.gz', 'b.tar.gz.tmp', 'b.tmp']);
});
