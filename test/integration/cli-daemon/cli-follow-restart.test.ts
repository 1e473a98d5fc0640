// Commands that follow across a restart of the daemon, which gets another port.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';

let home: Home;
let image: string;
let go: string;

beforeAll(async () => {
  home = inProcessHome(NO_ENGINE);
  await home.up();
  go = join(home.folder, 'go');
  const folder = join(home.folder, 'actor');
  mkdirSync(folder);
  const script = `echo "began $MSG"; [ "$MSG" = quick ] || while [ ! -e ${go} ]; do sleep 0.1; done; echo "ended $MSG"`;
  writeFileSync(join(folder, 'actor.json'), JSON.stringify({ command: ['sh', '-c', script] }));
  image = `file://${folder}`;
  await home.json('actors', 'create', image, '--name', 'sh', '--workers', '3', '--wait');
  await home.json('actors', 'create', image, '--name', 'counter', '--stateful');
});

afterAll(() => home.remove());

it('logs ACTOR -f, state watch, executions list --watch, run and executions wait continue after a restart of the daemon', async () => {
  const logs = home.start(['logs', 'sh', '-f']);
  const state = home.start(['state', 'watch', 'counter', '--max', '1']);
  const list = home.start(['executions', 'list', '--watch']);
  const runs = [home.start(['run', 'sh', '-m', 'long']), home.start(['run', 'sh', '-m', 'mute', '--json'])];
  await expect.poll(() => logs.out()).toMatch(/began long[\s\S]*began mute|began mute[\s\S]*began long/);
  await expect.poll(() => runs[0]?.out()).toContain('began long');
  await expect.poll(() => state.err()).toContain('watching the state');
  const [first] = await home.json<{ id: string }[]>('executions', 'list', 'sh');
  const wait = home.start(['executions', 'wait', `sh/${first?.id}`]);
  // Finds the execution in the same steps, after which the wait is patient.
  await home.json('executions', 'show', `sh/${first?.id}`);
  const before = await home.json<{ base_url: string }>('up');
  await home.kill();
  for (const each of [logs, state, list, wait, runs[0]])
    await expect.poll(() => each?.err()).toContain('-- connection lost, retrying for');
  expect((await home.up()).baseUrl).not.toBe(before.base_url);

  writeFileSync(go, '');
  const ended = await Promise.all(runs.map((run) => run.ended));
  expect(ended.map(({ code }) => code)).toEqual([0, 0]);
  expect(ended[0]?.stdout).toContain('ended long');
  expect(JSON.parse(ended[1]?.stdout ?? '')).toMatchObject({ status: 'COMPLETE', logs: 'began mute\nended mute\n' });
  expect((await wait.ended).code).toBe(0);
  expect(wait.err()).toMatch(/^-- reconnected after \d+ s --$/m);
  // Each message was sent once.
  expect(await home.json('executions', 'list', 'sh')).toHaveLength(2);

  await home.json('state', 'set', 'counter', '--value', '{"count":1}');
  const watched = await state.ended;
  expect(watched).toMatchObject({ code: 0, stdout: expect.stringContaining('"count": 1') });
  expect(watched.stderr).toMatch(/^-- connection lost, retrying for 60 s --\n-- reconnected after \d+ s --$/m);

  await home.json('run', 'sh', '-m', 'quick');
  await expect.poll(() => logs.out()).toContain('ended quick');
  for (const each of [logs, list]) {
    each.interrupt();
    const { code, stderr } = await each.ended;
    expect(code).toBe(0);
    // Each followed log is a stream of its own, but they share the connection.
    expect(stderr.match(/connection lost/g)).toHaveLength(1);
    expect(stderr.match(/reconnected after \d+ s/g)).toHaveLength(1);
  }
});

it('executions list --watch without a daemon fails at once', async () => {
  await home.cli(['down', '--halt-executions']);
  const { code, stderr } = await home.cli(['executions', 'list', '--watch']);
  expect(code).toBe(9);
  expect(stderr).toContain('actorctl up');
  expect(stderr).not.toContain('retrying');
});
