// Variables from secret configs in real containers: the program has the value, and its log does not show it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BuiltDaemon, builtDaemon, logsOf, reaches, register, send } from '../../support/daemon/daemon.ts';
import { dockerRequirement, type TestImages, testImages } from '../../support/engine/docker.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const SECRET = 'tr0ub4dor&3';

describeIf(await dockerRequirement(), 'a variable from a secret config in a container', () => {
  let daemon: BuiltDaemon;
  let images: TestImages;
  beforeAll(async () => {
    images = testImages();
    daemon = builtDaemon();
    await daemon.start();
    await daemon.admit();
  });
  afterAll(async () => {
    await daemon.remove();
    await images.remove();
  });

  it('has the value of the start, and is masked in the log', async () => {
    const script = 'echo "$KEY ${#KEY}"';
    const image = await images.script(script);
    const configEnvironment = { KEY: { config: 'api.key', path: 'value' } };
    const actor = await register(daemon, { image, configEnvironment });
    const json = { name: 'api.key', value: { value: SECRET }, actors: actor, is_secret: true };
    expect((await daemon.ask('POST', '/actors/v2/configs', { json })).status).toBe(200);
    const first = await send(daemon, actor, { body: 'go' });
    await reaches(daemon, actor, first);
    expect(await logsOf(daemon, actor, first)).toBe(`*** ${SECRET.length}\n`);
    const longer = { ...json, value: { value: `${SECRET}-longer` } };
    expect((await daemon.ask('PUT', '/actors/v2/configs/api.key', { json: longer })).status).toBe(200);
    const second = await send(daemon, actor, { body: 'go' });
    await reaches(daemon, actor, second);
    expect(await logsOf(daemon, actor, second)).toBe(`*** ${SECRET.length + '-longer'.length}\n`);
  });
});
