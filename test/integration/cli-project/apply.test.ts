// `apply` and `diff` of a project against the built daemon.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ProjectHome, projectHome, type TestProject } from '../../support/commands/project-home.ts';
import type { SharedHome } from '../../support/commands/shared-home.ts';

let projects: ProjectHome;
let home: SharedHome;
let own: TestProject;
let project: string;

beforeAll(async () => {
  projects = await projectHome();
  ({ home } = projects);
});
beforeEach(() => {
  own = projects.begin();
  project = own.name;
});
afterAll(() => home.remove());

const actorNamed = (name: string) => home.json<Record<string, unknown>>('actors', 'show', name);

describe('apply', () => {
  it('creates each resource after its dependencies, and a second apply changes nothing', async () => {
    own.write(own.three());
    expect((await own.run(['diff'])).code).toBe(12);
    const first = await own.run(['apply', '--wait']);
    expect(first).toMatchObject({ code: 0 });
    expect(first.stdout.replace(/\w{13}/g, 'ID')).toBe(
      [
        `created    actor report-${project} (ID)`,
        `created    alias out-${project}`,
        `created    actor count-${project} (ID)`,
        `created    actor hook-${project} (ID)`,
        `created    config db-${project}`,
        `Project ${project}: 5 created\n`,
      ].join('\n'),
    );
    const [hook, count] = [await actorNamed(`hook-${project}`), await actorNamed(`count-${project}`)];
    expect(hook).toMatchObject({
      link: count['id'],
      default_environment: { LOG: 'info' },
      version: 1,
      status: 'READY',
    });
    expect(count).toMatchObject({ link: `out-${project}`, stateless: false, state: { seen: 0 } });
    const before = await home.json('configs', 'show', `actorctl-project.${project}`);
    const again = await own.run(['apply']);
    expect(again.stdout).toContain(`Project ${project}: 5 unchanged`);
    expect(await home.json('configs', 'show', `actorctl-project.${project}`)).toEqual(before);
    expect(await actorNamed(`hook-${project}`)).toMatchObject({ version: 1 });
    expect(await own.run(['diff'])).toMatchObject({ code: 0, stdout: `Project ${project}: no differences\n` });
  });

  it('is previewed by diff with any fields, and an unknown field is an error', async () => {
    own.write(own.three());
    expect(await own.run(['diff', '--fields', 'help'])).toMatchObject({ stdout: 'project\nsteps\n', stderr: '' });
    expect(await own.run(['diff', '--fields', 'nosuch'])).toMatchObject({ code: 2, stdout: '' });
    expect(await own.run(['diff', '--template', '{{.nosuch}}'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('reports changes field by field, keeps manual settings, and resets fields removed from the file', async () => {
    own.write(own.three());
    await own.steps(['apply']);
    await home.json('actors', 'update', `hook-${project}`, '--description', 'by hand');
    own.write(
      own
        .three()
        .replace('env: { LOG: info }', 'env: { LOG: debug }\n    hints: [web]')
        .replace(`link: alias:out-${project}`, ''),
    );
    const { code, stdout } = await own.run(['diff']);
    expect(code).toBe(12);
    expect(stdout.replace(/\w{13}/g, 'ID')).toBe(
      `~ actor count-${project} (ID)\n    link: out-${project} -> -\n~ actor hook-${project} (ID)\n    env.LOG: info -> debug\n    hints: - -> ["web"]\n`,
    );
    expect(await own.steps(['apply'])).toContain(`changed actor hook-${project}`);
    expect(await actorNamed(`hook-${project}`)).toMatchObject({
      description: 'by hand',
      default_environment: { LOG: 'debug' },
      hints: ['web'],
    });
    expect(await actorNamed(`count-${project}`)).toMatchObject({ link: '' });
    expect((await own.run(['diff'])).code).toBe(0);
  });

  it('grants and revokes permissions that the file mentions, and leaves the others', async () => {
    own.write(own.three());
    await own.steps(['apply']);
    await home.json('permissions', 'grant', `report-${project}`, 'other', 'READ');
    own.write(own.three().replace('ABACO_WORLD: READ', 'ana: EXECUTE'));
    await own.steps(['apply']);
    expect(await home.json('permissions', 'list', `report-${project}`)).toEqual({
      dev: 'UPDATE',
      other: 'READ',
      ana: 'EXECUTE',
      ABACO_WORLD: 'NONE',
    });
  });

  it('with --prune deletes only resources of the project that were removed from the file', async () => {
    own.write(own.three());
    await own.steps(['apply']);
    // A deletion is refused while executions run.
    await own.settled();
    await home.json('actors', 'create', projects.image, '--name', `mine-${project}`);
    await home.json('aliases', 'create', `mine-${project}`, `hook-${project}`);
    own.write(`project: ${project}\nactors:\n  hook-${project}: { image: '${projects.image}', env: { LOG: info } }\n`);
    const without = await own.run(['apply']);
    expect(without.stderr).toContain(`4 things of the project are not in the file`);
    expect((await own.run(['diff'])).code).toBe(0);
    expect((await own.run(['diff', '--prune'])).code).toBe(12);
    expect(await own.steps(['apply', '--prune'])).toEqual([
      `unchanged actor hook-${project}`,
      `deleted config db-${project}`,
      `deleted alias out-${project}`,
      `deleted actor count-${project}`,
      `deleted actor report-${project}`,
    ]);
    expect((await own.run(['actors', 'show', `mine-${project}`])).code).toBe(0);
    expect((await own.run(['aliases', 'show', `mine-${project}`])).code).toBe(0);
    expect((await own.run(['actors', 'show', `count-${project}`])).code).toBe(6);
    expect(await own.steps(['apply', '--prune'])).toEqual([`unchanged actor hook-${project}`]);
  });

  it('can be repeated after it stopped half-way, and then completes', async () => {
    own.write(own.three().replace(`db-${project}:`, `a/db-${project}:`));
    const stopped = await own.run(['apply']);
    expect(stopped.code).toBe(2);
    expect(stopped.stderr).toContain(
      `error: 4 of 5 changes of project "${project}" are done, then cannot create config a/db-${project}: `,
    );
    expect(stopped.stderr).toContain('to continue from there, run the command again');
    own.write(own.three());
    expect(await own.steps(['apply'])).toEqual([
      `unchanged actor report-${project}`,
      `unchanged alias out-${project}`,
      `unchanged actor count-${project}`,
      `unchanged actor hook-${project}`,
      `created config db-${project}`,
    ]);
  });

  it('is exclusive: two runs cannot change a project at the same time', async () => {
    own.write(own.three());
    const [one, other] = await Promise.all([own.run(['apply', '--json']), own.run(['apply', '--json'])]);
    expect([one.code, other.code].toSorted()).toEqual([0, 7]);
    const failed = one.code === 0 ? other : one;
    expect(failed.stderr).toMatch(/is changing project .* (?:now|at the same time)|another apply is creating it now/);
    expect(await own.steps(['apply'])).toHaveLength(5);
    const named = await home.json<{ name: string }[]>('actors', 'list', '--all');
    expect(named.filter(({ name }) => name === `hook-${project}`)).toHaveLength(1);
  });

  it('takes over the claim of a run that was killed', async () => {
    own.write(own.three());
    await own.steps(['apply']);
    const record = await home.json<{ value: Record<string, unknown> }>(
      'configs',
      'show',
      `actorctl-project.${project}`,
    );
    const claim = {
      user: 'dev',
      host: hostname(),
      pid: 2 ** 22 + 1,
      processStart: '',
      bootId: '',
    };
    const value = JSON.stringify({ ...record.value, claim });
    expect((await own.run(['configs', 'update', `actorctl-project.${project}`, '--value', value])).code).toBe(0);
    own.write(own.three().replace('LOG: info', 'LOG: debug'));
    expect(await own.steps(['apply'])).toContain(`changed actor hook-${project}`);
    const elsewhere = JSON.stringify({ ...record.value, claim: { ...claim, host: 'elsewhere' } });
    expect((await own.run(['configs', 'update', `actorctl-project.${project}`, '--value', elsewhere])).code).toBe(0);
    own.write(own.three());
    const refused = await own.run(['apply']);
    expect(refused).toMatchObject({ code: 7, stderr: expect.stringContaining('on elsewhere) is changing project') });
  });

  it('R164 refuses a loop of links, a missing actor and a folder outside the project, with their line', async () => {
    own.write(own.three().replace('    cron: "@daily"', `    link: hook-${project}`));
    expect(await own.run(['apply'])).toMatchObject({
      code: 7,
      stderr: expect.stringMatching(
        /^error: actorctl\.yaml:\d+:3: the links close a loop: hook-\w+ -> count-\w+ -> out-\w+ -> report-\w+ -> hook-/,
      ),
    });
    own.write(own.three().replace(`link: count-${project}`, 'link: nosuch'));
    expect(await own.run(['apply'])).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('actorctl.yaml:3:3: there is no actor "nosuch"'),
    });
    own.write(`project: ${project}\nactors:\n  a: ../elsewhere\n`);
    expect(await own.run(['apply'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('actorctl.yaml:3:6: the folder of actor "../elsewhere" is outside the folder'),
    });
    mkdirSync(join(home.folder, `elsewhere-${project}`));
    symlinkSync(`../elsewhere-${project}`, join(own.folder, 'inner'));
    own.write(`project: ${project}\nactors:\n  a: inner\n`);
    expect(await own.run(['apply'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"inner" is a symbolic link to'),
    });
    expect((await own.run(['configs', 'show', `actorctl-project.${project}`])).code).toBe(6);
  });

  it('creates an actor of the legacy dialect, and cannot change the dialect', async () => {
    const write = (dialect: string) =>
      own.write(`project: ${project}\nactors:\n  old-${project}: { image: "${projects.image}"${dialect} }\n`);
    write(', dialect: legacy');
    expect(await own.steps(['apply'])).toEqual([`created actor old-${project}`]);
    expect(await actorNamed(`old-${project}`)).toMatchObject({ dialect: 'legacy' });
    expect((await own.run(['export'])).stdout).toContain('dialect: legacy');
    write(', dialect: modern');
    const words = expect.stringContaining('from the dialect legacy to modern');
    expect(await own.run(['apply'])).toMatchObject({ code: 2, stderr: words });
    write('');
    expect(await own.steps(['apply'])).toEqual([`unchanged actor old-${project}`]);
  });

  it('accepts the actorctl.json of a folder, alone and as an entry of a project', async () => {
    const inner = join(own.folder, 'inner');
    mkdirSync(inner);
    const document = {
      name: `folder-${project}`,
      alias: `folder-${project}`,
      image: projects.image,
      env: { A: '1' },
      context: 'local',
    };
    writeFileSync(join(inner, 'actorctl.json'), JSON.stringify(document));
    expect(await own.steps(['apply', '-f', 'inner'])).toEqual([
      `created actor folder-${project}`,
      `created alias folder-${project}`,
    ]);
    expect((await own.run(['project', 'delete', '-f', 'inner', '--yes'])).code).toBe(0);
    own.write(`project: ${project}\nactors:\n  first: ./inner\n`);
    expect(await own.steps(['apply'])).toEqual(['created actor first', `created alias folder-${project}`]);
    expect(await actorNamed(`folder-${project}`)).toMatchObject({ default_environment: { A: '1' } });
  });
});
