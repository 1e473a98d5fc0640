// `up` and a restore under a context with an address: the login and the client belong to the daemon of this machine.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type CliService, startCliService } from '../../support/daemon/cli-service.ts';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';

let service: CliService;
let home: Home;
let before: unknown;
let asked: number;

const accounts = (): Record<string, { readonly record: Record<string, unknown> }> =>
  JSON.parse(readFileSync(path.join(home.folder, 'config', 'credentials.json'), 'utf8')).accounts;

beforeEach(async () => {
  service = await startCliService();
  home = inProcessHome(NO_ENGINE);
  await home.json('context', 'create', 'staging', '--base-url', service.origin, '--use');
  const login = ['login', '--username', 'dev', '--password-stdin', '--client', 'ck', '--client-secret-stdin'];
  expect(await home.cli(login, { input: 'client-secret\ngood password\n' })).toMatchObject({ code: 0 });
  before = accounts()['context/staging'];
  asked = service.asked.length;
});

afterEach(async () => {
  await home.remove();
  await service.close();
});

/** The service of the context got no request, and its login is as it was. */
const expectUntouched = (): void => {
  expect(service.asked.slice(asked)).toEqual([]);
  expect(accounts()['context/staging']).toEqual(before);
};

it.each([
  ['a context', {}, 'add -c local'],
  ['a variable', { ACTORCTL_CONTEXT: 'local', ACTORCTL_BASE_URL: 'ORIGIN' }, 'unset it'],
])('`up --login` under %s logs in to the daemon that it starts', async (_name, named, advice) => {
  const env = { ...named, ...('ACTORCTL_BASE_URL' in named && { ACTORCTL_BASE_URL: service.origin }) };
  const { code, stdout, stderr } = await home.cli(['up', '--port', 'auto', '--login'], { env });
  expect({ code, stdout, stderr }).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Logged in as dev'),
    stderr: expect.stringContaining(`other commands go to ${service.origin}`),
  });
  expect(stderr).toContain(advice);
  expectUntouched();
  expect(accounts()['local/default']?.record).toMatchObject({ client: {}, login: { username: 'dev' } });
  expect(await home.cli(['whoami', '--check', '-c', 'local'])).toMatchObject({ code: 0 });
});

it('`up` and `snapshot restore` keep the login of the context', async () => {
  await home.json('up', '--port', 'auto');
  await home.json('snapshot', 'create', 'first');
  await home.json('snapshot', 'restore', 'first', '--replace');
  expectUntouched();
  expect(accounts()['local/default']?.record).toMatchObject({ client: {} });
});
