// Kills runs that exceed their limits.
import { type ExceededLimit, exceededLimit } from './limits.ts';
import { killAll, measure, processesOf, type RunProcesses } from './processes.ts';
import type { RunOrder } from './protocol.ts';

// Enforcing limits in the kernel would need a control group. A run can exceed its limits for this long.
const CHECK_MS = 250;

export interface LimitedRun {
  readonly executionId: string;
  readonly order: RunOrder | undefined;
  readonly pid: number | undefined;
  readonly seen: Map<number, string>;
  exceeded: ExceededLimit | undefined;
}

export const processesOfRun = ({ executionId, pid, seen }: Omit<LimitedRun, 'order' | 'exceeded'>): RunProcesses => {
  return { executionId, session: pid, seen };
};

/** Returns a function that starts checking the runs, or stops if none runs. Call it after each start and each end. */
export const createLimitWatch = (running: () => readonly LimitedRun[]): (() => void) => {
  let timer: NodeJS.Timeout | undefined;
  const check = (): void => {
    const watched = running();
    const found = processesOf(watched.map(processesOfRun));
    for (const run of watched) {
      if (run.order === undefined || run.exceeded !== undefined) continue;
      run.exceeded = exceededLimit(run.order, measure(found.get(run.executionId) ?? []));
      if (run.exceeded !== undefined) void killAll([processesOfRun(run)]);
    }
  };
  return () => {
    if (running().length === 0) {
      clearInterval(timer);
      timer = undefined;
    } else timer ??= setInterval(check, CHECK_MS);
  };
};
