// The events of the engine about one run.
import type { Connection } from '../engine/connection.ts';

export type RunEvents = ReturnType<typeof listenToRun>;

export const listenToRun = (connection: Pick<Connection, 'onContainerEvent' | 'closed'>, ref: string) => {
  const seen = { die: false, oom: false, kill: false };
  let gaps = 0;
  let bridged = 0;
  let wake: (() => void) | undefined;
  let pushed = false;
  const push = (): void => {
    pushed = true;
    wake?.();
  };
  const forget = connection.onContainerEvent((event) => {
    if (event !== undefined && event.name !== ref) return;
    if (event === undefined) gaps += 1;
    else if (event.change !== 'die' || gaps === bridged) seen[event.change] = true;
    push();
  });
  connection.closed.addEventListener('abort', push, { once: true });
  return {
    /** The events received so far. `die` means the end, if no event was missed before it. */
    seen,
    gapCount: (): number => gaps,
    /**
     * Call it with the count taken before an inspection that found the run still running: events missed until then have
     * no effect.
     */
    bridge(gapCount: number): void {
      bridged = gapCount;
    },
    /** True if an event may have been missed since the run was last known to run. */
    hasGap: (): boolean => gaps !== bridged,
    /** Ends the current or the next wait, because the run may have ended. */
    push,
    /** Resolves at the next push or event, at once if there was one since the last wait, or after `ms`. */
    async wait(ms: number): Promise<void> {
      let timer: NodeJS.Timeout | undefined;
      if (!pushed)
        await new Promise<void>((resolve) => {
          wake = resolve;
          timer = setTimeout(resolve, ms);
        });
      clearTimeout(timer);
      wake = undefined;
      pushed = false;
    },
    stop(): void {
      forget();
      connection.closed.removeEventListener('abort', push);
    },
  };
};
