// The permissions of the caller on an object of another user.
import type { CommandContext } from '../../context.ts';
import { WORLD } from '../../contract/for-client.ts';
import { ifFound } from '../framework/if-found.ts';
import type { Held } from './plan/current-state.ts';
import type { Permissions, Thing } from './plan/desired-state.ts';

/** An existing object. The name of an actor is its id. */
export interface Holder extends Thing {
  readonly owner: string;
}

type Asker = Pick<CommandContext, 'call'>;

const listOf = ({ call }: Asker, { kind, name }: Thing): Promise<Permissions> => {
  if (kind === 'actor') return call('permissions.list', { params: { actorId: name } });
  if (kind === 'alias') return call('alias-permissions.list', { params: { alias: name } });
  return call('config-permissions.list', { params: { configName: name } });
};

/** True if a user may update an object, by level or role. Undefined if the service does not return it. */
const allowed = async ({ call }: Asker, { kind, name }: Thing, username: string): Promise<boolean | undefined> => {
  const query = { level: 'UPDATE' };
  const verdict = await ifFound(
    kind === 'actor'
      ? call('permissions.can', { params: { actorId: name, username }, query })
      : kind === 'alias'
        ? call('alias-permissions.can', { params: { alias: name, username }, query })
        : call('config-permissions.can', { params: { configName: name, username }, query }),
  );
  return verdict?.allowed;
};

/** Reads the permissions of the caller on an object. @param withLevels true to read the levels of all users as well */
export const holdsOf =
  (context: Asker, user: string) =>
  async (thing: Holder, withLevels: boolean): Promise<Held> => {
    const permissions = withLevels ? await listOf(context, thing) : {};
    const { owner } = thing;
    if (owner === user) return { mayUpdate: true, permissions, owner };
    const told = await allowed(context, thing, user);
    if (told !== undefined) return { mayUpdate: told, permissions, owner };
    const levels = await listOf(context, thing);
    return { mayUpdate: levels[user] === 'UPDATE' || levels[WORLD] === 'UPDATE', permissions, owner };
  };
