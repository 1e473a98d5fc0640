// `--timeout` of commands that follow or wait: they end with exit code 8, and the followed execution continues.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';
import { shellActor } from '../../support/daemon/shell-actor.ts';

let home: Home;
let hanging: string;

beforeAll(async () => {
  home = inProcessHome(NO_ENGINE);
  await home.up();
  await home.json('actors', 'create', shellActor(home.folder), '--name', 'sh', '--stateful', '--wait');
  hanging = String((await home.json('send', 'sh', '-m', 'hang'))['execution_id']);
  await home.json('executions', 'wait', `sh/${hanging}`, '--for', 'RUNNING');
});

afterAll(() => home.remove());

const OVER = 'the time of --timeout (0.5s) is over: ';

describe('--timeout', () => {
  it.each([
    ['logs sh/ID -f', `${OVER}executions that have not ended continue`],
    ['logs sh -f', `${OVER}executions that have not ended continue`],
    ['executions list --watch', `${OVER}executions that have not ended continue`],
    ['state watch sh', `${OVER}the state may still change`],
    ['daemon logs -f', `${OVER}the daemon runs on`],
    ['events tail', ' in 0.5s'],
    ['executions rerun ID --run', 'is still waiting after 0.5s and continues'],
    ['executions wait ID', 'is still running after 0.5s and continues'],
  ])('ends %s with exit code 8, and the execution continues', async (line, message) => {
    const args = line.split(' ').map((word) => word.replace('ID', hanging));
    const { code, stderr } = await home.cli([...args, '--timeout', '500ms', '--json']);
    expect([code, JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error]).toEqual([
      8,
      expect.objectContaining({ code: 'WAIT_TIMEOUT', message: expect.stringContaining(message) }),
    ]);
    expect(await home.json('executions', 'show', `sh/${hanging}`)).toMatchObject({ status: 'RUNNING' });
  });

  it('does not change the end of a command that ends before', async () => {
    await home.json('actors', 'create', shellActor(home.folder), '--name', 'free', '--wait', '--timeout', '1h');
    const { code, stdout } = await home.cli(['run', 'free', '-m', 'one', '--timeout', '1h']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('got: one') });
    expect(await home.cli(['logs', 'free@last', '-f', '--timeout', '1h'])).toMatchObject({ code: 0, stdout });
  });

  it.each(['logs sh', 'daemon logs', 'executions list', 'executions rerun @last', 'actors show sh', 'apply'])(
    'is a usage error of %s, which does not wait without another flag',
    async (line) => {
      const { code, stderr } = await home.cli([...line.split(' '), '--timeout', '1s']);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringContaining('--timeout can only be used with --'),
      });
    },
  );
});
