// The example project on a real engine: three actors, applied, used, compared, saved, emptied, imported, exported and
// deleted by the built program.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Ended, type Home, inProcessHome } from '../../support/daemon/home.ts';
import { program } from '../../support/daemon/run-program.ts';
import { dockerRequirement, type TestImages, testImages } from '../../support/engine/docker.ts';
import { pytestRequirement } from '../../support/python/pytest.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const example = fileURLToPath(new URL('../../../examples/weather', import.meta.url));
const ACTORS = ['intake', 'count', 'report'];

const execOf = (...command: readonly string[]) => [process.execPath, program, 'exec', '-q', '--', ...command] as const;

/** Each look runs a command. */
const SLOWLY = { interval: 200 };

interface Applied {
  readonly steps: readonly { readonly kind: string; readonly name: string; readonly action: string }[];
}

describeIf(await dockerRequirement(), 'the example project', () => {
  const engine = new Docker();
  const tag = randomBytes(6).toString('hex');
  let images: TestImages;
  let home: Home;
  let folder: string;
  let env: NodeJS.ProcessEnv;
  let baseUrl: string;

  beforeAll(async () => {
    images = testImages();
    env = { BASE_IMAGE: await images.script('true'), WEATHER_TAG: tag };
    home = inProcessHome();
    ({ baseUrl } = await home.up());
    folder = join(home.folder, 'weather');
    cpSync(example, folder, { recursive: true });
  });
  afterAll(async () => {
    await home.remove();
    for (const name of ACTORS) {
      // This includes images whose name a later build took.
      const built = await engine.listImages({ filters: { label: ['actorctl.built'] } });
      for (const { Id } of built.filter(({ Labels }) => Labels['actorctl.built']?.includes(` weather-${name}:${tag} `)))
        await engine.getImage(Id).remove({ force: true });
    }
    await images.remove();
  });

  const run = (...args: readonly string[]): Promise<Ended> => home.cli(args, { cwd: folder, env });
  const apply = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { code, stdout, stderr } = await run('apply', ...args, '--json');
    if (code !== 0) throw new Error(`apply ended with ${code}: ${stderr}`);
    return (JSON.parse(stdout) as Applied).steps.map(({ action, name }) => `${action} ${name}`);
  };
  /** What a webhook of another service does. */
  const post = (nonce: string): Promise<Response> =>
    fetch(`${baseUrl}/actors/v2/weather/messages?x-nonce=${nonce}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"temperature": 21}',
    });
  const seen = async (): Promise<unknown> => (await home.json('state', 'get', 'weather-count'))['seen'];

  it('passes its own tests', async () => {
    const { code, stdout, stderr } = await run('test', '--shared');
    expect(code, stdout + stderr).toBe(0);
    expect(stdout).toContain('3 tests: 3 passed, 0 failed');
  });

  const passes = ([file, ...args]: readonly [string, ...string[]], passed: RegExp): void => {
    const own = { ...home.env, ...env, PYTHONDONTWRITEBYTECODE: '1' };
    const { status, stdout, stderr } = spawnSync(file, args, { cwd: example, env: own, encoding: 'utf8' });
    expect(stdout + stderr).toMatch(passed);
    expect(status).toBe(0);
  };

  it('passes its tests that use the library', () => {
    passes([process.execPath, '--test', 'tests/weather.test.mjs'], /^# pass 3$/m);
  });

  it('passes its tests in a shell', () => {
    passes(execOf('sh', 'tests/test.sh'), /^passed$/m);
  });

  describeIf(pytestRequirement, 'with pytest', () => {
    it('passes its tests in Python', () => {
      passes(execOf('python3', '-m', 'pytest', '-q', 'tests'), /^2 passed/m);
    });
  });

  it('is built and applied in the order of its links, and a second apply changes nothing', async () => {
    expect(await apply('--wait')).toEqual([
      'created weather-count',
      'created weather-intake',
      'created weather-report',
      'created weather',
      'created weather-counter',
      'created weather-station',
    ]);
    expect(new Set((await apply()).map((each) => each.split(' ')[0]))).toEqual(new Set(['unchanged']));
    expect((await run('diff')).code).toBe(0);
    const { next } = await home.json<{ next: readonly string[] }>('cron', 'show', 'weather-report');
    expect(next.length).toBeGreaterThan(0);
  });

  it('counts the readings that a webhook posts without a login', async () => {
    const { id: nonce } = await home.json<{ id: string }>('nonces', 'create', 'alias:weather', '--max-uses', '1');
    expect((await post(nonce)).status).toBe(200);
    await expect.poll(seen, SLOWLY).toBe(1);
    expect((await run('run', 'weather-report', '-m', 'now')).stdout).toBe('station north: 1 readings, metric\n');
  });

  it('keeps its state when a field and the content of a folder change', async () => {
    writeFileSync(join(folder, 'report/main.sh'), 'echo "units $UNITS"\n');
    env = { ...env, WEATHER_UNITS: 'imperial' };
    const diff = await run('diff');
    expect(diff).toMatchObject({ code: 12, stdout: expect.stringContaining('env.UNITS: metric -> imperial') });
    expect((await apply('--wait')).filter((each) => !each.startsWith('unchanged'))).toEqual(['changed weather-report']);
    expect((await run('run', 'weather-report', '-m', 'now')).stdout).toBe('units imperial\n');
    expect(await seen()).toBe(1);
  });

  it('prints the steps of an image that is built, and one line for any other', async () => {
    const same = await run('apply');
    expect(
      same.stderr
        .split('\n')
        .map((line) => line.replace(/ \(sha256:.*\)$/, ''))
        .toSorted(),
    ).toEqual(['', ...['count', 'intake', 'report'].map((name) => `unchanged  image weather-${name}:${tag}`)]);
    writeFileSync(join(folder, 'report/main.sh'), 'echo "in $UNITS"\n');
    const changed = (await run('apply', '--wait')).stderr;
    expect(changed).toMatch(new RegExp(`^building weather-report:${tag}: Step .*COPY`, 'm'));
    expect(changed).toMatch(new RegExp(`^Built weather-report:${tag} `, 'm'));
    expect(changed).toMatch(/^weather-report {2}READY in /m);
    expect(changed.match(/^unchanged {2}image /gm)).toHaveLength(2);
    expect(changed).not.toMatch(/: Step .*FROM|weather-(count|intake):\w+: Step/);
  });

  it('is complete again after a snapshot, a reset and an import', async () => {
    const archive = join(home.folder, 'weather.tar.gz');
    const { id: nonce } = await home.json<{ id: string }>('nonces', 'create', 'alias:weather', '--max-uses', '2');
    const log = (await run('logs', 'weather-report@last')).stdout;
    await home.json('snapshot', 'create', 'kept');
    await home.json('backup', archive);

    await home.json('reset', '--yes');
    await home.up();
    expect(await home.json('actors', 'list')).toEqual([]);
    const lost = await run('diff');
    expect(lost).toMatchObject({ code: 12, stdout: expect.stringContaining('+ actor weather-count') });

    await home.json('down');
    ({ baseUrl } = await home.up('--import', archive, '--replace'));
    expect((await run('diff')).code).toBe(0);
    expect(new Set((await apply()).map((each) => each.split(' ')[0]))).toEqual(new Set(['unchanged']));
    expect(await seen()).toBe(1);
    expect((await run('logs', 'weather-report@last')).stdout).toBe(log);
    expect((await home.json<{ next: readonly string[] }>('cron', 'show', 'weather-report')).next).not.toEqual([]);
    expect((await post(nonce)).status).toBe(200);
    await expect.poll(seen, SLOWLY).toBe(2);
    // The execution that counted may run for another moment, and its data are not replaced meanwhile.
    const restore = async () => (await home.cli(['snapshot', 'restore', 'kept', '--replace'])).code;
    await expect.poll(restore, SLOWLY).toBe(0);
    await home.up();
    expect(await seen()).toBe(1);
  });

  it('is exported to a file that changes nothing, and deleted with all that belongs to it', async () => {
    const { stdout } = await run('export', '--with-state');
    expect(stdout).toContain('seen: 1');
    writeFileSync(join(folder, 'actorctl.yaml'), stdout);
    expect(new Set((await apply('--no-build')).map((each) => each.split(' ')[0]))).toEqual(new Set(['unchanged']));
    expect((await run('project', 'delete', '-f', '.', '--yes')).stdout).toContain('Deleted project weather: 6 things');
    expect(await home.json('actors', 'list')).toEqual([]);
  });
});
