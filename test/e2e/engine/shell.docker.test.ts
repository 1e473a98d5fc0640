// Shells in executions of containers: what they have in common with the execution, and that nothing of them is left.
import Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACTOR_LABEL } from '../../../daemon/executor/docker/labels.ts';
import { until } from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';
import { startProcess } from '../../support/daemon/run-program.ts';
import { onTerminal } from '../../support/daemon/terminal.ts';
import { dockerRequirement, limitsResources, testEngine, testImages } from '../../support/engine/docker.ts';
import { describeIf } from '../../support/runner/requirements.ts';

/** What an execution and a shell print about themselves. */
const REPORT =
  'id -u; pwd; env | grep -v "^_svc_access_token=\\|^HOSTNAME=\\|^SHLVL=\\|^PWD=\\|^TERM=\\|^HOME=\\|^container=\\|^_svc_worker" | sort';
const LIMIT = 'cat /sys/fs/cgroup/memory.max 2>/dev/null || cat /sys/fs/cgroup/memory/memory.limit_in_bytes';

describeIf(await dockerRequirement(), 'a shell in an execution', () => {
  const docker = new Docker();
  const images = testImages(docker);
  let home: Home;
  let actor: string;
  let execution: string;
  beforeAll(async () => {
    home = inProcessHome();
    await home.up();
    // Docker without root lets only root run the programs of an image that was imported.
    const user = testEngine === 'rootless' ? [] : ['USER 1234:1234'];
    const image = await images.busybox(
      ['sh', '-c', `${REPORT}; echo '{"n":1}' > \${_svc_state_file:-/tmp/none}`],
      ...user,
    );
    const flags = ['--stateful', '--memory', '64m', '-e', 'COLOUR=red', '--wait'];
    ({ id: actor } = await home.json<{ id: string }>('actors', 'create', image, '--name', 'shy', ...flags));
    execution = await ran('-m', 'hello', '--env', 'SIZE=9');
  });
  afterAll(async () => {
    await home.remove();
    await images.remove();
  });

  const ran = async (...args: string[]) =>
    (await home.json<{ execution_id: string }>('run', 'shy', ...args)).execution_id;
  const shell = (...command: string[]) => home.cli(['executions', 'shell', execution, '--', ...command]);
  const containers = async () => docker.listContainers({ all: true, filters: { label: [`${ACTOR_LABEL}=${actor}`] } });

  it('has the user, the folder, the message, the variables and the state of the execution', async () => {
    const { stdout: logs } = await home.cli(['logs', execution]);
    const { code, stdout, stderr } = await shell('sh', '-c', REPORT);
    expect({ code, stdout }).toEqual({ code: 0, stdout: logs });
    expect(stdout).toContain('MSG=hello\n');
    expect(stdout).toContain('SIZE=9\n');
    expect(stdout).toContain('_svc_actor_state={}\n');
    expect(stderr).toContain(`the actor ran: sh -c `);
    expect(stderr).not.toContain('warning:');
  });

  it.runIf(limitsResources)('has the limits of the execution', async () => {
    expect((await shell('sh', '-c', LIMIT)).stdout).toBe(`${64 * 1024 ** 2}\n`);
  });

  it('reaches the service, without an access token', async () => {
    const request = 'wget -q -O - $_svc_api_server/actors/v2 2>&1; echo "token: $_svc_access_token."';
    expect((await shell('sh', '-c', request)).stdout).toMatch(/40[13](?:.|\n)*token: \.\n/);
  });

  it('passes on input, output and exit code, and leaves nothing', async () => {
    const before = await home.json<unknown[]>('executions', 'list', 'shy', '--all');
    const state = await home.json('state', 'get', 'shy');
    const none = ':-/tmp/none}';
    const outputs = `echo "{}" > \${_svc_state_file${none}; echo 5 > \${_svc_result_file${none}`;
    const script = `cat; ${outputs}; echo lost >&2; exit 7`;
    const input = 'x'.repeat(300_000);
    const ended = await home.cli(['executions', 'shell', execution, '--', 'sh', '-c', script], { input });
    expect(ended).toMatchObject({ code: 7, stdout: input, stderr: expect.stringContaining('lost\n') });
    expect(await home.json('executions', 'list', 'shy', '--all')).toEqual(before);
    expect(await home.json('state', 'get', 'shy')).toEqual(state);
    expect(await containers()).toEqual([]);
  });

  it('takes sh if the image has no bash, and names a program that it does not have', async () => {
    const ended = await home.cli(['executions', 'shell', execution], { input: 'echo $0\nexit 3\n' });
    expect(ended).toMatchObject({ code: 3, stdout: 'sh\n' });
    expect(await shell('fish')).toMatchObject({ code: 10, stderr: expect.stringContaining('no program "fish"') });
    expect(await containers()).toEqual([]);
  });

  it('has a terminal with the size of the own one, to which Ctrl-C goes', async () => {
    const { code, text } = await onTerminal(
      `executions shell ${execution}`,
      home.env,
      [
        ['the actor ran:', 'busybox stty size; sleep 600'],
        [' 77', '\u0003echo "code $?"'],
        ['code 130', 'exit 9'],
      ],
      77,
    );
    expect({ code, text }).toMatchObject({ code: 9, text: expect.stringContaining('code 130') });
  });

  it('ends when its terminal or its command is killed', async () => {
    const { child, ended } = startProcess(['executions', 'shell', execution, '--', 'sleep', '600'], { env: home.env });
    await until(async () => (await containers()).some(({ State }) => State === 'running'));
    child.kill('SIGKILL');
    await ended;
    await expect.poll(containers).toEqual([]);
  });

  it('is removed by the next daemon if its daemon is killed', async () => {
    const left = startProcess(['executions', 'shell', execution, '--', 'sleep', '600'], { env: home.env });
    await until(async () => (await containers()).some(({ State }) => State === 'running'));
    await home.kill();
    expect(await left.ended).toMatchObject({ code: 9 });
    await home.up();
    await expect.poll(containers).toEqual([]);
  });

  describe('whose image has changed', () => {
    it('has the image of the execution, until the engine no longer has it', async () => {
      const [old, next] = [await images.script('echo old'), await images.script('echo next')];
      const tag = async (from: string) => docker.getImage(from).tag({ repo: 'actorctl-test/moved', tag: 'latest' });
      await tag(old);
      await home.cli(['actors', 'create', 'actorctl-test/moved:latest', '--name', 'moved', '--wait']);
      const { execution_id: id } = await home.json<{ execution_id: string }>('run', 'moved', '-m', 'x');
      await tag(next);
      const open = () => home.cli(['executions', 'shell', id, '--', 'true']);
      expect(await open()).toMatchObject({ code: 0, stderr: expect.stringContaining('old') });
      const { Id } = await docker.getImage(old).inspect();
      await docker.getImage(old).remove({ force: true });
      await docker.getImage('actorctl-test/moved:latest').remove();
      const gone = await open();
      expect(gone).toMatchObject({ code: 10, stderr: expect.stringContaining(Id) });
    });
  });
});
