// A folder with a Dockerfile and an actor.json runs as a process where the engine or a registry is away.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';
import { dockerRequirement } from '../../support/engine/docker.ts';
import { describeIf } from '../../support/runner/requirements.ts';

let home: Home;
beforeAll(async () => {
  home = inProcessHome(NO_ENGINE);
  await home.up();
});
afterAll(() => home.remove());

const document = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'actorctl.json'), 'utf8')) as Record<string, unknown>;

describe('a folder with a Dockerfile and an actor.json, without an engine', () => {
  const made = async (name: string) => {
    const folder = join(home.folder, name);
    await home.json('actors', 'init', folder, '--template', 'bash');
    return { folder, at: { cwd: folder } };
  };

  it.each(['deploy', 'check'])('%s says that no engine answers, and offers a command that works', async (command) => {
    const { at, folder } = await made(`offered-${command}`);
    const failed = await home.cli(['actors', command], at);
    expect(failed).toMatchObject({ code: 10, stderr: expect.stringContaining('no container engine answers') });
    expect(failed.stderr).not.toContain('Dockerfile');
    expect(failed.stderr).toContain(`try: actorctl actors deploy ${folder} --process\n`);
    expect(await home.cli(['actors', 'deploy', folder, '--process'], at)).toMatchObject({ code: 0 });
  });

  it('offers nothing for a folder that cannot run as a process', async () => {
    const { at, folder } = await made('compiled');
    rmSync(join(folder, 'actor.json'));
    const failed = await home.cli(['actors', 'deploy'], at);
    expect(failed.stderr).toContain('no container engine answers');
    expect(failed.stderr).not.toContain('--process');
    const refused = await home.cli(['actors', 'deploy', '--process'], at);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('it has no actor.json') });
  });

  it('is the same actor for check, create and deploy with --process', async () => {
    const { at, folder } = await made('agreed');
    const described = { ...document(folder), env: { A: '1' }, stateless: false, time_limit: 60, hints: ['h'] };
    writeFileSync(join(folder, 'actorctl.json'), JSON.stringify(described));
    expect(await home.cli(['actors', 'check', '--process'], at)).toMatchObject({ code: 0 });
    await home.json('actors', 'create', folder);
    expect(await home.cli(['actors', 'deploy', '--process', '--check'], at)).toMatchObject({
      code: 0,
      stdout: 'agreed: nothing would change\n',
    });
  });

  it('with an image in actorctl.json and without a Dockerfile uses that image', async () => {
    const { at, folder } = await made('imaged');
    rmSync(join(folder, 'Dockerfile'));
    const planned = await home.cli(['actors', 'deploy', '--check', '--json'], at);
    expect(JSON.parse(planned.stdout)).toMatchObject({ created: true, image: 'imaged:dev' });
    const check = await home.cli(['actors', 'check', 'nosuch-folder', '--process'], at);
    expect(check).toMatchObject({ code: 2, stderr: expect.stringContaining('--process needs the folder of an actor') });
  });
});

describeIf(await dockerRequirement(), 'a folder whose base image cannot be pulled', () => {
  let connected: Home;
  beforeAll(async () => {
    connected = inProcessHome();
    await connected.up();
  });
  afterAll(() => connected.remove());

  it('names the registry that is away, and offers to run as a process', async () => {
    const folder = join(connected.folder, 'pulled');
    await connected.json('actors', 'init', folder, '--template', 'bash');
    writeFileSync(join(folder, 'Dockerfile'), 'FROM 127.0.0.1:1/nosuch\nCOPY main.sh .\n');
    const failed = await connected.cli(['actors', 'deploy', folder]);
    expect(failed.code).not.toBe(0);
    expect(failed.stderr).toContain('The engine cannot reach the registry 127.0.0.1:1');
    expect(failed.stderr).toContain(`try: actorctl actors deploy ${folder} --process\n`);
    expect(failed.stderr).not.toContain('fix ');
    expect(await connected.cli(['actors', 'deploy', folder, '--process'])).toMatchObject({ code: 0 });
  });
});
