// What the service has of a project, as one look at it found.
import type { Config } from '../../configs/configs-view.ts';
import type { Actor, Alias } from '../../framework/views.ts';
import type { Permissions } from './desired-state.ts';
import type { ProjectRecord } from './record.ts';

/** What the caller may do with a thing, and the levels of other users that were read. */
export interface Held {
  readonly mayUpdate: boolean;
  readonly owner: string;
  readonly permissions: Permissions;
}

export interface CurrentActor extends Held {
  readonly actor: Actor;
}

export interface CurrentAlias extends Held {
  readonly alias: Alias;
}

export interface CurrentConfig extends Held {
  readonly config: Config;
  /** The unchanged JSON text of the value. */
  readonly valueText: string;
  /** The digest of the wanted secret is that of the stored one. */
  readonly sameSecret?: boolean;
}

export interface SharedConfig extends Omit<Held, 'permissions'> {
  readonly actors: readonly string[];
}

export interface CurrentState {
  readonly record: ProjectRecord;
  /** Revision of the record. Absent: there is none yet. */
  readonly revision?: number;
  readonly owner?: string;
  readonly recordedAt?: string;
  /** By the name in the file, or in the record. */
  readonly actors: ReadonlyMap<string, CurrentActor>;
  readonly aliases: ReadonlyMap<string, CurrentAlias>;
  readonly configs: ReadonlyMap<string, CurrentConfig>;
  /** Owner of the things that the caller makes. */
  readonly user: string;
  readonly names: ReadonlyMap<string, string>;
  /** Digests of the wanted secrets, by the name of their config. */
  readonly digests: ReadonlyMap<string, string>;
  /** Configs outside the project that an actor of the file or of the record gets. */
  readonly shared: ReadonlyMap<string, SharedConfig>;
}
