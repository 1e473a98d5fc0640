// The phases of a daemon, and the requests to stop it.

import type { Logger } from '../ports/logger.ts';
import type { StopOptions } from '../ports/scheduler.ts';

/** The phases that may follow each phase. A daemon that only halts executions never reaches `serving`. */
const following = {
  starting: ['serving', 'draining'],
  serving: ['draining'],
  draining: ['waiting'],
  /** The daemon waits for running executions to end. */
  waiting: [],
} as const;

type Phase = keyof typeof following;

export const createLifecycle = ({ haltAll, logger }: { haltAll: () => Promise<unknown>; logger: Logger }) => {
  let phase: Phase = 'starting';
  let haltsExecutions = false;
  let ask: (options: StopOptions) => void = () => undefined;
  const stopAsked = new Promise<StopOptions>((resolve) => {
    ask = resolve;
  });
  return {
    enter(next: Phase): void {
      if (!following[phase].some((each) => each === next))
        throw new Error(`a daemon that is ${phase} cannot be ${next}`);
      phase = next;
    },
    isStarting: (): boolean => phase === 'starting',
    isStopping: (): boolean => phase === 'draining' || phase === 'waiting',
    /** True once any stop request has asked to halt executions. */
    haltsExecutions: (): boolean => haltsExecutions,
    /** Resolves with the first request to stop. */
    stopAsked,
    askStop(options: StopOptions): void {
      haltsExecutions ||= options.haltExecutions;
      // A stop that is waiting for executions ends as soon as they are halted.
      if (phase === 'waiting' && options.haltExecutions)
        void haltAll().catch((error: unknown) => logger.warn({ error }, 'cannot halt all executions'));
      ask(options);
    },
  };
};
