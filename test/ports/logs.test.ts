// Runs the suite of the logs port on real files, and tests damage that only files can have.
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openLogs } from '../../daemon/store/logs/logs.ts';
import { handClock, rememberingLogger, temporaryFolder } from '../support/store/store-fixtures.ts';
import { logsSuite } from './logs.suite.ts';

const open = (cap: number, folder = temporaryFolder()) =>
  openLogs({ folder, clock: handClock(), logger: rememberingLogger(), cap });

logsSuite('logs in files', (cap) => open(cap));

it('a log that a crash left incomplete is read up to its last whole line', async () => {
  const folder = temporaryFolder();
  const log = (await open(1000, folder)).open('e1');
  log.write('stdout', Buffer.from('whole\n'));
  await log.close();
  appendFileSync(path.join(folder, 'logs', 'e1.ndjson'), '[1000,"o","to');
  expect(await (await open(1000, folder)).read('e1')).toBe('whole\n');
});
