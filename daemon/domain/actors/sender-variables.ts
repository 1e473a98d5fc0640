// Decides which variables of a message reach the execution. @see docs/http-api.md#messages, docs/conformance/security.md R137
import type { ActorRecord } from '../records/actor-records.ts';
import { isClosedToSenders, isReservedVariable, steersExecution } from './variable-name.ts';

type Variables = Readonly<Record<string, string>>;

export interface PermittedVariables {
  readonly variables: Variables;
  /** Names that were sent but are not set, in the order in which they were sent. */
  readonly ignored: readonly string[];
}

/** Suffix of an entry that permits all names with a prefix. */
const PREFIX_END = '*';

const nameOf = (entry: string): string => (entry.endsWith(PREFIX_END) ? entry.slice(0, -1) : entry);

const permits = (entry: string, name: string): boolean =>
  entry === name || (entry.endsWith(PREFIX_END) && name.startsWith(nameOf(entry)) && !steersExecution(name));

type Declarations = Pick<ActorRecord, 'senderVariables'>;

/**
 * True if the owner declared the name in `senderVariables`. A name that affects which code runs must be declared
 * exactly, without a prefix entry. A default in `default_environment` is no declaration, because programs react to more
 * names than any list can contain.
 */
const isDeclared = ({ senderVariables = [] }: Declarations, name: string): boolean =>
  senderVariables.some((entry) => permits(entry, name));

/**
 * Selects the variables that are set.
 * @param any whether the sender may set names that the owner did not declare; names that are closed to senders are
 * never set
 */
export const permittedVariables = (actor: Declarations, sent: Variables, any: boolean): PermittedVariables => {
  const entries = Object.entries(sent);
  const isPermitted = ([name]: readonly [string, string]): boolean =>
    !isClosedToSenders(name) && (any || isDeclared(actor, name));
  return {
    variables: Object.fromEntries(entries.filter(isPermitted)),
    ignored: entries.filter((entry) => !isPermitted(entry)).map(([name]) => name),
  };
};

/**
 * Why the owner cannot declare these entries. Undefined if all are allowed. The text continues the name of the field.
 */
export const declarationFault = (entries: readonly string[]): string | undefined => {
  const closed = entries.find((entry) => isClosedToSenders(nameOf(entry)));
  if (closed === undefined) return undefined;
  const why = isReservedVariable(nameOf(closed)) ? 'the platform sets it' : 'no sender can set it';
  return `must not contain ${closed}: ${why}`;
};
