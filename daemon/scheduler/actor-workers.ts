// The state of one actor's workers in memory: its slots, its mailbox, and the order in which its messages are claimed.
import type { WorkerRecord } from '../domain/records/actor-records.ts';
import type { ReadView } from '../ports/store.ts';
import { createLatch, type Latch } from './background-tasks.ts';
import { createMailbox, type Mailbox } from './mailbox.ts';

export interface WorkerSlot {
  readonly workerId: string;
  readonly image: string;
  readonly revision: number;
  /** The execution that the worker runs or is about to run. Undefined while the worker is idle. */
  executionId: string | undefined;
  /** True if the worker is to be removed as soon as it is idle. */
  leaving: boolean;
  idleTimer: NodeJS.Timeout | undefined;
}

/** A position in the order of claims of one actor. A message is claimed only after all earlier positions have ended. */
export interface ClaimTurn {
  readonly reached: Promise<void>;
  end(): void;
}

export interface ActorWorkers {
  readonly actorId: string;
  readonly mailbox: Mailbox;
  readonly slots: Map<string, WorkerSlot>;
  /**
   * Set while no execution of this actor may begin. A newer hold replaces an older one; the symbol distinguishes them.
   */
  hold: symbol | undefined;
  /** True if the last start found no room in its cluster. Starts then run one at a time until one succeeds. */
  isFull: boolean;
  /** True if the actor is being deleted, so that none of its executions begins. */
  deleting: boolean;
  preparing: { readonly revision: number; readonly abort: AbortController; again: boolean } | undefined;
  /** Claims of failed starts that are being undone. Meanwhile no other message is claimed. */
  readonly undoing: Set<Promise<unknown>>;
  queueClaim(): ClaimTurn;
  busyCount(): number;
  whenIdle(): Promise<void>;
  /** Must be called after a slot has become idle: it resolves the pending `whenIdle` calls if no slot is busy. */
  noteIdle(): void;
}

export const createSlot = (worker: Pick<WorkerRecord, 'id' | 'image' | 'revision'>): WorkerSlot => ({
  workerId: worker.id,
  image: worker.image,
  revision: worker.revision,
  executionId: undefined,
  leaving: false,
  idleTimer: undefined,
});

export const createActorWorkers = (store: ReadView, actorId: string): ActorWorkers => {
  const slots = new Map<string, WorkerSlot>();
  let lastClaim: Promise<void> = Promise.resolve();
  let idleLatches: Latch[] = [];
  const busyCount = (): number => {
    let count = 0;
    for (const slot of slots.values()) if (slot.executionId !== undefined) count += 1;
    return count;
  };
  return {
    actorId,
    mailbox: createMailbox(store, actorId),
    slots,
    hold: undefined,
    isFull: false,
    deleting: false,
    preparing: undefined,
    undoing: new Set(),
    queueClaim() {
      const reached = lastClaim;
      const own = createLatch();
      lastClaim = reached.then(() => own.opened);
      return { reached, end: own.open };
    },
    busyCount,
    async whenIdle() {
      if (busyCount() === 0) return;
      const latch = createLatch();
      idleLatches.push(latch);
      await latch.opened;
    },
    noteIdle() {
      if (busyCount() > 0) return;
      const latches = idleLatches;
      idleLatches = [];
      for (const latch of latches) latch.open();
    },
  };
};
