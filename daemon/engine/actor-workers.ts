// The workers of one actor in memory: who is busy, who comes next, and in which order executions may start.
import type { WorkerRecord } from '../domain/records/actor-records.ts';
import type { ReadView } from '../ports/store.ts';
import { createLatch, type Latch } from './background-tasks.ts';
import { createMailbox, type Mailbox } from './mailbox.ts';

/** A place in which executions of one revision run, one after another. */
export interface WorkerSlot {
  readonly workerId: string;
  readonly image: string;
  readonly revision: number;
  /** What it runs or is about to run. */
  executionId: string | undefined;
  /** It goes as soon as it runs nothing. */
  leaving: boolean;
  idleTimer: NodeJS.Timeout | undefined;
}

/** A place in the order of starts: nobody starts before all who entered earlier have started or left. */
export interface StartTurn {
  readonly come: Promise<void>;
  leave(): void;
}

export interface ActorWorkers {
  readonly actorId: string;
  readonly mailbox: Mailbox;
  readonly slots: Map<string, WorkerSlot>;
  /** Set while nothing of this actor may begin; the value tells one hold from the next. */
  hold: symbol | undefined;
  /** The actor is being deleted. */
  retired: boolean;
  preparing: { readonly revision: number; readonly abort: AbortController; again: boolean } | undefined;
  enterTurn(): StartTurn;
  busy(): number;
  /** Resolves when no slot is busy. */
  quiet(): Promise<void>;
  /** To be called whenever a slot has become free. */
  noteFree(): void;
}

export const slotOf = (worker: Pick<WorkerRecord, 'id' | 'image' | 'revision'>): WorkerSlot => ({
  workerId: worker.id,
  image: worker.image,
  revision: worker.revision,
  executionId: undefined,
  leaving: false,
  idleTimer: undefined,
});

export const createActorWorkers = (store: ReadView, actorId: string): ActorWorkers => {
  const slots = new Map<string, WorkerSlot>();
  let last: Promise<void> = Promise.resolve();
  let quiet: Latch[] = [];
  const busy = (): number => {
    let count = 0;
    for (const slot of slots.values()) if (slot.executionId !== undefined) count += 1;
    return count;
  };
  return {
    actorId,
    mailbox: createMailbox(store, actorId),
    slots,
    hold: undefined,
    retired: false,
    preparing: undefined,
    enterTurn() {
      const come = last;
      const mine = createLatch();
      last = come.then(() => mine.opened);
      return { come, leave: mine.open };
    },
    busy,
    async quiet() {
      if (busy() === 0) return;
      const latch = createLatch();
      quiet.push(latch);
      await latch.opened;
    },
    noteFree() {
      if (busy() > 0) return;
      const latches = quiet;
      quiet = [];
      for (const latch of latches) latch.open();
    },
  };
};
