// `doctor`: finds what is wrong, says what fixes it, changes nothing, and writes a report without secrets.
import { appendFileSync, chmodSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { ADMIN, type Home, inProcessHome } from '../../support/daemon/home.ts';
import { contents } from '../../support/store/store-fixtures.ts';

let home: Home;

beforeEach(() => {
  home = inProcessHome(NO_ENGINE);
});

afterEach(() => home.remove());

interface Doctor {
  readonly ok: boolean;
  readonly checks: readonly {
    readonly name: string;
    readonly level: string;
    readonly text: string;
    readonly fix: string | null;
  }[];
}
const doctor = async (env: NodeJS.ProcessEnv = {}) => {
  const { code, stdout } = await home.cli(['doctor', '--json'], { env });
  const { ok, checks } = JSON.parse(stdout) as Doctor;
  const of = (name: string) => checks.find((check) => check.name === name);
  return { code, ok, checks, of };
};
const dataDir = () => path.join(home.folder, 'data', 'default');

describe('doctor', () => {
  it('finds no error in a home that is new, and in one whose daemon runs; every warning says what fixes it', async () => {
    const fresh = await doctor();
    expect([fresh.code, fresh.ok]).toEqual([0, true]);
    expect(fresh.of('records')?.text).toBe('there are none yet');
    await home.up();
    const running = await doctor();
    expect([running.code, running.ok]).toEqual([0, true]);
    expect(running.of('daemon')?.text).toContain('runs (process');
    expect(running.of('token')?.text).toContain('of dev via file is accepted');
    for (const { level, fix } of [...fresh.checks, ...running.checks]) expect(fix === null).toBe(level === 'ok');
    expect(running.checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'node',
        'engine',
        'port',
        'data folder',
        'records',
        'keychain',
        'browser',
        'clock',
        'contexts',
        'completion',
      ]),
    );
  });

  it('finds damaged records, changes nothing in the data, and exits with 1', async () => {
    await home.up();
    await home.cli(['down']);
    appendFileSync(path.join(dataDir(), 'db', 'users.json'), 'x');
    const before = contents(dataDir());
    const found = await doctor();
    expect([found.code, found.ok]).toEqual([1, false]);
    expect(found.of('records')).toMatchObject({ level: 'error', text: expect.stringContaining('users.json') });
    expect(contents(dataDir())).toEqual(before);
  });

  it('finds a port that is taken, a folder that others can write to, and a login without a daemon', async () => {
    await home.up();
    await home.cli(['down']);
    const server = createServer();
    const port = await new Promise<number>((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
    );
    chmodSync(path.join(home.folder, 'config'), 0o777);
    const found = await doctor({ ACTORCTL_PORT: String(port) });
    await new Promise((resolve) => server.close(resolve));
    chmodSync(path.join(home.folder, 'config'), 0o700);
    expect(found.of('port')).toMatchObject({ level: 'error', fix: 'actorctl up --port auto' });
    expect(found.of('port')?.text).toContain(`process ${process.pid} uses it`);
    expect(found.of('config folder')).toMatchObject({ level: 'error', fix: expect.stringContaining('chmod 700') });
    expect(found.of('token')?.text).toContain('no daemon to check it');
  });

  it('names the lifetime of the token that its own request renewed', async () => {
    await home.up('--virtual-clock', '2030-01-01');
    await home.json('clock', 'advance', '5h');
    expect((await doctor()).of('token')?.text).toMatch(/of dev via file is accepted, (?:4h|3h5\dm)\S* left/);
  });

  it('checks the token at a service that is elsewhere, and not that of a stopped instance', async () => {
    await home.up();
    await home.cli(['down']);
    await home.json('context', 'create', 'stopped', '--instance', 'default');
    expect((await doctor({ ACTORCTL_CONTEXT: 'stopped' })).of('token')?.text).toContain('no daemon to check it');
    const elsewhere = { ACTORCTL_BASE_URL: 'http://127.0.0.1:1', ACTORCTL_TOKEN: 'token' };
    expect((await doctor(elsewhere)).of('token')).toMatchObject({ level: 'error' });
  });

  it('R181 writes a report that only its owner can read, without secrets and without the home folder', async () => {
    await home.up();
    const { access_token: token } = await home
      .json<{ access_token: string }>('auth', 'token', '--show-secrets')
      .catch(() => ({
        access_token: '',
      }));
    const shown = token || (await home.cli(['auth', 'token'])).stdout.trim();
    const file = path.join(home.folder, 'report.txt');
    const env = { HOME: home.folder, ACTORCTL_TOKEN: shown };
    expect((await home.cli(['doctor', '--report', file], { env })).code).toBe(0);
    const report = readFileSync(file, 'utf8');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(shown.length).toBeGreaterThan(20);
    for (const secret of [shown, ADMIN.password, home.folder]) expect(report).not.toContain(secret);
    expect(report).toContain('ACTORCTL_TOKEN');
    expect(report).toContain('"msg":"up"');
    expect((await home.cli(['doctor', '--report', file], { env })).code).toBe(7);
  });
});
