// A process that takes the lock of a folder, prints the result, and holds the lock until its standard input ends.

import { acquireLock } from '../../../daemon/store/lock.ts';
import { Locked } from '../../../daemon/store/store-errors.ts';

const [folder = '', instance = 'DEV'] = process.argv.slice(2);
process.stdout.write('ready\n');
await new Promise((resolve) => process.stdin.once('data', resolve));
try {
  const lock = await acquireLock(folder, { instance, stateDir: `/state/${instance}`, now: Date.now() });
  process.stdout.write(`locked ${lock.tookOverFrom?.pid ?? '-'}\n`);
  await new Promise((resolve) => process.stdin.once('end', resolve).resume());
  await lock.release();
} catch (error) {
  if (!(error instanceof Locked)) throw error;
  process.stdout.write(`refused ${error.holder.pid}\n`);
}
