// --settle: run, executions wait and clock advance end when all effects have ended, across a killed daemon too.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';

let home: Home;
let go: string;

const shell = async (name: string, script: string, ...flags: readonly string[]): Promise<void> => {
  const folder = join(home.folder, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'actor.json'), JSON.stringify({ command: ['sh', '-c', script] }));
  await home.json('actors', 'create', `file://${folder}`, '--name', name, '--wait', ...flags);
};

beforeAll(async () => {
  home = inProcessHome(NO_ENGINE);
  await home.up('--virtual-clock', '2030-01-01');
  go = join(home.folder, 'go');
  await shell('report', 'exit 3');
  await shell('words', `while [ ! -e ${go} ]; do sleep 0.05; done`, '--link', 'report');
  await shell('intake', 'echo "took $MSG"', '--link', 'words');
  await shell('alone', 'echo "$MSG"');
});
afterAll(() => home.remove());

describe('--settle', () => {
  it('waits for the whole chain while the daemon is killed and started again', async () => {
    const run = home.start(['run', 'intake', '-m', 'one', '--settle']);
    await expect.poll(() => run.err()).toContain('complete');
    const wait = home.start(['executions', 'wait', 'intake@last', '--settle']);
    const all = home.start(['executions', 'wait', '--settle']);
    await expect.poll(async () => (await home.cli(['executions', 'list', 'words'])).stdout).toContain('running');
    // Finds an execution in the same steps as the waits, which are patient from then on.
    await home.json('executions', 'show', 'intake@last');
    await home.json('executions', 'show', 'intake@last');
    await home.kill();
    for (const each of [run, wait, all]) await expect.poll(() => each.err()).toContain('-- connection lost');
    await home.up();
    writeFileSync(go, '');
    const ended = await run.ended;
    expect(ended.code, ended.stderr).toBe(11);
    expect(ended.stderr).toMatch(/failed: execution \w+ of report {2}failed, exit 3\n/);
    expect(ended.stderr).toContain('settled: 3 executions and deliveries, 1 failed');
    expect(await wait.ended).toMatchObject({
      code: 11,
      stdout: expect.stringContaining('of report  failed, exit 3'),
    });
    expect(await all.ended).toMatchObject({ code: 11, stdout: expect.stringContaining('of report  failed, exit 3') });
    const again = await home.cli(['executions', 'wait', 'intake@last', '--settle', '--json']);
    expect([again.code, JSON.parse(again.stdout)]).toMatchObject([
      11,
      { total: 3, failures: [{ kind: 'execution', exit_code: 3 }], effects: [{}, {}, {}] },
    ]);
  });

  it('of run has exit code 0 and the tree in JSON if nothing failed', async () => {
    expect(await home.json('run', 'alone', '-m', 'hi', '--settle')).toMatchObject({
      status: 'COMPLETE',
      total: 1,
      failures: [],
      effects: [{ kind: 'execution', status: 'COMPLETE' }],
    });
  });

  it('ends with 11 if a delivery to a webhook was given up', async () => {
    await home.json('actors', 'update', 'alone', '--webhook', 'http://127.0.0.1:9/hook');
    const { code, stderr } = await home.cli(['run', 'alone', '-m', 'hi', '--settle']);
    expect(code).toBe(11);
    expect(stderr).toMatch(/failed: delivery \w+ of alone to http:\/\/127\.0\.0\.1:9\/hook {2}failed/);
    await home.json('actors', 'update', 'alone', '--webhook', '');
  });

  it('of executions wait ends with 8 at the time limit', async () => {
    await shell('endless', 'sleep 600');
    await home.json('send', 'endless', '-m', 'x');
    const { code, stderr } = await home.cli(['executions', 'wait', 'endless@last', '--settle', '--timeout', '1s']);
    expect([code, stderr]).toEqual([
      8,
      expect.stringContaining('1 execution or delivery of 1 still not ended after 1.0s'),
    ]);
    await home.json('executions', 'halt', 'endless@last', '--yes', '--grace', '0s');
  });

  it('of clock advance waits for the schedules that fired, and reports what failed since it began', async () => {
    await home.json('cron', 'set', 'report', '@daily');
    const { code, stdout, stderr } = await home.cli(['clock', 'advance', '1d', '--settle']);
    expect(code, stderr).toBe(11);
    expect(stdout).toContain('(1 cron message sent since');
    expect(stderr).toContain('settled: 1 execution and delivery, 1 failed');
    await home.json('cron', 'disable', 'report');
    expect(await home.json('clock', 'advance', '1d', '--settle')).toMatchObject({ fired: 0, total: 0, failures: [] });
  });

  it('of executions wait is refused with --any and --for', async () => {
    const { code, stderr } = await home.cli(['executions', 'wait', '--settle', '--any']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--settle cannot be used with --any or --for')]);
    expect((await home.cli(['executions', 'wait'])).code).toBe(2);
  });
});
