// `export`, `delete` and the secrets of a project against the built daemon.
import { existsSync, writeFileSync } from 'node:fs';
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

describe('secrets of a project', () => {
  const SECRET = 'correct-horse-battery';

  it('gives variables the values of configs, which it shares, and export writes the same', async () => {
    await home.json('configs', 'create', `own.${project}`, '--value', '{"host":"h"}');
    const keyed = () => home.json<Record<string, unknown>>('actors', 'show', `keyed-${project}`);
    const write = (variables: string) =>
      own.write(
        `project: ${project}\nactors:\n  keyed-${project}:\n    image: "${projects.image}"\n    env: ${variables}\n` +
          `configs:\n  key-${project}: { value: "value-of-key" }\n`,
      );
    write(`{ A: "1", KEY: { config: key-${project} }, HOST: { config: own.${project}, path: host } }`);
    expect(await own.steps(['apply'])).toEqual([`created actor keyed-${project}`, `created config key-${project}`]);
    const actor = await keyed();
    expect(actor).toMatchObject({
      default_environment: { A: '1' },
      config_environment: { KEY: { config: `key-${project}` }, HOST: { config: `own.${project}`, path: 'host' } },
    });
    for (const name of [`key-${project}`, `own.${project}`])
      expect(await home.json('configs', 'show', name)).toMatchObject({ actors: actor['id'] });
    expect(await own.steps(['apply'])).toEqual([`unchanged actor keyed-${project}`, `unchanged config key-${project}`]);
    const exported = (await own.run(['export'])).stdout;
    own.write(exported.replace(/^project: .*$/m, `project: ${project}`));
    expect((await own.steps(['apply']))[0]).toBe(`unchanged actor keyed-${project}`);
    write(`{ A: { config: key-${project} }, KEY: text }`);
    const diff = (await own.run(['diff'])).stdout;
    expect(diff).toContain(`env.KEY: @config:key-${project} -> text`);
    expect(diff).toContain(`env.A: 1 -> @config:key-${project}`);
    expect(diff).toContain(`env.HOST: @config:own.${project}#host ->`);
    await own.run(['apply']);
    const changed = await keyed();
    expect(changed).toMatchObject({ default_environment: { KEY: 'text' } });
    expect(changed['config_environment']).toEqual({ A: { config: `key-${project}` } });
    write('{}');
    await own.run(['apply']);
    expect(await keyed()).toMatchObject({ default_environment: {} });
    expect(await keyed()).not.toHaveProperty('config_environment');
    write('{ A: { config: x, pth: y } }');
    expect(await own.run(['apply'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`no field named "actors.keyed-${project}.env.A.pth"`),
    });
    write('{ A: 1 }');
    expect(await own.run(['apply'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('write it in quotes: "1"'),
    });
  });

  it('R185 are read from a variable or a file, are never stored in clear text, and are compared by digest', async () => {
    writeFileSync(join(own.folder, 'key.txt'), `${SECRET}\n`);
    const secrets = `  key-${project}: { secret: 'file:key.txt' }\n  login-${project}: { secret: { user: ana, password: 'env:PASSWORD' }, actors: [hook-${project}] }\n`;
    own.write(own.three(secrets));
    const missing = await own.run(['apply']);
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('no variable named "PASSWORD"') });
    own.write(own.three(`  key-${project}: { secret: 'file:nosuch' }\n`));
    expect(await own.run(['apply'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^error: actorctl\.yaml:\d+:\d+: cannot read .*nosuch: there is no such file\nhint: file names/,
      ),
    });
    own.write(own.three(secrets));
    const env = { PASSWORD: `${SECRET}-2` };
    const outputs = [
      await own.run(['diff'], env),
      await own.run(['apply', '--json'], env),
      await own.run(['apply', '-v'], env),
    ];
    expect(outputs[2]?.stdout).toContain('7 unchanged');
    const changed = await own.run(['diff'], { PASSWORD: `${SECRET}-3` });
    expect(changed.stdout).toMatch(/^~ config login-\w+\n {4}value: secret [0-9a-f]{8} -> secret [0-9a-f]{8}\n$/);
    const record = await own.run(['configs', 'show', `actorctl-project.${project}`, '--json']);
    const exported = await own.run(['export']);
    expect(exported.stdout).toContain('secret: keep');
    for (const { stdout, stderr } of [...outputs, changed, record, exported])
      expect(stdout + stderr).not.toContain(SECRET);
    const { stdout } = await own.run([
      'configs',
      'show',
      `login-${project}`,
      '--reveal',
      '--yes',
      '--jq',
      '.value.password',
      '-r',
    ]);
    expect(stdout).toBe(`${SECRET}-2\n`);
  });

  it('R185 are refused in the project file, and the error does not quote them', async () => {
    own.write(own.three(`  key-${project}: { secret: ${SECRET} }\n`));
    const refused = await own.run(['apply']);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the file must not contain the value of a secret'),
    });
    expect(refused.stderr).not.toContain(SECRET);
  });
});

describe('export and delete', () => {
  it('an exported file applies without changes, even in another project and without the record', async () => {
    own.write(own.three());
    await own.steps(['apply']);
    const { stdout } = await own.run(['export']);
    expect((await home.cli(['export', '-f', own.folder])).stdout).toBe(stdout);
    expect(await own.run(['export', '-f', '.', '--project', project])).toMatchObject({ code: 2 });
    own.write(stdout);
    const again = await own.steps(['apply']);
    expect(new Set(again.map((each) => each.split(' ')[0]))).toEqual(new Set(['unchanged']));
    expect((await own.run(['export'])).stdout).toBe(stdout);
    expect((await own.run(['configs', 'delete', `actorctl-project.${project}`, '--yes'])).code).toBe(0);
    expect(new Set((await own.steps(['apply'])).map((each) => each.split(' ')[0]))).toEqual(new Set(['unchanged']));
  });

  it('of an actor whose name differs from its key applies without changes', async () => {
    own.write(
      `project: ${project}\nactors:\n  intake: { name: intake-${project}, image: "${projects.image}", env: { A: b } }\n`,
    );
    await own.steps(['apply']);
    own.write((await own.run(['export'])).stdout);
    const unchanged = [`unchanged actor intake-${project}`];
    expect(await own.steps(['apply', '--prune'])).toEqual(unchanged);
    expect(await own.steps(['apply', '--prune'])).toEqual(unchanged);
  });

  it('preserve a config that moves into the project with its actor', async () => {
    const config = `station-${project}`;
    await home.json('configs', 'create', config, '--value', '{"a":1}');
    const actors = `project: ${project}\nactors:\n  a-${project}: { image: "${projects.image}", configs: [${config}] }\n`;
    own.write(actors);
    await own.steps(['apply']);
    own.write(`${actors}configs:\n  ${config}: { value: { a: 2 } }\n`);
    await own.steps(['apply']);
    const { actors: shared } = await home.json<{ actors: string }>('configs', 'show', config);
    expect(shared).not.toBe('');
    expect(new Set((await own.steps(['apply'])).map((each) => each.split(' ')[0]))).toEqual(new Set(['unchanged']));
  });

  it('need only the API: apply, diff and export work with a remote service, without a local daemon', async () => {
    const ACTORCTL_HOME = join(own.folder, 'home');
    const env = {
      ACTORCTL_HOME,
      ACTORCTL_BASE_URL: (await home.json<{ daemon: { base_url: string } }>('status')).daemon.base_url,
      ACTORCTL_TOKEN: (await home.cli(['auth', 'token'])).stdout.trim(),
    };
    own.write(own.three());
    expect(await own.steps(['apply'], env)).toHaveLength(5);
    expect((await own.run(['diff'], env)).code).toBe(0);
    own.write((await own.run(['export'], env)).stdout);
    expect(new Set((await own.steps(['apply'])).map((each) => each.split(' ')[0]))).toEqual(new Set(['unchanged']));
    expect(existsSync(join(ACTORCTL_HOME, 'data'))).toBe(false);
  });

  it('delete asks for confirmation, deletes the resources of the project, and removes its record', async () => {
    own.write(own.three());
    await own.steps(['apply']);
    expect((await own.run(['project', 'delete', '-f', '.'])).code).toBe(3);
    expect((await own.run(['project', 'delete', '-f', '.', '--dry-run'])).stdout).toContain(
      `would delete config db-${project}\n`,
    );
    // A deletion is refused while executions run.
    await own.settled();
    const deleted = await own.run(['project', 'delete', '-f', '.', '--yes']);
    expect(deleted).toMatchObject({ code: 0, stdout: expect.stringContaining(`Deleted project ${project}: 5 things`) });
    expect((await own.run(['configs', 'show', `actorctl-project.${project}`])).code).toBe(6);
    const gone = await own.run(['project', 'delete', '-f', '.', '--yes']);
    expect(gone).toMatchObject({ code: 6, stderr: expect.stringMatching(/\nhint: to list the projects: actorctl /) });
    const listing = /name~=[^']+/.exec(gone.stderr)?.[0] ?? '';
    own.write(`project: ${project}\nconfigs: { only-${project}: { value: 1 } }\n`);
    await own.steps(['apply']);
    expect((await own.run(['configs', 'list', '--filter', listing, '-o', 'name'])).stdout).toContain(
      `actorctl-project.${project}\n`,
    );
  });
});
