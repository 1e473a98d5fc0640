// The public types of `actorctl/testing`. The build copies this file into the declarations of the package, so it uses no
// other type of this repository than those of the client.
import type { CallOptions, Client, Settlement, StreamedEvent } from './client.ts';

export interface PlatformOptions {
  /** Project file to apply, or its folder. Absent: an empty instance. */
  readonly project?: string;
  /** `virtual`, or the instant at which a virtual clock begins. Absent: the clock of the machine. */
  readonly clock?: 'virtual' | Date;
  /** Archive of `actorctl backup` with the initial data. */
  readonly import?: string;
  /** URL that receives the events of all actors with a webhook. Absent: webhooks are left out. */
  readonly webhook?: string;
  readonly engine?: 'docker' | 'swarm';
  readonly dockerHost?: string;
  /** Ends everything that waits. `close` works even afterwards. */
  readonly signal?: AbortSignal;
}

export interface RunOptions extends CallOptions {
  /** False to return a failed execution instead of rejecting. */
  readonly check?: boolean;
  /** Time limit in milliseconds. Default: 10 minutes. */
  readonly timeoutMs?: number;
}

export interface Run {
  readonly executionId: string;
  readonly status: string;
  readonly exitCode: number | undefined;
  readonly log: string;
  /** The results, in the order of their addition. */
  readonly results: readonly Uint8Array[];
  /** The first result as JSON, or the log if there is no result. */
  readonly json: () => unknown;
}

export interface ExecutionRow {
  readonly id: string;
  readonly status: string;
  readonly exitCode?: number;
  /** Why it ended: `exited`, `halted`, `timed_out`, `out_of_memory` or `out_of_disk`. */
  readonly reason?: string;
  /** Times in ISO 8601. Null: not yet. */
  readonly messageReceivedTime: string | null;
  readonly startTime: string | null;
  readonly finishTime: string | null;
  readonly runtimeMs?: number;
}

export interface Platform extends AsyncDisposable {
  readonly baseUrl: string;
  /** Access token of the admin. It is valid as long as the platform. */
  readonly token: string;
  /** Variables for programs that use the platform, such as `actorctl`. */
  readonly env: Readonly<Record<string, string>>;
  /** All operations, as the admin. */
  readonly client: Client;
  /**
   * Sends a message and waits until its execution has ended. Rejects with the log if it failed.
   * @param actor name in the project, name, alias or id
   * @param message text, bytes, or any other value as JSON
   */
  readonly run: (actor: string, message: unknown, options?: RunOptions) => Promise<Run>;
  /** The state of an actor. */
  readonly state: (actor: string) => Promise<unknown>;
  /** The executions of an actor, newest first. */
  readonly executions: (actor: string) => Promise<readonly ExecutionRow[]>;
  /** The events since the start or the last reset, and then those that follow. */
  readonly events: (options?: CallOptions) => AsyncGenerator<StreamedEvent, void, void>;
  /** Waits until everything that was sent so far has ended, with all of its effects. */
  readonly settled: (options?: { readonly timeoutMs?: number }) => Promise<Settlement>;
  readonly clock: {
    readonly now: () => Promise<Date>;
    /** Moves the virtual clock by a duration like `90s`, `1d` or `1mo`, and waits until everything has settled. */
    readonly advance: (duration: string) => Promise<Settlement>;
  };
  /** Deletes all actors, aliases and configs with their data, and applies the project again without a build. */
  readonly reset: () => Promise<void>;
  /** Removes the platform with everything that belongs to it. */
  readonly close: () => Promise<void>;
}
