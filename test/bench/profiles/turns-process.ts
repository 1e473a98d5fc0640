// A process that writes executions, and sends the longest turns of its event loop in microseconds of the monotonic clock.
import { temporaryHome } from '../daemon.ts';
import { answerOnce } from '../data/measuring-process.ts';
import { warmUpWrites, writeExecutions } from '../data/writes.ts';
import { openBenchStore } from '../records.ts';
import { longestTurns } from './turns.ts';

const measure = async ({ count }: { readonly count: number }) => {
  await warmUpWrites();
  const home = temporaryHome();
  const store = await openBenchStore(home.folder);
  const turns = await longestTurns(() => writeExecutions(store, count));
  await store.close();
  home.remove();
  const start = Number(process.hrtime.bigint() / 1_000n) - performance.now() * 1_000;
  return turns.map(({ from, to }) => ({ from: start + from * 1_000, to: start + to * 1_000 }));
};

answerOnce(measure);
