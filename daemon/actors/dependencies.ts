// The dependencies of the actor service.
import type { ResultOf } from '../../src/contract/operation.ts';
import type { Operations } from '../../src/contract/operations.ts';
import type { Bodies } from '../ports/bodies.ts';
import type { Clock } from '../ports/clock.ts';
import type { ClockControl } from '../ports/clock-control.ts';
import type { Ids } from '../ports/ids.ts';
import type { Logger } from '../ports/logger.ts';
import type { Logs } from '../ports/logs.ts';
import type { Scheduler } from '../ports/scheduler.ts';
import type { Seal } from '../ports/seal.ts';
import type { Store } from '../ports/store.ts';
import type { Vault } from '../ports/vault.ts';
import type { Quotas } from './quotas.ts';
import type { ResultQueues } from './results/service.ts';

export interface AboutDaemon {
  readonly version: string;
  readonly instance: string;
  /** Time in ms since the epoch. */
  readonly startedAt: number;
  /** Undefined if unknown. */
  readonly disk: () => Promise<{ readonly freeBytes: number; readonly totalBytes: number } | undefined>;
}

export type EngineImages = ResultOf<Operations['admin.images']>;
export type FolderListing = ResultOf<Operations['admin.folders']>;
export type Example = ResultOf<Operations['admin.example']>;

/** What new actors can be made from on the machine of the daemon. */
export interface Sources {
  /** The named images of the container engine, newest first. An engine that does not respond is part of the result. */
  images(signal: AbortSignal): Promise<EngineImages>;
  /**
   * The folders in one folder. @param path absolute; the home folder if absent. @throws Failure VALIDATION, NOT_FOUND
   */
  folders(path: string | undefined): Promise<FolderListing>;
  /** Makes the folder of the example exist, durably. */
  writeExample(): Promise<Example>;
}

export interface ActorsDependencies {
  readonly about: AboutDaemon;
  readonly store: Store;
  readonly scheduler: Scheduler;
  readonly sources: Sources;
  readonly logs: Logs;
  readonly bodies: Bodies;
  readonly results: ResultQueues;
  readonly seal: Seal;
  readonly clock: Clock;
  /** Present if `clock` is virtual. `machine` is the clock of the machine. */
  readonly virtual?: { readonly control: ClockControl; readonly machine: Clock };
  readonly ids: Ids;
  readonly vault: Vault;
  readonly logger: Logger;
  /** Base URL without a trailing slash. Available once the daemon listens. */
  readonly baseUrl: () => string;
  /** Maximum number of messages waiting for one actor. */
  readonly queueLimit?: number;
  /** Maximum total bytes of the messages waiting for one actor. */
  readonly mailboxLimit?: number;
  /** Maximum bytes of one message. MESSAGE_LIMIT by default. */
  readonly messageLimit?: number;
  /** Maximum bytes of one state. STATE_LIMIT by default. */
  readonly stateLimit?: number;
  /** Why a valid URL can never receive webhooks of this daemon. Undefined if it may. */
  readonly webhookAddressFault?: (url: string) => string | undefined;
  /** Maximum number of objects that one user may own, by kind. Kinds that are left out use the default. */
  readonly quotas?: Partial<Quotas>;
}
