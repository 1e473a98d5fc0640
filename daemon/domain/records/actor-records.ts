// Stored records of the actor service: actors, schedules, messages, executions and workers.
import type { Dialect } from '../../../src/contract/dialect.ts';
import type { Level } from '../../../src/contract/operation.ts';
import type { ConfigEnvironment } from '../actors/config-environment.ts';

export interface ActorRecord {
  /** 13 letters and digits, unique across all tenants. @see docs/http-api.md#actors */
  readonly id: string;
  readonly tenant: string;
  readonly owner: string;
  readonly name: string;
  readonly description: string;
  readonly image: string;
  readonly stateless: boolean;
  /** How messages, state and context reach the actor's executions, fixed at registration. `modern` if absent. */
  readonly dialect?: Dialect;
  readonly status: 'SUBMITTED' | 'READY' | 'ERROR' | 'SHUTTING_DOWN';
  readonly statusMessage: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Variables whose values are read from configs when an execution starts. Absent if there are none. */
  readonly configEnvironment?: ConfigEnvironment;
  /** Variables that any sender may set: names, and prefixes that end in `*`. Absent if there are none. */
  readonly senderVariables?: readonly string[];
  readonly hints: readonly string[];
  readonly type: string;
  readonly token: boolean;
  /** True if logs show the secret configs that executions received. Otherwise absent: they are masked. */
  readonly showSecrets?: true;
  readonly queue: string;
  readonly privileged: boolean;
  readonly useContainerUid: boolean;
  readonly maxWorkers?: number;
  /** Number of workers that an admin wants ready, idle or not. If absent, as many as the waiting messages need. */
  readonly wantedWorkers?: number;
  readonly memLimit?: string;
  readonly maxCpus?: number;
  /** Constraints on the cluster node that runs the executions, like `node.labels.gpu==true`. If absent, any node. */
  readonly placement?: readonly string[];
  readonly logEx?: number;
  /** Run time limit in seconds. */
  readonly maxRunTime?: number;
  /** Linked actor as an id or alias, as given. Absent without a link. Resolved whenever an event occurs. */
  readonly link?: string;
  /** User who set the link. Events are passed on only while this user holds EXECUTE on the linked actor. */
  readonly linkSetBy?: string;
  /** Webhook URL. Absent without a webhook. */
  readonly webhook?: string;
  readonly cron?: CronPlan;
  readonly revision: number;
  /** Version of the description. Absent until the first update, which sets it to 2. */
  readonly version?: number;
  /** Level by username (or ABACO_WORLD), including the owner's own entry. */
  readonly permissions: Readonly<Record<string, Level>>;
  /** Number of consecutive failed container starts. The sixth sets the status ERROR. */
  readonly startFailures: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface CronPlan {
  /** Schedule as given: Abaco's interval form or five cron fields. */
  readonly schedule: string;
  readonly on: boolean;
  /** IANA time zone name. Only with five cron fields. */
  readonly timeZone?: string;
  /** Text of the scheduled messages. If absent, a fixed text is used. */
  readonly message?: string;
  /** The time that `now` in the schedule means. */
  readonly startAt?: number;
  /** Time of the next run. Absent while the schedule is off, and if no run is left. */
  readonly nextAt?: number;
}

export interface CronRun {
  readonly scheduledAt: number;
  /** Number of earlier scheduled times without a run, because the daemon was down or the mailbox full. */
  readonly missed: number;
}

/** A waiting message. It is deleted when a worker claims its execution. */
export interface MessageRecord {
  readonly executionId: string;
  readonly actorId: string;
  readonly tenant: string;
  /** Sequence number of arrival within the instance. */
  readonly sequence: number;
  readonly contentType: 'str' | 'application/json' | 'application/octet-stream';
  /** Plain text or JSON text, as sent. Null if the body is in a file. */
  readonly text: string | null;
  /** Name of the body's file in the folder `bodies`. Null if the body is in `text`. */
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
  /** The execution whose event was sent as the message, along a link or by a webhook. */
  readonly eventOf?: string;
  /** Scheduled time of the actor's own schedule. */
  readonly scheduledAt?: number;
}

/** A received message, stored so that it can be sent again. */
export type KeptMessage = Pick<MessageRecord, 'contentType' | 'variables'> & { readonly text: string };

/** The beginning of a received message. It is not sent again. */
export type MessageExcerpt = Pick<MessageRecord, 'contentType' | 'variables' | 'size'> & {
  /** In base64 if the message is binary. */
  readonly text: string;
};

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
  /** The message, for sending it again. Absent if it is longer than the limit. */
  readonly message?: KeptMessage;
  /** The message of a link or a schedule, or the beginning of any other that `message` does not have. */
  readonly excerpt?: MessageExcerpt;
  /** The execution whose message was sent again. */
  readonly rerunOf?: string;
  /** Revision of the actor that received the message. Absent in records of earlier versions. */
  readonly actorRevision?: number;
  /** The `missed` of the actor's own schedule, which sent the message. */
  readonly missed?: number;
  /** The idempotency key of the sender, which prevents accepting the same message twice. */
  readonly idempotency?: {
    /** Actor, sender, nonce (if any) and key, joined. */
    readonly key: string;
    /** SHA-256 of the message sent under this key. */
    readonly digest: string;
  };
  readonly workerId?: string;
  /** The executor's name for the run: a container id or a run folder. Set at the claim, before anything starts. */
  readonly runRef?: string;
  /** Version of the state that the run of a stateful actor received. 0 if there was none yet. */
  readonly stateVersion?: number;
  /** The engine's id of the image that ran. Known after the end. Absent for a folder. */
  readonly imageId?: string;
  /** What the container engine does not enforce or provide for the run. */
  readonly warnings?: readonly string[];
  /** Name of the cluster node that ran the execution. Absent if it was this machine. Stored soon after the start. */
  readonly node?: string;
  /** While it runs: the secret configs that it received and that its log hides, sealed. */
  readonly secrets?: string;
  /** A requested halt or an exceeded time limit, stored so that it survives a crash. */
  readonly stopping?: 'halted' | 'timed_out';
  /** Start time. While the execution runs, it is the claim time; after the end, the executor's own start time. */
  readonly startedAt?: number;
  readonly finishedAt?: number;
  /**
   * Run time in ms on the machine's clock, 0 until the end. Present only if the instance's clock is virtual; otherwise
   * the two times above give the run time.
   */
  readonly ranMs?: number;
  readonly exitCode?: number;
  /** The last line of stderr of a run with another exit code than 0, shortened, and masked as its log is. */
  readonly lastStderr?: string;
  /** Why the event of its end did not reach the linked actor. */
  readonly linkProblem?: string;
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
