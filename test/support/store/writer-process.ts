// A process that writes to a store without end and prints the acknowledged writes, for tests that kill it.
import { Failure } from '../../../daemon/domain/failure.ts';
import { openStore } from '../../../daemon/store/store.ts';
import { executionRecord } from '../service/records.ts';

const [folder = '', run = ''] = process.argv.slice(2);
const silent = () => undefined;
const store = await openStore({
  folder,
  clock: { now: () => Date.now() },
  logger: { debug: silent, info: silent, warn: silent, error: silent },
  // A small value, so that a kill often hits a checkpoint.
  checkpointFloor: 20_000,
  // Most reads come from the files, as in a store with many records.
  latestBytes: 4_000,
});
process.stdout.write('open\n');
let counter = 0;
const writer = async (): Promise<void> => {
  for (;;) {
    counter += 1;
    const id = `${run}x${counter}`;
    const rejected = counter % 7 === 0;
    try {
      const number = await store.transact((tx) => {
        const sequence = tx.nextSequence();
        tx.put('executions', executionRecord(id, { sequence }));
        if (rejected) throw new Failure('NOT_FOUND', 'rejected on purpose');
        return sequence;
      });
      process.stdout.write(`ack ${id} ${number}\n`);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      process.stdout.write(`rejected ${id}\n`);
    }
  }
};
await Promise.all(Array.from({ length: 8 }, writer));
