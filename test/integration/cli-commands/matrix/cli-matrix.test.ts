// The matrix of commands: every command in every situation. A command without a row fails, and so does a row without a
// command.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalog } from '../../../../src/commands/framework/catalog.ts';
import { type Leaf, loadLeaves, loadNode } from '../../../../src/commands/framework/command.ts';
import { actorRowsAll } from '../../../support/commands/actor-rows.ts';
import { cellsOf } from '../../../support/commands/cells.ts';
import { loginRowsAll } from '../../../support/commands/login-rows.ts';
import { machineRows } from '../../../support/commands/machine-rows.ts';
import type { Rows } from '../../../support/commands/row.ts';
import { serviceRows } from '../../../support/commands/service-rows.ts';
import { createWorld, type World } from '../../../support/commands/world.ts';

const rows: Rows = { ...machineRows, ...loginRowsAll, ...actorRowsAll, ...serviceRows };

const leaves: ReadonlyMap<string, Leaf> = new Map(
  (await Promise.all(catalog.map(async (entry) => loadLeaves(await loadNode(entry)))))
    .flat()
    .map(({ path, leaf }) => [path, leaf]),
);

const usageLine = (path: string): string => {
  const args = Object.entries(leaves.get(path)?.args ?? {}).map(([name, { required, variadic }]) => {
    const label = variadic ? `${name}...` : name;
    return required ? `<${label}>` : `[${label}]`;
  });
  return ['actorctl', path, ...args].join(' ');
};

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.remove());

it('the matrix has a row for every command, and no other rows', () => {
  expect(Object.keys(rows).toSorted()).toEqual([...leaves.keys()].toSorted());
});

describe.each(Object.entries(rows))('%s', (path, row) => {
  it.each(cellsOf(path, usageLine(path), row).map(({ title, check }) => [title, check] as const))(
    '%s',
    (_title, check) => check(world),
  );
});
