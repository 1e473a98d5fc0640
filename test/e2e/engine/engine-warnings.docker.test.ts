// What an engine warns of when it creates a container, played by a Docker that warns.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';
import { dockerRequirement, testImages } from '../../support/engine/docker.ts';
import { type EngineProxy, engineProxy } from '../../support/engine/engine-proxy.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const WARNING = 'Your kernel does not support swap limit capabilities.';

describeIf(await dockerRequirement(), 'a warning of the engine about a container', () => {
  let proxy: EngineProxy;
  let home: Home;
  const images = testImages();
  beforeAll(async () => {
    proxy = await engineProxy(undefined, {
      'POST /containers/create': (created) => ({ ...created, Warnings: [WARNING] }),
    });
    home = inProcessHome({ DOCKER_HOST: proxy.host });
    await home.up();
  });
  afterAll(async () => {
    await home.remove();
    await images.remove();
    await proxy.close();
  });

  it('is in the record of the execution, and its check shows it', async () => {
    const image = await images.script('echo done');
    await home.cli(['actors', 'create', image, '--name', 'warned', '--wait']);
    const { execution_id: id } = await home.json<{ execution_id: string }>('run', 'warned', '-m', 'x');
    expect((await home.json<{ warnings: string[] }>('executions', 'show', id)).warnings).toEqual([WARNING]);
    expect((await home.cli(['actors', 'check', 'warned', '-m', 'x'])).stdout).toContain(WARNING);
  });
});
