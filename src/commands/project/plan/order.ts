// The order in which the things of a project are made: each after those that it names.
import { CliFailure } from '../../../failure.ts';
import { type DesiredState, formatThing, type Target, type Thing } from './desired-state.ts';

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
 * The things of a project, each after those that it names, else in the order of the file. Links lead from an actor that
 * is made later to one that is made earlier, so no order of requests closes a loop that the file does not have.
 * @throws CliFailure LINK_CYCLE naming the things of a loop
 */
export const orderOf = (wanted: DesiredState): readonly Thing[] => {
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
