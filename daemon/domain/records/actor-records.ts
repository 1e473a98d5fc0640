// Stored records of the actor service: actors, cron plans, messages, executions and workers.
import type { Level } from '../../../src/contract/operation.ts';

export interface ActorRecord {
  /** 13 characters, see wire.md "Actors". Unique over all tenants. */
  readonly id: string;
  readonly tenant: string;
  readonly owner: string;
  readonly name: string;
  readonly description: string;
  readonly image: string;
  readonly stateless: boolean;
  readonly status: 'SUBMITTED' | 'READY' | 'ERROR' | 'SHUTTING_DOWN';
  readonly statusMessage: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly hints: readonly string[];
  readonly type: string;
  readonly token: boolean;
  readonly queue: string;
  readonly privileged: boolean;
  readonly useContainerUid: boolean;
  readonly maxWorkers?: number;
  /** Workers that an admin wants to stand ready, idle or not; absent: as many as there is work for. */
  readonly wantedWorkers?: number;
  readonly memLimit?: string;
  readonly maxCpus?: number;
  readonly logEx?: number;
  /** Seconds. */
  readonly maxRunTime?: number;
  /** Actor id or alias as it was given; absent: none. Resolved when an event happens. */
  readonly link?: string;
  /** Who set the link: the event goes on for as long as this user holds EXECUTE on the linked actor. */
  readonly linkSetBy?: string;
  /** URL; absent: none. */
  readonly webhook?: string;
  readonly cron?: CronPlan;
  readonly revision: number;
  /** Counts what the description has been, whoever changed it; absent until the first change, which makes it 2. */
  readonly version?: number;
  /** username (or ABACO_WORLD) → level. The owner's own entry is here too. */
  readonly permissions: Readonly<Record<string, Level>>;
  /** Containers that could not be started, one after the other; six make an ERROR. */
  readonly startFailures: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** When an actor runs by itself. */
export interface CronPlan {
  /** As it was given: Abaco's form or five fields. */
  readonly schedule: string;
  readonly on: boolean;
  /** IANA name; of five fields only. */
  readonly timeZone?: string;
  /** What it is sent; a fixed text when absent. */
  readonly message?: string;
  /** What `now` in the schedule stands for. */
  readonly startAt?: number;
  /** Absent while it is off, and when no time is left. */
  readonly nextAt?: number;
}

/** For which of the times of its plan an actor runs. */
export interface CronRun {
  readonly scheduledAt: number;
  /** Times before it for which nothing ran: the daemon was down, or the mailbox full. */
  readonly missed: number;
}

/** A message that waits. It is gone from the store the moment its execution is claimed by a worker. */
export interface MessageRecord {
  /** The id of its execution. */
  readonly executionId: string;
  readonly actorId: string;
  readonly tenant: string;
  /** Order of arrival within the instance. */
  readonly sequence: number;
  readonly contentType: 'str' | 'application/json' | 'application/octet-stream';
  /** Text as sent or JSON text; null when the body stands in a file. */
  readonly text: string | null;
  /** Name of the body's file in the folder of bodies; null when `text` has it. */
  readonly bodyFile: string | null;
  readonly size: number;
  /** Query parameters that become variables. */
  readonly variables: Readonly<Record<string, string>>;
  readonly executor: string;
  readonly actorRevision: number;
  readonly receivedAt: number;
  /** Only of a message that the actor's own plan made. */
  readonly cron?: CronRun;
}

export type ExecutionStatus = 'SUBMITTED' | 'RUNNING' | 'COMPLETE' | 'ERROR' | 'CANCELLED';
export type ExecutionReason = 'exited' | 'halted' | 'timed_out' | 'out_of_memory';

/** What an execution came of, beside a person: an event by a link or by a webhook, or another execution. */
export interface Cause {
  /** Number of the event. */
  readonly event?: number;
  /** The webhook delivery that carried it. */
  readonly deliveryId?: string;
  /** The execution whose token sent the message. */
  readonly executionId?: string;
  /** What the nonce is listed by with which the message was sent. */
  readonly nonceId?: string;
  /** The time of the actor's own plan. */
  readonly scheduledAt?: number;
}

/** A message that was taken, as it can be sent again. */
export type KeptMessage = Pick<MessageRecord, 'contentType' | 'variables'> & { readonly text: string };

export interface ExecutionRecord {
  readonly id: string;
  readonly actorId: string;
  readonly tenant: string;
  readonly sequence: number;
  readonly executor: string;
  readonly status: ExecutionStatus;
  readonly reason?: ExecutionReason;
  readonly statusMessage?: string;
  readonly receivedAt: number;
  readonly cause?: Cause;
  /** Its message, to be sent once more; absent where it is longer than what is kept. */
  readonly message?: KeptMessage;
  /** The key that its sender gave, so that the same message is not taken twice. */
  readonly idempotency?: {
    /** Actor, sender and key in one. */
    readonly key: string;
    /** SHA-256 of what was sent under it. */
    readonly digest: string;
  };
  readonly workerId?: string;
  /** What the executor calls the run: a container id, a run folder. Set with the claim, before anything starts. */
  readonly runRef?: string;
  /** A halt or a time limit that was asked for and must survive a crash. */
  readonly stopping?: 'halted' | 'timed_out';
  readonly startedAt?: number;
  readonly finishedAt?: number;
  readonly exitCode?: number;
  readonly finalState?: Readonly<Record<string, unknown>>;
  readonly cpuNs?: number;
  readonly ioBytes?: number;
}

export interface WorkerRecord {
  readonly id: string;
  readonly actorId: string;
  readonly tenant: string;
  readonly status:
    | 'REQUESTED'
    | 'PULLING IMAGE'
    | 'CREATING CONTAINER'
    | 'READY'
    | 'BUSY'
    | 'SHUTDOWN_REQUESTED'
    | 'ERROR';
  readonly image: string;
  readonly revision: number;
  readonly createdAt: number;
  readonly lastExecutionAt?: number;
}
