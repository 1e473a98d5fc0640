// Rules for the names of aliases. The contract checks their characters and length.
import { Failure } from '../failure.ts';

/** Reserved words: path segments of the API, and names that Abaco refuses. @see docs/http-api.md#aliases-and-names */
const RESERVED: ReadonlySet<string> = new Set([
  'adapters',
  'admin',
  'aliases',
  'configs',
  'cron',
  'deliveries',
  'events',
  'executions',
  'logs',
  'messages',
  'metrics',
  'nonces',
  'permissions',
  'search',
  'state',
  'utilization',
  'workers',
]);

/** True if a name has the form of an actor id. Aliases must not have it. */
export const hasIdForm = (name: string): boolean => /^[A-Za-z][A-Za-z0-9]{12}$/.test(name);

/**
 * Why an alias cannot have this name, as the end of a sentence. Undefined if the name is allowed. A name in the form of
 * an actor id is always refused, even if no such actor exists. The refusal thus reveals nothing about other tenants,
 * and no alias can receive messages meant for a deleted actor.
 * @see docs/conformance/security.md R124, R131
 */
export const aliasFault = (name: string): string | undefined => {
  if (RESERVED.has(name)) return `must not be "${name}": this word is reserved`;
  if (name.includes('..')) return 'must not contain two dots in a row';
  if (hasIdForm(name)) {
    return 'looks like the id of an actor (13 letters and digits); choose a shorter or longer name, or add a dash';
  }
  return undefined;
};

export const demandAliasName = (name: string): void => {
  const fault = aliasFault(name);
  if (fault !== undefined) throw new Failure('VALIDATION', `alias ${fault}.`, { field: 'alias' });
};
