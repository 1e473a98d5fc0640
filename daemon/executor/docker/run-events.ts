// The events of the engine about one run, received from before its start.
import type { Ended } from '../../ports/executor.ts';
import type { Connection } from '../engine/connection.ts';
import type { ContainerEvent } from '../engine/engine-events.ts';

export interface RunEvents {
  /** The events so far; undefined if they did not happen or were missed. */
  readonly seen: {
    readonly start: ContainerEvent | undefined;
    readonly die: ContainerEvent | undefined;
    readonly oom: ContainerEvent | undefined;
  };
  /** Ends a wait, or the next one: the run may have ended. */
  push(): void;
  /** Resolves at the next push or event other than `start`, at once if there was one since the last wait, or after `ms`. */
  wait(ms: number): Promise<void>;
  stop(): void;
}

/** Listens until `stop` is called. */
export const listenToRun = (connection: Pick<Connection, 'onContainerEvent' | 'closed'>, ref: string): RunEvents => {
  const seen: Record<ContainerEvent['change'], ContainerEvent | undefined> = {
    start: undefined,
    die: undefined,
    oom: undefined,
  };
  let wake: (() => void) | undefined;
  let pushed = false;
  const push = (): void => {
    pushed = true;
    wake?.();
  };
  const forget = connection.onContainerEvent((event) => {
    if (event === undefined) return push();
    if (event.name !== ref) return;
    seen[event.change] ??= event;
    if (event.change !== 'start') push();
  });
  connection.closed.addEventListener('abort', push, { once: true });
  return {
    seen,
    push,
    async wait(ms) {
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
    stop() {
      forget();
      connection.closed.removeEventListener('abort', push);
    },
  };
};

/**
 * The end of a run that ended by itself with exit code 0. Undefined for any other end, and if an event was missed. The
 * engine reports it before it releases the resources of the container, and answers an inspection only after that.
 */
export const normalEndOf = ({ start, die, oom }: RunEvents['seen']): Ended | undefined => {
  if (start?.at === undefined || die?.at === undefined || oom !== undefined) return undefined;
  // The labels of a container are in all its events, and one could have this name.
  if (start.exitCode !== undefined || die.exitCode !== 0) return undefined;
  const startedAt = start.at;
  // The clock of the engine may have been set back meanwhile.
  const finishedAt = Math.max(startedAt, die.at);
  return {
    exitCode: 0,
    startedAt,
    finishedAt,
    outOfMemory: false,
    finalState: {
      Status: 'exited',
      Running: false,
      Paused: false,
      Restarting: false,
      OOMKilled: false,
      Dead: false,
      Pid: 0,
      ExitCode: 0,
      Error: '',
      StartedAt: new Date(startedAt).toISOString(),
      FinishedAt: new Date(finishedAt).toISOString(),
    },
  };
};
