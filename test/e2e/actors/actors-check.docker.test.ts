// `actors check` on a real engine: its findings in folders and images.
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SAMPLE } from '../../../src/local/project/project.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';
import { shellActor } from '../../support/daemon/shell-actor.ts';
import { dockerRequirement } from '../../support/engine/docker.ts';
import { scratchActor } from '../../support/engine/scratch-actor.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const docker = await dockerRequirement();

interface Report {
  readonly ok: boolean;
  readonly findings: readonly { readonly id: string; readonly level: string; readonly message: string }[];
}

describeIf(docker, 'actors check', () => {
  const engine = new Docker();
  const repository = `actorctl-test/${randomBytes(6).toString('hex')}`;
  let home: Home;
  beforeAll(async () => {
    home = inProcessHome();
    await home.up();
  });
  afterAll(async () => {
    await home.remove();
    for (const { RepoTags } of await engine.listImages({ filters: { reference: [repository] } }))
      for (const tag of RepoTags ?? []) await engine.getImage(tag).remove({ force: true });
  });

  const folder = (name: string, script: string, project = {}, ...lines: string[]) =>
    scratchActor(join(home.folder, name), script, { name, image: `${repository}:${name}`, ...project }, ...lines);
  const check = async (...args: string[]): Promise<{ code: number; report: Report }> => {
    const { code, stdout, stderr } = await home.cli(['actors', 'check', ...args, '--json']);
    expect(stderr).toBe('');
    return { code, report: JSON.parse(stdout) as Report };
  };
  const levels = ({ findings }: Report) => Object.fromEntries(findings.map(({ id, level }) => [id, level]));

  it('builds and runs a valid folder, and warns only that the actor runs as root', async () => {
    const { code, report } = await check(folder('well', 'cat "$MSG_FILE" 2>/dev/null || echo "$MSG"\n'));
    expect(code).toBe(0);
    expect(levels(report)).toEqual({ command: 'ok', arch: 'ok', size: 'ok', user: 'warning', run: 'ok' });
  });

  it('checks all actors of a project with their build arguments', async () => {
    const word = ['ARG WORD=none', 'ENV WORD=$WORD'];
    folder('arged', '[ "$WORD" = "of the file" ] || exit 9\n', {}, ...word);
    const failing = folder('failing', '');
    writeFileSync(join(failing, 'Dockerfile'), 'FROM scratch\nCOPY main.sh /\nCMD ["/nothing"]\n');
    const file = join(home.folder, 'checked.yaml');
    writeFileSync(
      file,
      `project: checked
actors:
  arged: { image: '${repository}:arged2', build: { context: ./arged, args: { WORD: of the file } } }
  failing: ./failing
`,
    );
    const { code, stdout } = await home.cli(['actors', 'check', '-f', file, '--json']);
    expect(code).toBe(1);
    const { ok, actors } = JSON.parse(stdout) as { ok: boolean; actors: (Report & { actor: string })[] };
    const runs = actors.map((each) => [each.actor, each.ok, levels(each)['run']]);
    expect([ok, runs]).toEqual([
      false,
      [
        ['arged', true, 'ok'],
        ['failing', false, 'error'],
      ],
    ]);
    const said = await home.cli(['actors', 'check', '-f', file, '--no-build', '--no-run']);
    expect(said).toMatchObject({ code: 0, stdout: expect.stringMatching(/^arged\n.*\n\nfailing\n/s) });
    const both = await home.cli(['actors', 'check', join(home.folder, 'arged'), '-f', file]);
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('give a target or --file, not both') });
  });

  it('passes the variables of env_file', async () => {
    const dir = folder('named', '[ "$NAME" = "of the file" ] || exit 9\n', { env_file: 'variables' });
    writeFileSync(join(dir, 'variables'), 'NAME=of the file\n');
    expect(levels((await check(dir)).report)).toMatchObject({ run: 'ok' });
  });

  it('passes a binary sample of 5 MiB as an execution gets it', async () => {
    const dir = folder('sampled', '[ "$(wc -c < "$_svc_binary_data_FILE")" = 5242880 ] || exit 9\n');
    mkdirSync(dirname(join(dir, SAMPLE)));
    writeFileSync(join(dir, SAMPLE), Buffer.alloc(5 * 1024 * 1024, 0xff));
    expect(levels((await check(dir)).report)).toMatchObject({ run: 'ok' });
  });

  it('warns of a non-zero exit code, a secret in clear text, and the use of MSG without MSG_FILE', async () => {
    const dir = folder(
      'ill',
      'echo "no $MSG" >&2; exit 4\n',
      { env: { API_TOKEN: 'x' } },
      'USER 1000',
      'ENV DB_PASSWORD=x',
    );
    const { code, report } = await check(dir);
    expect(code).toBe(0);
    expect(levels(report)).toMatchObject({ 'long-message': 'warning', secrets: 'warning', run: 'warning', user: 'ok' });
    expect(report.findings.find(({ id }) => id === 'run')?.message).toContain('exited with 4');
  });

  it('exits with 1 for an image that cannot start and for a schema that is not JSON', async () => {
    const dir = folder('broken', '', { message_schema: 'schema.json' });
    writeFileSync(join(dir, 'schema.json'), '{');
    writeFileSync(join(dir, 'Dockerfile'), 'FROM scratch\nCOPY main.sh /\nCMD ["/nothing"]\n');
    const { code, report } = await check(dir);
    expect(code).toBe(1);
    expect(levels(report)).toMatchObject({ schema: 'error', run: 'error' });
  });

  it('warns of an actor that does not end, and leaves no container behind', async () => {
    const { report } = await check(folder('endless', 'sh -c "sleep 600"\n'), '--timeout', '10s');
    expect(report.findings.find(({ id }) => id === 'run')?.message).toContain('did not end');
    const left = await engine.listContainers({ filters: { ancestor: [`${repository}:endless`] } });
    expect(left).toEqual([]);
  });

  it('ends a build that takes longer than --timeout with exit code 8, and does not run the actor', async () => {
    const dir = folder('slow', '', {}, 'RUN while :; do :; done');
    const { code, stderr } = await home.cli(['actors', 'check', dir, '--timeout', '2s']);
    expect({ code, stderr }).toMatchObject({ code: 8, stderr: expect.stringContaining('the actor was not run') });
  });

  it('accepts the name of an actor or of an image, even of an actor that runs as a process', async () => {
    await home.json('actors', 'create', shellActor(home.folder), '--name', 'sh', '--wait');
    expect((await check('sh', '-m', 'hi')).report).toMatchObject({ ok: true });
    expect(levels((await check(`${repository}:well`)).report)).toMatchObject({ run: 'ok' });
    const human = await home.cli(['actors', 'check', `${repository}:well`, '--no-run']);
    expect(human.stdout).toMatch(/^warning user: the actor runs as root/m);
    expect(human.stdout).toMatch(/3 passed, 1 warning, 0 errors\n$/);
  });
});
