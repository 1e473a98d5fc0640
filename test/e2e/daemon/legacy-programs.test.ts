// agavepy and abaco-cli, unmodified, against the https listener on port 443.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { ADMIN, type Home, inProcessHome } from '../../support/daemon/home.ts';
import { shellActor } from '../../support/daemon/shell-actor.ts';
import { agavepyRequirement, PYTHON, pythonPath } from '../../support/python/agavepy.ts';
import { describeIf, type Requirement, requirement } from '../../support/runner/requirements.ts';

const run = promisify(execFile);
const ALL_METHODS = fileURLToPath(new URL('../../support/python/all_methods.py', import.meta.url));

/** Whether a process may listen on 443, which both programs need. */
const httpsPort = (): Promise<Requirement> =>
  new Promise((resolve) => {
    const server = createServer();
    const end = (error?: Error) =>
      server.close(() => resolve(requirement('https-port', !error, `port 443 cannot be used: ${error?.message}`)));
    server.once('error', end).listen(443, '127.0.0.1', () => end());
  });

const abacoCli = process.env['ACTORCTL_TEST_ABACO_CLI'];
const abacoRequirement = requirement(
  'abaco-cli',
  abacoCli !== undefined && existsSync(join(abacoCli, 'abaco')),
  'ACTORCTL_TEST_ABACO_CLI must name a checkout of github.com/TACC-Cloud/abaco-cli',
);
const port = await httpsPort();
const ifPort = (program: Requirement) => (program.available ? port : program);

let home: Home;
let authority: string;
const begin = async () => {
  home = inProcessHome(NO_ENGINE);
  await home.up('--legacy', '--legacy-port', '443');
  authority = (await home.json<{ authority_file: string }>('tls', 'trust')).authority_file;
};

describeIf(ifPort(agavepyRequirement()), 'agavepy', () => {
  beforeAll(begin);
  afterAll(() => home.remove());

  it('agavepy works with all methods, except two that fail inside agavepy', async () => {
    const env = {
      HOME: home.folder,
      PATH: process.env['PATH'],
      PYTHONPATH: pythonPath,
      PYTHONDONTWRITEBYTECODE: '1',
      REQUESTS_CA_BUNDLE: authority,
      TAPIS_TENANTS_URL: 'https://localhost/tenants',
    };
    const image = shellActor(home.folder);
    const { stdout } = await run(PYTHON, [ALL_METHODS, ADMIN.username, ADMIN.password, image], { env });
    const { nonce, state, ...outcome } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
    expect([nonce, state]).toEqual([true, { state: { n: 1 } }]);
    const failed = Object.entries(outcome).filter(([, how]) => how !== 'ok');
    // agavepy has no model for the responses of these two operations.
    expect(Object.fromEntries(failed)).toEqual({
      'actors.getSearch': expect.stringMatching(/^KeyError/),
      'actors.deleteMessages': expect.stringMatching(/^KeyError/),
    });
    expect(Object.keys(outcome)).toHaveLength(30 + 7 + 6 + 1);
  });
});

describeIf(ifPort(abacoRequirement), 'abaco-cli', () => {
  beforeAll(begin);
  afterAll(() => home.remove());

  const abaco = async (...args: string[]): Promise<string> => {
    const folder = resolve(abacoCli ?? '');
    const env = { HOME: home.folder, PATH: `${folder}:${process.env['PATH']}` };
    const { stdout } = await run('bash', [join(folder, 'abaco'), ...args], { env, cwd: home.folder });
    return stdout.trim();
  };

  it('the legacy command line registers, runs and deletes an actor', async () => {
    const { stdout } = await home.cli(['env', '--shell', 'agave']);
    mkdirSync(join(home.folder, '.agave'));
    writeFileSync(join(home.folder, '.agave', 'current'), stdout);

    expect(await abaco('version')).toMatch(/abaco: 1\.9\.1/);
    const image = shellActor(home.folder);
    const id = (await abaco('create', '-n', 'two', image)).split(/\s+/)[1] ?? '';
    expect(id).toMatch(/^[A-Za-z0-9]{13}$/);
    expect(await abaco('list')).toMatch(`two  ${id}`);
    const execution = (await abaco('submit', '-m', 'hello', id)).split('\n')[0]?.split(/\s+/)[0] ?? '';
    await home.cli(['executions', 'wait', execution]);
    expect(await abaco('executions', id)).toContain(`${execution}  COMPLETE`);
    expect(await abaco('logs', id, execution)).toContain('got: hello');
    expect(await abaco('messages', id)).toMatch(/^0$/m);
    expect(await abaco('workers', id)).toContain('READY');
    expect(await abaco('aliases', 'create', id, 'ali')).toContain('ali');
    expect(await abaco('aliases', 'list')).toContain(id);
    expect(await abaco('aliases', 'delete', 'ali')).not.toContain('error');
    expect(await abaco('update', id, image)).toContain(id);
    expect(await abaco('delete', id)).toBe('Actor deleted.');
    expect(await abaco('list')).toBe('');
  });
});
