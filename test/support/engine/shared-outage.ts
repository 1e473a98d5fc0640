// One stop and start of an engine that the concurrent tests of a `describe` share, because a start costs a second of processor
// time.
import { beforeAll, type TestContext } from 'vitest';
import type { OwnDockerd } from './own-dockerd.ts';

export interface Outage {
  /** Resolves when the engine has stopped. It stops once all tests have called this. */
  begin(): Promise<void>;
  /** Resolves when the engine responds again. It starts once all tests have called this. */
  end(): Promise<void>;
}

/**
 * Called in a `describe` that is not concurrent, unlike all of its tests: at most five, which is how many vitest runs
 * at a time. Each test calls the result first. A failed test counts as waiting, so it does not block the others.
 */
export const sharedOutage = (engine: () => OwnDockerd, signal: NodeJS.Signals): ((test: TestContext) => Outage) => {
  let tests = 0;
  // biome-ignore lint/correctness/noEmptyPattern: vitest requires a pattern, and no fixture is used.
  beforeAll(({}, suite) => {
    tests = suite.tasks.filter(({ mode }) => mode !== 'skip' && mode !== 'todo').length;
  });

  /** A point at which all tests wait for each other and then for the work. */
  const meeting = (work: () => Promise<void>): ((id: string) => Promise<void>) => {
    const arrived = new Set<string>();
    let open: (done: Promise<void>) => void;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    opened.catch(() => undefined);
    return (id) => {
      arrived.add(id);
      if (arrived.size === tests) open(work());
      return opened;
    };
  };
  const stopped = meeting(() => engine().stop(signal));
  const started = meeting(() => engine().start());

  return ({ task: { id }, onTestFailed }) => {
    onTestFailed(() => {
      void stopped(id);
      void started(id);
    });
    return { begin: () => stopped(id), end: () => started(id) };
  };
};
