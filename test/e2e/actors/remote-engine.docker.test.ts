// A container engine on another machine: the engine of this machine by TCP, which claims to be elsewhere.
import { writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NO_API } from '../../../daemon/domain/executions/run-warnings.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';
import { dockerRequirement, testImages } from '../../support/engine/docker.ts';
import { scratchActor } from '../../support/engine/scratch-actor.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const address = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

/** The engine reports the name of its machine. The length of a response must not change. */
const named = (name: string): string => `"Name":"${name}"`;
const own = hostname();
const other = own.replaceAll(/./g, 'x');

describeIf(await dockerRequirement(), 'an actor on a remote engine', () => {
  let server: Server;
  let home: Home;
  const images = testImages();
  beforeAll(async () => {
    server = createServer((near) => {
      const far = connect('/var/run/docker.sock');
      near.pipe(far);
      far.on('data', (chunk) => near.write(chunk.toString('latin1').replace(named(own), named(other)), 'latin1'));
      far.on('close', () => near.destroy());
      near.on('error', () => far.destroy());
      far.on('error', () => near.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, address, resolve));
    const bound = server.address();
    home = inProcessHome({ DOCKER_HOST: `tcp://${address}:${typeof bound === 'object' ? bound?.port : ''}` });
    await home.up();
  });
  afterAll(async () => {
    await home.remove();
    await images.remove();
    server.close();
  });

  it('is created, updated, deployed, applied and checked with a warning that it cannot reach the API', async () => {
    const image = await images.script('echo hello');
    const warning = `warning: ${NO_API}\n`;
    const created = await home.cli(['actors', 'create', image, '--name', 'far', '--wait']);
    expect(created).toMatchObject({ code: 0, stderr: expect.stringContaining(warning) });
    const updated = await home.cli(['actors', 'update', 'far', '--description', 'x']);
    expect(updated).toMatchObject({ code: 0, stderr: expect.stringContaining(warning) });
    const folder = scratchActor(join(home.folder, 'near'), 'echo deployed\n', { name: 'near', image });
    const deployed = await home.cli(['actors', 'deploy', folder, '--no-build']);
    expect(deployed).toMatchObject({ code: 0, stderr: expect.stringContaining(warning) });
    const project = join(home.folder, 'actorctl.yaml');
    writeFileSync(project, `project: distant\nactors:\n  applied:\n    image: ${image}\n`);
    const applied = await home.cli(['apply', '-f', project, '--yes']);
    expect(applied).toMatchObject({ code: 0, stderr: expect.stringContaining(warning) });
    const checked = await home.cli(['actors', 'check', 'far']);
    expect(checked.stdout).toContain(`warning engine: ${NO_API}\n`);
  });

  it('is the subject of a warning of doctor, and its results have no way either', async () => {
    const { stdout } = await home.cli(['doctor']);
    expect(stdout).toMatch(/^warning +engine limits +.*actors do not reach the API/m);
    expect(stdout).toContain('results are not sent: the container engine runs on another machine');
    expect(stdout).not.toContain('over HTTP');
  });

  it('writes so at the top of its log, and into the record of its execution', async () => {
    const { execution_id: id } = await home.json<{ execution_id: string }>('run', 'far', '-m', 'x');
    expect(await home.cli(['logs', id])).toMatchObject({ stdout: 'hello\n', stderr: `actorctl: ${NO_API}\n` });
    expect((await home.cli(['executions', 'show', id])).stdout).toContain(NO_API);
  });
});
