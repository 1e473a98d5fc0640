// The desired state of a project file, with names in place of ids. @see docs/projects.md#the-project-file

import type { Level } from '../../../contract/operation.ts';
import type { Description } from '../../../local/project/actor-values.ts';
import type { FixedFields } from '../../actors/actor-description.ts';
import type { BuiltRecord } from './record.ts';

/** A reference to an actor: an actor or alias of the project, or an actor outside it. */
export type Target =
  | { readonly kind: 'actor'; readonly name: string }
  | { readonly kind: 'alias'; readonly name: string }
  /** The id or alias, as sent to the service. */
  | { readonly kind: 'outside'; readonly name: string };

export type Permissions = Readonly<Record<string, Level>>;

export interface DesiredActor {
  /** The name in the file. */
  readonly key: string;
  /** The name at the service. */
  readonly name: string;
  /** Fields that the file mentions, with the field names of the service, except the link. */
  readonly description: Description;
  readonly fixed: FixedFields;
  readonly state?: Readonly<Record<string, unknown>>;
  /** `none`: the file sets an empty link. Absent: the file does not mention a link. */
  readonly link?: Target | 'none';
  readonly permissions: Permissions;
  readonly shares: readonly string[];
  /** Place in the file, for messages. */
  readonly at: string;
}

export interface DesiredAlias {
  readonly alias: string;
  readonly target: Target;
  readonly permissions: Permissions;
  readonly at: string;
}

/** The value of a config as JSON text. `keep`: a secret that stays unchanged. */
export type DesiredValue = { readonly secret: boolean; readonly text: string } | 'keep';

export interface DesiredConfig {
  readonly name: string;
  readonly value: DesiredValue;
  readonly actors: readonly Target[];
  readonly permissions: Permissions;
  readonly at: string;
}

/** The image of an actor that this run has built. */
export interface BuiltNow extends BuiltRecord {
  /** True if the image name referred to other content before the build. */
  readonly isNew: boolean;
}

export interface DesiredState {
  readonly project: string;
  readonly actors: readonly DesiredActor[];
  readonly aliases: readonly DesiredAlias[];
  readonly configs: readonly DesiredConfig[];
}

/** An actor, alias or config of a project. An actor has its name in the file. */
export interface Thing {
  readonly kind: 'actor' | 'alias' | 'config';
  readonly name: string;
}

/** `actor hook` */
export const formatThing = ({ kind, name }: Thing): string => `${kind} ${name}`;
