// The plan of apply: the steps from the state of the service to the desired state of the file. Planning sends no
// request.
import { CliFailure } from '../../../failure.ts';
import type { CurrentState, Held } from './current-state.ts';
import {
  type BuiltNow,
  type DesiredAlias,
  type DesiredState,
  formatThing,
  type Target,
  type Thing,
} from './desired-state.ts';
import { planActor, textOf } from './plan-actor.ts';
import { planConfig } from './plan-config.ts';
import { planGrants } from './plan-grants.ts';
import type { Change, Step, Task } from './tasks.ts';

const planAlias = ({ alias, target, permissions }: DesiredAlias, present: CurrentState): Step => {
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

interface Node extends Thing {
  readonly at: string;
  readonly needs: readonly Thing[];
}

const needOf = (target: Target | 'none' | undefined): readonly Thing[] =>
  target === undefined || target === 'none' || target.kind === 'outside'
    ? []
    : [{ kind: target.kind, name: target.name }];

const nodesOf = ({ actors, aliases, configs }: DesiredState): readonly Node[] => [
  ...actors.map(({ key, at, link }): Node => ({ kind: 'actor', name: key, at, needs: needOf(link) })),
  ...aliases.map(({ alias, at, target }): Node => ({ kind: 'alias', name: alias, at, needs: needOf(target) })),
  ...configs.map(({ name, at, actors: shared }): Node => ({ kind: 'config', name, at, needs: shared.flatMap(needOf) })),
];

/**
 * Sorts the objects of a project: each after the objects that it refers to, otherwise in the order of the file. A
 * link always points to an actor that is created earlier, so the requests never close a loop that the file does not
 * contain.
 * @throws CliFailure LINK_CYCLE with the objects of the loop
 */
const orderOf = (wanted: DesiredState): readonly Thing[] => {
  const nodes = new Map(nodesOf(wanted).map((node) => [formatThing(node), node]));
  const done = new Set<string>();
  const order: Thing[] = [];
  const visit = (id: string, way: readonly string[]): void => {
    const node = nodes.get(id);
    if (node === undefined || done.has(id)) return;
    if (way.includes(id)) {
      const loop = [...way.slice(way.indexOf(id)), id].map((each) => nodes.get(each)?.name ?? each);
      throw new CliFailure('LINK_CYCLE', `${node.at}: the links close a loop: ${loop.join(' -> ')}`, {
        hint: 'remove one of these links',
        details: { loop },
      });
    }
    for (const need of node.needs) visit(formatThing(need), [...way, id]);
    done.add(id);
    order.push({ kind: node.kind, name: node.name });
  };
  for (const id of nodes.keys()) visit(id, []);
  return order;
};

export interface Plan {
  /** The steps in the order of their execution, including steps that change nothing. */
  readonly steps: readonly Step[];
  /** Objects of the project that are not in the file. They stay unchanged. */
  readonly left: readonly Thing[];
  /** Entries of the record whose object no longer exists. */
  readonly gone: readonly Thing[];
}

/** All objects in the record, in the order in which they must be deleted: configs, aliases, actors. */
const recordedThings = ({ record }: CurrentState): readonly Thing[] => [
  ...Object.keys(record.configs).map((name): Thing => ({ kind: 'config', name })),
  ...Object.keys(record.aliases).map((name): Thing => ({ kind: 'alias', name })),
  ...Object.keys(record.actors)
    .toReversed()
    .map((name): Thing => ({ kind: 'actor', name })),
];

const heldOf = ({ kind, name }: Thing, present: CurrentState): Held | undefined =>
  ({ actor: present.actors, alias: present.aliases, config: present.configs })[kind].get(name);

const deletion = (thing: Thing, present: CurrentState, force: boolean): Step => {
  const id = thing.kind === 'actor' ? present.actors.get(thing.name)?.actor.id : undefined;
  const { kind, name } = thing;
  return {
    ...thing,
    ...(id !== undefined && { id }),
    action: 'delete',
    changes: [],
    tasks: [
      kind === 'actor'
        ? { do: 'delete-actor', id: id ?? '', force }
        : kind === 'alias'
          ? { do: 'delete-alias', alias: name }
          : { do: 'delete-config', name },
    ],
    recorded: 'gone',
  };
};

type Changed = readonly [thing: Thing, held: Pick<Held, 'mayUpdate' | 'owner'> | undefined];

/** The objects that a step changes: its own object, and configs outside the project whose actor list changes. */
const changedBy = (step: Step, present: CurrentState): readonly Changed[] => {
  if (step.tasks.length === 0) return [];
  const shares = step.tasks.flatMap((task) => (task.do === 'share' || task.do === 'unshare' ? [task.config] : []));
  return [
    [step, heldOf(step, present)],
    ...shares.map((name): Changed => [{ kind: 'config', name }, present.shared.get(name)]),
  ];
};

/** @throws CliFailure FORBIDDEN naming all objects that the caller may not change; nothing was changed yet */
const refuseForeign = (steps: readonly Step[], present: CurrentState): void => {
  const changed = steps.flatMap((step) => changedBy(step, present));
  const foreign = new Map(
    changed.flatMap(([thing, held]) =>
      held?.mayUpdate === false ? [[formatThing(thing), { ...thing, ...held }]] : [],
    ),
  );
  if (foreign.size === 0) return;
  const names = [...foreign.values()].map(({ kind, name, owner }) => `${kind} "${name}" of ${owner}`);
  throw new CliFailure('FORBIDDEN', `you may not change ${names.join(', ')}; nothing was changed`, {
    hint: 'ask the owner for UPDATE: actorctl permissions list TARGET shows who has it',
    details: { forbidden: [...foreign.keys()] },
  });
};

/**
 * @throws CliFailure FORBIDDEN naming the objects that the project would take over from other users, and later
 * delete
 */
const refuseTaking = (made: readonly Step[], present: CurrentState): void => {
  const recorded = new Set(recordedThings(present).map(formatThing));
  const taken = made.filter((step) => {
    const held = heldOf(step, present);
    return held !== undefined && held.owner !== present.user && !recorded.has(formatThing(step));
  });
  if (taken.length === 0) return;
  const names = taken.map((step) => `${step.kind} "${step.name}" of ${heldOf(step, present)?.owner}`);
  throw new CliFailure('FORBIDDEN', `a project cannot take over ${names.join(', ')}; nothing was changed`, {
    hint: 'a project can take over only objects that you own: use another name in the file',
    details: { forbidden: taken.map(formatThing) },
  });
};

/**
 * Plans the steps of apply.
 * @param wishes `prune`: delete objects of the project that are not in the file. `images`: images built in this run,
 * by the actors that use them
 * @throws CliFailure LINK_CYCLE, USAGE for a field that cannot change, FORBIDDEN for an object that the caller may
 * not change, or that neither the caller owns nor the project contains
 */
export const planApply = (
  wanted: DesiredState,
  present: CurrentState,
  { prune, images }: { readonly prune: boolean; readonly images: ReadonlyMap<string, BuiltNow> },
): Plan => {
  const actors = new Map(wanted.actors.map((each) => [each.key, each]));
  const aliases = new Map(wanted.aliases.map((each) => [each.alias, each]));
  const configs = new Map(wanted.configs.map((each) => [each.name, each]));
  const made = orderOf(wanted).flatMap(({ kind, name }): readonly Step[] => {
    const [actor, alias, config] = [actors.get(name), aliases.get(name), configs.get(name)];
    if (kind === 'actor' && actor !== undefined) return [planActor(actor, present, images.get(name))];
    if (kind === 'alias' && alias !== undefined) return [planAlias(alias, present)];
    return kind === 'config' && config !== undefined ? [planConfig(config, present)] : [];
  });
  const inFile = new Set(made.map(formatThing));
  const others = recordedThings(present).filter((thing) => !inFile.has(formatThing(thing)));
  const gone = others.filter((thing) => heldOf(thing, present) === undefined);
  const kept = others.filter((thing) => heldOf(thing, present) !== undefined);
  const steps = [...made, ...(prune ? kept.map((thing) => deletion(thing, present, false)) : [])];
  refuseForeign(steps, present);
  refuseTaking(made, present);
  return { steps, left: prune ? [] : kept, gone };
};

/** @param force true to delete actors whose executions run */
export const planDelete = (present: CurrentState, force: boolean): Plan => {
  const things = recordedThings(present);
  const steps = things
    .filter((thing) => heldOf(thing, present) !== undefined)
    .map((thing) => deletion(thing, present, force));
  refuseForeign(steps, present);
  return { steps, left: [], gone: things.filter((thing) => heldOf(thing, present) === undefined) };
};

export const changingSteps = ({ steps }: Plan): readonly Step[] => steps.filter(({ action }) => action !== 'unchanged');
