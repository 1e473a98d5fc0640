// The requests of a plan step, as data.

import type { Level } from '../../../contract/operation.ts';
import type { Description } from '../../../local/project/actor-values.ts';
import type { Target, Thing } from './desired-state.ts';
import type { ActorRecord, AliasRecord, ConfigRecord } from './record.ts';

/** One request. An actor is named by its name in the file, because a new one has no id yet. */
export type Task =
  | { readonly do: 'create-actor'; readonly key: string; readonly body: Description; readonly link?: Target }
  | {
      readonly do: 'update-actor';
      readonly key: string;
      readonly version: number;
      readonly body: Description;
      readonly link?: Target;
    }
  | { readonly do: 'delete-actor'; readonly id: string; readonly force: boolean }
  | { readonly do: 'create-alias'; readonly alias: string; readonly target: Target }
  | { readonly do: 'point-alias'; readonly alias: string; readonly target: Target; readonly from: string }
  | { readonly do: 'delete-alias'; readonly alias: string }
  | {
      readonly do: 'write-config';
      readonly name: string;
      /** Revision that the config must have. Absent if the config is new. */
      readonly revision?: number;
      readonly secret: boolean;
      readonly text: string;
      readonly actors: readonly Target[];
    }
  | { readonly do: 'delete-config'; readonly name: string }
  | { readonly do: 'grant'; readonly on: Thing; readonly user: string; readonly level: Level }
  | { readonly do: 'share'; readonly config: string; readonly key: string }
  | { readonly do: 'unshare'; readonly config: string; readonly key: string };

/** A changed field, for people and scripts. The value of a secret is shown as its digest. */
export interface Change {
  readonly field: string;
  readonly before?: string;
  readonly after?: string;
}

/** The entry in the record after a step. `gone`: the entry is removed. */
export type Recorded =
  | { readonly actor: Omit<ActorRecord, 'id'> }
  | { readonly alias: AliasRecord }
  | { readonly config: ConfigRecord }
  | 'gone';

export interface Step extends Thing {
  readonly action: 'create' | 'update' | 'unchanged' | 'delete';
  readonly id?: string;
  readonly changes: readonly Change[];
  readonly tasks: readonly Task[];
  readonly recorded: Recorded;
}
