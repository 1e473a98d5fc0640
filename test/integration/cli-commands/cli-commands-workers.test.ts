// `workers` with the built programs and actors that run as processes of this machine.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SharedHome, sharedHome } from '../../support/commands/shared-home.ts';

let home: SharedHome;

beforeAll(async () => {
  home = await sharedHome();
  const folder = join(home.folder, 'hello');
  mkdirSync(folder);
  writeFileSync(join(folder, 'actor.json'), JSON.stringify({ command: ['sh', '-c', 'echo $_svc_worker_id'] }));
  const image = `file://${folder}`;
  await home.cli(['actors', 'create', image, '--name', 'many', '--wait']);
  await home.cli(['actors', 'create', image, '--name', 'single', '--stateful', '--wait']);
});

afterAll(() => home.remove());

interface Row {
  readonly id: string;
  readonly status: string;
}

const listed = async (): Promise<readonly Row[]> => (await home.json('workers', 'list', 'many')) as unknown as Row[];

describe('workers', () => {
  it('scale sets the number of workers, and list, show and delete work', async () => {
    expect(await home.cli(['workers', 'scale', 'many', '3'])).toMatchObject({
      code: 0,
      stdout: 'many: 1 -> 3 workers\n',
    });
    await expect.poll(async () => (await listed()).map(({ status }) => status)).toEqual(['READY', 'READY', 'READY']);
    const [first, second] = await listed();
    expect(await home.json('workers', 'show', 'many', first?.id ?? '')).toMatchObject({
      id: first?.id,
      status: 'READY',
      image: expect.stringContaining('file://'),
    });
    expect(await home.json('workers', 'delete', 'many', second?.id ?? '', '--yes')).toEqual({ deleted: second?.id });
    await expect.poll(async () => (await listed()).length).toBe(2);
    const ran = (await home.cli(['run', 'many', '-m', 'x', '--no-input'])).stdout;
    expect((await listed()).some(({ id }) => ran.includes(id))).toBe(true);
    expect(await home.json('workers', 'scale', 'many', '0')).toEqual({ workers: 0 });
  });

  it.each([
    [['workers', 'scale', 'single', '2'], 7, 'stateful actors can only have 1 worker'],
    [['workers', 'scale', 'many', 'lots'], 2, 'not a valid number'],
    [['workers', 'scale', 'many', '1000'], 2, 'num'],
    [['workers', 'scale', 'nobody', '1'], 6, 'nobody'],
    [['workers', 'show', 'many', 'xxxxxxxxxxxxx'], 6, 'there is no worker "xxxxxxxxxxxxx"'],
    [['workers', 'delete', 'many', 'xxxxxxxxxxxxx', '--yes'], 6, 'there is no worker "xxxxxxxxxxxxx"'],
    [['workers', 'delete', 'many', 'xxxxxxxxxxxxx'], 3, '--yes'],
  ])('%j exits with %d and the reason', async (args, code, words) => {
    const answer = await home.cli(args);
    expect(answer).toMatchObject({ code, stdout: '' });
    expect(answer.stderr).toContain(words);
  });
});
