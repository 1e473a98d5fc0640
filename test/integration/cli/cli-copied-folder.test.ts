// A copy of a data folder beside the original: it has an instance id of its own and leaves the original's runs alone.
import { cpSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { isAlive } from '../../../src/local/process-identity.ts';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { startEndless } from '../../support/daemon/endless-actor.ts';
import { inProcessHome } from '../../support/daemon/home.ts';

it('a copied data folder gets an instance id of its own, and a moved one keeps it', async () => {
  const home = inProcessHome(NO_ENGINE);
  onTestFinished(() => home.remove());
  /** The instance ids of all starts of an instance. */
  const ids = (instance: string): readonly string[] => {
    const log = readFileSync(path.join(home.folder, 'state', instance, 'daemon.log'), 'utf8');
    return [...log.matchAll(/"instanceId":"([^"]+)","msg":"up"/g)].map(([, id]) => id ?? '');
  };
  const { execution, pid } = await startEndless(home);
  await home.kill();
  const [original, copy, moved] = ['data/default', 'copy', 'moved'].map((each) => path.join(home.folder, each));
  cpSync(original ?? '', copy ?? '', { recursive: true });
  await home.json('up');
  const second = ['--instance', 'second', '--port', 'auto'];
  await home.json('up', ...second, '--data-dir', copy ?? '');
  expect(await home.json('executions', 'show', execution)).toMatchObject({ status: 'RUNNING' });
  expect(isAlive(pid)).toBe(true);
  expect(ids('second')).not.toContain(ids('default')[0]);
  await home.json('down', '--instance', 'second');
  renameSync(copy ?? '', moved ?? '');
  await home.json('up', ...second, '--data-dir', moved ?? '');
  await home.json('down', '--instance', 'second');
  const [first, again] = ids('second');
  expect(again).toBe(first);
  expect(new Set(ids('default')).size).toBe(1);
});
