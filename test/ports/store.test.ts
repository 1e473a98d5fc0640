// Runs the suite of the store port on the real store and on the one in memory.
import { openStore } from '../../daemon/store/store.ts';
import { memoryStore } from '../support/store/memory-store.ts';
import { handClock, rememberingLogger, temporaryFolder } from '../support/store/store-fixtures.ts';
import { storeSuite } from './store.suite.ts';

storeSuite('the store in memory', async () => memoryStore());
storeSuite('the store on disk', () =>
  openStore({ folder: temporaryFolder(), clock: handClock(), logger: rememberingLogger() }),
);
storeSuite('the store on disk, with continuous checkpoints', () =>
  openStore({
    folder: temporaryFolder(),
    clock: handClock(),
    logger: rememberingLogger(),
    checkpointFloor: 1,
    latestBytes: 0,
  }),
);
storeSuite('the store on disk, with every record of a growing collection read from disk', () =>
  openStore({ folder: temporaryFolder(), clock: handClock(), logger: rememberingLogger(), latestBytes: 0 }),
);
