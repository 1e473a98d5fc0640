// The engine that a start after `down` uses: that of the last start, unless a flag, a variable or a setting names one.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';

let home: Home;
/** The engine discovery finds this engine, which is unavailable. */
const env = { DOCKER_HOST: '' };
const away = 'unix:///nowhere/away.sock';

beforeEach(() => {
  home = inProcessHome();
});

afterEach(() => home.remove());

const swarm = [
  '--engine',
  'swarm',
  '--docker-host',
  away,
  '--registry',
  'r.test:5000',
  '--advertise-url',
  'http://a:1',
];

/** Starts and stops the daemon. Returns the settings that the next start reuses from this one. */
const start = async (...flags: string[]): Promise<Record<string, unknown>> => {
  const { code, stderr } = await home.cli(['up', '--port', 'auto', ...flags], { env });
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  await home.cli(['down'], { env });
  const { stdout } = await home.cli(['settings', 'list', '--json'], { env });
  const rows: readonly { key: string; value: unknown; source: string }[] = JSON.parse(stdout);
  return Object.fromEntries(
    rows.filter(({ key, source }) => source === 'start' && key !== 'daemon.port').map(({ key, value }) => [key, value]),
  );
};

const inForce = {
  'daemon.engine': 'swarm',
  'docker.host': away,
  'daemon.registry': 'r.test:5000',
  'daemon.advertise_url': 'http://a:1',
};

it('the next start reuses the engine, its address, the registry and the URL for nodes', async () => {
  expect(await start(...swarm)).toEqual(inForce);
  expect(await start()).toEqual(inForce);
  expect(await start('--registry', 'none', '--advertise-url', 'auto')).toEqual({
    'daemon.engine': 'swarm',
    'docker.host': away,
  });
  expect(await start('--engine', 'docker', '--docker-host', 'auto')).toEqual({ 'daemon.engine': 'docker' });
  expect(await start()).toEqual({ 'daemon.engine': 'docker' });
});

it('the next start prefers a setting to the value of the last start', async () => {
  await start(...swarm);
  await home.cli(['settings', 'set', 'daemon.registry', 's.test:5000']);
  await start();
  await home.cli(['settings', 'unset', 'daemon.registry']);
  expect(await start()).toEqual({ ...inForce, 'daemon.registry': 's.test:5000' });
});

it('a restart keeps the engine of the running daemon, and mentions the setting', async () => {
  await home.cli(['up', '--port', 'auto', ...swarm], { env });
  await home.cli(['settings', 'set', 'daemon.engine', 'docker']);
  const { code, stderr } = await home.cli(['daemon', 'restart'], { env });
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining(
      'the daemon keeps --engine swarm. To use the engine docker of the settings: actorctl daemon restart --engine docker',
    ),
  ]);
});
