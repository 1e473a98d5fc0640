// An engine with SELinux, played by a Docker that says so: runs get no socket and no files of this machine.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';
import { dockerRequirement, testImages } from '../../support/engine/docker.ts';
import { type EngineProxy, engineProxy } from '../../support/engine/engine-proxy.ts';
import { describeIf } from '../../support/runner/requirements.ts';
import { POST_STATE } from '../../support/workloads/counter.ts';

const REASON = 'results are sent over HTTP only: SELinux keeps containers from sockets and files of this machine';

describeIf(await dockerRequirement(), 'an engine with SELinux', () => {
  let proxy: EngineProxy;
  let home: Home;
  const images = testImages();
  beforeAll(async () => {
    proxy = await engineProxy(undefined, {
      'GET /info': (info) => ({ ...info, SecurityOptions: ['name=seccomp', 'name=selinux'] }),
    });
    home = inProcessHome({ DOCKER_HOST: proxy.host });
    await home.up();
  });
  afterAll(async () => {
    await home.remove();
    await images.remove();
    await proxy.close();
  });

  it('gives an execution neither the socket nor the files, and the execution posts its state', async () => {
    const files = 'ls -d /_svc_results.sock /_svc_result "$_svc_result_file$_svc_state_file" 2>/dev/null';
    const image = await images.script(`next=1; ${POST_STATE} && echo posted; ${files}; echo end`);
    await home.cli(['actors', 'create', image, '--name', 'labelled', '--stateful', '--wait']);
    const { execution_id: id } = await home.json<{ execution_id: string }>('run', 'labelled', '-m', 'x');
    expect((await home.cli(['logs', id])).stdout).toBe('posted\nend\n');
    expect((await home.cli(['state', 'get', 'labelled'])).stdout.trim()).toBe('1');
  });

  it('is described so by status and by doctor, whose container reaches the API', async () => {
    expect((await home.cli(['status'])).stdout).toContain(`note: ${REASON}\n`);
    const { stdout } = await home.cli(['doctor']);
    expect(stdout).toContain(REASON);
    expect(stdout).toMatch(/^ok +reach +a container reaches http:\S+; results go over HTTP$/m);
  });
});
