// `apply --ndjson`: a line for each step.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ProjectHome, projectHome } from '../../support/commands/project-home.ts';

let projects: ProjectHome;
beforeAll(async () => {
  projects = await projectHome();
});
afterAll(() => projects.home.remove());

it('apply prints a line for each step with --ndjson, and the result as the last one', async () => {
  const own = projects.begin();
  own.write(own.three());
  const { code, stdout } = await own.run(['apply', '--ndjson']);
  expect(code).toBe(0);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.slice(0, -1).map(({ type, kind, action }) => [type, kind, action])).toEqual([
    ['step', 'actor', 'created'],
    ['step', 'alias', 'created'],
    ['step', 'actor', 'created'],
    ['step', 'actor', 'created'],
    ['step', 'config', 'created'],
  ]);
  expect(lines.at(-1)).toMatchObject({ project: own.name, steps: expect.any(Array) });
  // The other formats print the result only.
  expect(JSON.parse((await own.run(['apply', '--json'])).stdout)).toMatchObject({ project: own.name });
});
