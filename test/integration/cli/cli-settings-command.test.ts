// `settings`: changes of the settings file, and the source of each value.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';

let home: Home;

beforeEach(() => {
  home = inProcessHome();
});

afterEach(() => home.remove());

const file = (): string => path.join(home.folder, 'config', 'settings.json');
const stored = (): unknown => JSON.parse(readFileSync(file(), 'utf8'));
const get = (key: string, env: NodeJS.ProcessEnv = {}) =>
  home.cli(['settings', 'get', key, '--json'], { env }).then(({ stdout }) => JSON.parse(stdout));

describe('settings', () => {
  it('set and unset change a private file, keep its other keys, and print the previous value', async () => {
    expect((await home.cli(['settings', 'set', 'daemon.port', '9000'])).stdout).toBe('daemon.port: not set -> 9000\n');
    expect((await home.cli(['settings', 'set', 'color', 'never'])).code).toBe(0);
    expect((await home.cli(['settings', 'set', 'color', 'never'])).stdout).toBe('color was never already\n');
    expect(await home.json('settings', 'set', 'daemon.autostart', 'false')).toMatchObject({
      value: false,
      before: null,
    });
    expect(stored()).toEqual({ 'daemon.port': 9000, color: 'never', 'daemon.autostart': false });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect((await home.cli(['settings', 'unset', 'daemon.port'])).stdout).toBe('daemon.port: 9000 -> not set\n');
    expect((await home.cli(['settings', 'unset', 'daemon.port'])).stdout).toBe('daemon.port was not set\n');
    expect(stored()).toEqual({ color: 'never', 'daemon.autostart': false });
  });

  it.each([
    ['daemon.prot', '1', 'did you mean "daemon.port"?'],
    ['daemon.port', '70000', 'daemon.port must be a port from 1 to 65535 or auto, not "70000"'],
    ['daemon.autostart', 'maybe', 'daemon.autostart must be one of true, false, not "maybe"'],
    ['legacy', 'yes', 'legacy must be one of true, false, not "yes"'],
    ['output', 'xml', 'output must be one of table, wide,'],
    ['request_timeout', 'soon', 'is not a duration'],
    ['docker.host', '/var/run/docker.sock', 'docker.host must be an address like unix://'],
    ['daemon.engine', 'kubernetes', 'daemon.engine must be one of docker, swarm, not "kubernetes"'],
    ['daemon.registry', 'http://r:5000', 'daemon.registry must be like registry.example:5000'],
    ['daemon.advertise_url', 'https://a:1', 'daemon.advertise_url must be like http://10.0.0.5:8722'],
    ['daemon.bind', ' ', 'daemon.bind cannot be empty'],
    ['daemon.bind', '127.0.0.1\n', 'daemon.bind cannot contain control characters'],
  ])('set refuses %s %j', async (key, value, message) => {
    const { code, stderr } = await home.cli(['settings', 'set', key, value]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('set refuses a context that does not exist', async () => {
    expect(await home.cli(['settings', 'set', 'context', 'nowhere'])).toMatchObject({ code: 6 });
    expect(await home.cli(['settings', 'set', 'context', 'local'])).toMatchObject({ code: 0 });
  });

  it('list and get show the value in force and its source', async () => {
    expect(await get('daemon.bind')).toEqual({
      key: 'daemon.bind',
      value: '127.0.0.1',
      source: 'default',
      from: null,
    });
    await home.cli(['settings', 'set', 'daemon.bind', '127.0.0.2']);
    expect(await get('daemon.bind')).toMatchObject({ value: '127.0.0.2', source: 'file', from: file() });
    const env = { ACTORCTL_BIND: '127.0.0.3' };
    expect(await get('daemon.bind', env)).toMatchObject({
      value: '127.0.0.3',
      source: 'environment',
      from: 'ACTORCTL_BIND',
    });
    expect((await home.cli(['settings', 'set', 'daemon.bind', '127.0.0.4'], { env })).stderr).toContain(
      'ACTORCTL_BIND overrides it now',
    );
    expect((await home.cli(['settings', 'get', 'request_timeout', '--request-timeout', '5s'])).stdout).toBe('5s\n');
    const rows = await home.json<{ key: string; source: string }[]>('settings', 'list');
    expect(rows.map(({ key }) => key)).toEqual(
      'output color context credential_store request_timeout daemon.autostart daemon.port daemon.bind daemon.public_url docker.host daemon.engine daemon.registry daemon.advertise_url legacy'.split(
        ' ',
      ),
    );
    expect(rows[0]).toEqual({ key: 'output', value: 'json', source: 'flag', from: '--output' });
  });

  it('get shows that port and engine are those of the last start', async () => {
    const launch = { port: 9123, anyPort: false, bind: '::1', dataDir: '/x', engine: 'swarm', registry: 'r:5000' };
    expect(await get('daemon.port')).toMatchObject({ value: 8722, source: 'default' });
    const state = path.join(home.folder, 'state', 'default');
    mkdirSync(state, { recursive: true });
    writeFileSync(path.join(state, 'launch.json'), JSON.stringify(launch));
    expect(await get('daemon.port')).toMatchObject({ value: 9123, source: 'start' });
    expect(await get('daemon.engine')).toMatchObject({ value: 'swarm', source: 'start' });
    expect(await get('daemon.registry')).toMatchObject({ value: 'r:5000', source: 'start' });
    expect(await get('daemon.bind')).toMatchObject({ value: '127.0.0.1', source: 'default' });
  });
});
