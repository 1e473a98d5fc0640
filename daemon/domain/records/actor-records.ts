// Stored records of the actor service: actors, schedules, messages, executions and workers.
import type { Dialect } from '../../../src/contract/dialect.ts';
import type { Level } from '../../../src/contract/operation.ts';

export interface ActorRecord {
  /** 13 letters and digits, unique across all tenants. @see docs/http-api.md#actors */
  readonly id: string;
  readonly tenant: string;
  readonly owner: string;
  readonly name: string;
  readonly description: string;
  readonly image: string;
  readonly stateless: boolean;
  /** How messages, state and context reach its executions; fixed at registration. Absent: `modern`. */
  readonly dialect?: Dialect;
  readonly status: 'SUBMITTED' | 'READY' | 'ERROR' | 'SHUTTING_DOWN';
  readonly statusMessage: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Names, and prefixes that end in `*`, of variables that any sender may set; absent: none. */
  readonly senderVariables?: readonly string[];
  readonly hints: readonly string[];
  readonly type: string;
  readonly token: boolean;
  readonly queue: string;
  readonly privileged: boolean;
  readonly useContainerUid: boolean;
  readonly maxWorkers?: number;
  /** Number of workers that an admin wants to keep ready, idle or not; absent: as many as the waiting messages need. */
  readonly wantedWorkers?: number;
  readonly memLimit?: string;
  readonly maxCpus?: number;
  /** Constraints on the node of a cluster that runs the executions, like `node.labels.gpu==true`; absent: any node. */
  readonly placement?: readonly string[];
  readonly logEx?: number;
  /** Seconds. */
  readonly maxRunTime?: number;
  /** Actor id or alias as given; absent: no link. Resolved whenever an event occurs. */
  readonly link?: string;
  /** User who set the link. Events are passed on only while this user holds EXECUTE on the linked actor. */
  readonly linkSetBy?: string;
  /** URL; absent: no webhook. */
  readonly webhook?: string;
  readonly cron?: CronPlan;
  readonly revision: number;
  /** Number of the description; absent until the first update, which sets it to 2. */
  readonly version?: number;
  /** Level by username (or ABACO_WORLD), including the owner's own entry. */
  readonly permissions: Readonly<Record<string, Level>>;
  /** Consecutive failed container starts; the sixth sets the status ERROR. */
  readonly startFailures: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface CronPlan {
  /** As given: Abaco's interval form or five cron fields. */
  readonly schedule: string;
  readonly on: boolean;
  /** IANA name; only with five cron fields. */
  readonly timeZone?: string;
  /** Text of the messages; absent: a fixed text. */
  readonly message?: string;
  /** The time that `now` in the schedule means. */
  readonly startAt?: number;
  /** Next run; absent while the plan is off, and when no run is left. */
  readonly nextAt?: number;
}

export interface CronRun {
  readonly scheduledAt: number;
  /** Earlier scheduled times without a run, because the daemon was down or the mailbox full. */
  readonly missed: number;
}

/** A waiting message. It is deleted when a worker claims its execution. */
export interface MessageRecord {
  readonly executionId: string;
  readonly actorId: string;
  readonly tenant: string;
  /** Order of arrival within the instance. */
  readonly sequence: number;
  readonly contentType: 'str' | 'application/json' | 'application/octet-stream';
  /** Plain text or JSON text, as sent; null when the body is in a file. */
  readonly text: string | null;
  /** Name of the body's file in the folder `bodies`; null when the body is in `text`. */
  readonly bodyFile: string | null;
  readonly size: number;
  /** Query parameters that become variables: those that the sender was permitted to set. */
  readonly variables: Readonly<Record<string, string>>;
  readonly executor: string;
  readonly actorRevision: number;
  readonly receivedAt: number;
  /** Present only on messages that the actor's own schedule created. */
  readonly cron?: CronRun;
}

export type ExecutionStatus = 'SUBMITTED' | 'RUNNING' | 'COMPLETE' | 'ERROR' | 'CANCELLED';
export type ExecutionReason = 'exited' | 'halted' | 'timed_out' | 'out_of_memory' | 'out_of_disk';

/** What caused an execution, apart from a request of a person. */
export interface Cause {
  readonly event?: number;
  readonly deliveryId?: string;
  /** The execution whose token sent the message. */
  readonly executionId?: string;
  /** Public id of the nonce that authorized the message. */
  readonly nonceId?: string;
  /** Scheduled time of the actor's own schedule. */
  readonly scheduledAt?: number;
}

/** A received message, stored so that it can be sent again. */
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
  /** The message, for sending it again; absent when it is longer than the limit. */
  readonly message?: KeptMessage;
  /** The idempotency key of the sender: the same message is not accepted twice. */
  readonly idempotency?: {
    /** Actor, sender, nonce if there is one, and key, joined. */
    readonly key: string;
    /** SHA-256 of the message sent under this key. */
    readonly digest: string;
  };
  readonly workerId?: string;
  /** The executor's name for the run: a container id or a run folder. Set with the claim, before anything starts. */
  readonly runRef?: string;
  /** Name of the node of a cluster that ran it; absent: this machine. Stored soon after the start. */
  readonly node?: string;
  /** A requested halt or an exceeded time limit; stored so that it survives a crash. */
  readonly stopping?: 'halted' | 'timed_out';
  /** The time of the claim while the execution runs; the executor's own time after its end. */
  readonly startedAt?: number;
  readonly finishedAt?: number;
  /**
   * Run time in ms of the machine, 0 until the end; only where the clock of the instance is virtual. Elsewhere the two
   * times above give it.
   */
  readonly ranMs?: number;
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
