// A start that fails without a reason: the error shows what this daemon wrote, and nothing of the one before it.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { sizeOf, tail } from '../../../src/local/log-file.ts';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';

let home: Home;
afterEach(() => home.remove());

it('the lines of a failed start are those of the new daemon', async () => {
  home = inProcessHome(NO_ENGINE);
  await home.up();
  await home.cli(['down']);
  const log = join(home.folder, 'state/default/daemon.log');
  expect(await tail(log, 20)).not.toEqual([]);
  const { code, stderr } = await home.cli(['up'], { env: { NODE_OPTIONS: '--require /nowhere.cjs' } });
  expect([code, stderr]).toEqual([9, expect.stringMatching(/the daemon ended before it was ready\n( {2}\| .*\n)+/)]);
  expect(stderr).toContain('/nowhere.cjs');
  expect(stderr).not.toContain('"time"');

  const before = await sizeOf(log);
  appendFileSync(log, 'new\n');
  expect(await tail(log, 20, before)).toEqual(['new']);
  // A log that was replaced meanwhile is read from its beginning.
  expect(await tail(log, 1, before + 1_000_000)).toEqual(['new']);
});
