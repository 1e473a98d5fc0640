// The state of a project at the service, as read at one time.
import type { Config } from '../../configs/configs-view.ts';
import type { Actor, Alias } from '../../framework/views.ts';
import type { Permissions } from './desired-state.ts';
import type { ProjectRecord } from './record.ts';

/** The permissions of the caller on an object, and the levels of other users that were read. */
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
  /** True if the secret in the file and the stored secret have the same digest. */
  readonly sameSecret?: boolean;
}

export interface SharedConfig extends Omit<Held, 'permissions'> {
  readonly actors: readonly string[];
}

export interface CurrentState {
  readonly record: ProjectRecord;
  /** Revision of the record. Absent if there is no record yet. */
  readonly revision?: number;
  readonly owner?: string;
  readonly recordedAt?: string;
  /** The actors of the project, by their name in the file or, if the file does not have them, in the record. */
  readonly actors: ReadonlyMap<string, CurrentActor>;
  readonly aliases: ReadonlyMap<string, CurrentAlias>;
  readonly configs: ReadonlyMap<string, CurrentConfig>;
  /** Owner of the objects that the caller creates. */
  readonly user: string;
  readonly names: ReadonlyMap<string, string>;
  /** Digests of the secrets in the file, by config name. */
  readonly digests: ReadonlyMap<string, string>;
  /** Configs outside the project that are shared with an actor of the file or of the record. */
  readonly shared: ReadonlyMap<string, SharedConfig>;
}
