// What apply does with an alias of a project.

import type { CurrentState } from './current-state.ts';
import type { DesiredAlias, Thing } from './desired-state.ts';
import { textOf } from './plan-actor.ts';
import { planGrants } from './plan-grants.ts';
import type { Change, Step, Task } from './tasks.ts';

export const planAlias = ({ alias, target, permissions }: DesiredAlias, present: CurrentState): Step => {
  const thing: Thing = { kind: 'alias', name: alias };
  const found = present.aliases.get(alias);
  const recorded = present.record.aliases[alias];
  const from = found?.alias.actorId;
  const to = textOf(target, present);
  const moves = found !== undefined && (to === undefined || to !== from);
  const grants = planGrants(
    thing,
    permissions,
    recorded?.users ?? [],
    found?.permissions ?? {},
    found?.alias.owner ?? present.user,
  );
  const point: readonly Task[] =
    from === undefined
      ? [{ do: 'create-alias', alias, target }]
      : moves
        ? [{ do: 'point-alias', alias, target, from }]
        : [];
  const tasks = [...point, ...grants.tasks];
  const formatTarget = target.kind === 'outside' ? (present.names.get(target.name) ?? target.name) : target.name;
  const moved: readonly Change[] = moves
    ? [{ field: 'actor', ...(from !== undefined && { before: present.names.get(from) ?? from }), after: formatTarget }]
    : [];
  return {
    ...thing,
    action: found === undefined ? 'create' : tasks.length > 0 ? 'update' : 'unchanged',
    changes:
      found === undefined
        ? [{ field: 'actor', after: formatTarget }, ...grants.changes]
        : [...moved, ...grants.changes],
    tasks,
    recorded: { alias: { users: grants.users } },
  };
};
