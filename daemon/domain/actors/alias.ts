// Which names an alias may have. What they are made of, the contract says.
import { Failure } from '../failure.ts';

/** Words that stand in a path where an alias would, and those that the real service refuses. @see facts 1.8 */
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

/**
 * Why no alias can have that name; undefined when one can.
 * One that looks like an id is refused whether or not there is such an actor: nothing is learnt of other tenants, and nobody
 * can take over what is still sent to the id of an actor that is gone.
 * @see auth.md R124, R131
 */
export const aliasFault = (name: string): string | undefined => {
  if (RESERVED.has(name)) return `must not be ${name}: the word is reserved`;
  if (name.includes('..')) return 'must not contain two dots in a row';
  if (/^[A-Za-z][A-Za-z0-9]{12}$/.test(name)) {
    return 'looks like the id of an actor, which has 13 letters and digits; make it shorter or longer, or put a dash into it';
  }
  return undefined;
};

/** @throws Failure VALIDATION with what is wrong */
export const demandAliasName = (name: string): void => {
  const fault = aliasFault(name);
  if (fault !== undefined) throw new Failure('VALIDATION', `alias ${fault}.`, { field: 'alias' });
};
