// `prune`: says what it would free, asks, and deletes what is old.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';
import { shellActor } from '../../support/daemon/shell-actor.ts';

interface Pruned {
  readonly executions: { readonly count: number; readonly bytes: number };
  readonly events: { readonly count: number };
  readonly images: readonly unknown[];
  readonly bytes: number;
}

let home: Home;

beforeAll(async () => {
  home = inProcessHome(NO_ENGINE);
  await home.up();
  await home.json('actors', 'create', shellActor(home.folder), '--name', 'sh', '--wait');
});
afterAll(() => home.remove());

const executions = async (): Promise<readonly string[]> =>
  (await home.json<{ id: string }[]>('executions', 'list')).map(({ id }) => id);

it('prune asks for confirmation, deletes executions with logs and results, and keeps running executions', async () => {
  const { execution_id: old } = await home.json<{ execution_id: string }>('run', 'sh', '-m', 'hello');
  const hanging = (await home.cli(['send', 'sh', '-m', 'hang', '-q'])).stdout.trim();
  await home.json('executions', 'wait', hanging, '--for', 'RUNNING');

  const young = await home.cli(['prune']);
  expect([young.code, young.stdout]).toEqual([0, 'Nothing to prune\n']);
  const refused = await home.cli(['prune', '--older-than', '0s']);
  expect(refused.code).toBe(3);
  expect(refused.stderr).toMatch(/would delete 1 execution \(.+B\)\n(?:.*\n)*.*--yes/);
  const counted = await home.json<Pruned>('prune', '--older-than', '0s', '--dry-run');
  expect(counted).toMatchObject({ executions: { count: 1 }, images: [] });
  expect((await executions()).toSorted()).toEqual([old, hanging].toSorted());

  const pruned = await home.json<Pruned>('prune', '--older-than', '0s', '--yes');
  expect(pruned.executions).toEqual(counted.executions);
  expect(pruned.bytes).toBeGreaterThan(0);
  expect(await executions()).toEqual([hanging]);
  expect((await home.cli(['logs', old])).code).toBe(6);
  expect((await home.json<{ status: string }>('executions', 'show', hanging)).status).toBe('RUNNING');
  const again = await home.cli(['prune', '--older-than', '0s', '--yes']);
  expect([again.code, again.stdout]).toEqual([0, 'Nothing to prune\n']);
  await home.json('executions', 'halt', hanging, '--yes');
});

it('prune refuses an invalid age', async () => {
  for (const age of ['-1h', 'soon', '']) {
    const { code, stderr } = await home.cli(['prune', `--older-than=${age}`]);
    expect({ age, code, stderr }).toEqual({ age, code: 2, stderr: expect.stringContaining('90s, 15m, 4h or 30d') });
  }
});
