// What the actor service is built from; main hands it over once.
import type { Bodies } from '../ports/bodies.ts';
import type { Clock } from '../ports/clock.ts';
import type { Engine } from '../ports/engine.ts';
import type { Ids } from '../ports/ids.ts';
import type { Logger } from '../ports/logger.ts';
import type { Logs } from '../ports/logs.ts';
import type { Seal } from '../ports/seal.ts';
import type { Store } from '../ports/store.ts';
import type { Vault } from '../ports/vault.ts';
import type { Quotas } from './quotas.ts';
import type { ResultQueues } from './results/service.ts';

export interface ActorsDependencies {
  readonly store: Store;
  readonly engine: Engine;
  readonly logs: Logs;
  readonly bodies: Bodies;
  readonly results: ResultQueues;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly vault: Vault;
  readonly logger: Logger;
  /** The origin under which clients reach the daemon, without a slash at its end; known once the daemon listens. */
  readonly baseUrl: () => string;
  /** Messages that may wait for one actor; has a default. */
  readonly queueLimit?: number;
  /** Bytes of one message; MESSAGE_LIMIT when left out. */
  readonly messageLimit?: number;
  /** Bytes of one state; STATE_LIMIT when left out. */
  readonly stateLimit?: number;
  /** Most that one user may own; what is left out has a default. */
  readonly quotas?: Partial<Quotas>;
}
