// What a restart keeps, what a second `up` refuses, and what the next start reuses.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  droppedSince,
  type Launch,
  type LaunchFlags,
  launchArguments,
  nextLaunch,
  notInForce,
  readLaunch,
  sameLaunch,
} from '../../../src/local/daemon/launch.ts';
import { resolveSettings } from '../../../src/local/settings/settings.ts';
import { checkFiles } from '../../../src/local/settings/settings-file.ts';

const launch: Launch = {
  port: 9000,
  anyPort: false,
  bind: '127.0.0.1',
  insecureBind: false,
  dataDir: '/data/one',
  engine: 'docker',
  ephemeral: false,
};
const open: Launch = {
  ...launch,
  bind: '0.0.0.0',
  insecureBind: true,
  publicUrl: 'http://192.0.2.7:9000',
  dockerHost: 'unix:///a.sock',
};

describe('a stored launch', () => {
  it.each([
    ['a port that no daemon can have', JSON.stringify({ ...launch, port: 70_000 })],
    ['a port that is no whole number', JSON.stringify({ ...launch, port: 1.5 })],
    ['another shape', '[]'],
    ['no JSON', '{'],
  ])('with %s is ignored', async (_, text) => {
    const folder = mkdtempSync(join(tmpdir(), 'actorctl-launch-'));
    const file = join(folder, 'launch.json');
    writeFileSync(file, text);
    expect(await readLaunch(file)).toBeUndefined();
    writeFileSync(file, JSON.stringify({ ...launch, added: 'by a later version' }));
    expect(await readLaunch(file)).toEqual(launch);
    rmSync(folder, { recursive: true });
  });
});

describe('a restart', () => {
  it.each<[string, Launch, LaunchFlags, string]>([
    [
      'keeps a chosen port',
      launch,
      {},
      '--port 9000 --bind 127.0.0.1 --public-url auto --data-dir /data/one --docker-host auto --engine docker',
    ],
    [
      'tries the same port first if any port was requested',
      { ...launch, anyPort: true },
      {},
      '--port auto --prefer-port 9000 --bind 127.0.0.1 --public-url auto --data-dir /data/one --docker-host auto --engine docker',
    ],
    [
      'keeps an insecure address and the engine',
      open,
      {},
      '--port 9000 --bind 0.0.0.0 --insecure-bind --public-url http://192.0.2.7:9000 --data-dir /data/one --docker-host unix:///a.sock --engine docker',
    ],
    [
      'allows a new address only with the flag that allows it',
      open,
      { bind: '192.0.2.1' },
      '--port 9000 --bind 192.0.2.1 --data-dir /data/one --docker-host unix:///a.sock --engine docker',
    ],
    [
      'takes a new port from a flag',
      { ...launch, anyPort: true },
      { port: '9001' },
      '--port 9001 --bind 127.0.0.1 --public-url auto --data-dir /data/one --docker-host auto --engine docker',
    ],
    [
      'keeps an ephemeral daemon ephemeral',
      { ...launch, ephemeral: true },
      {},
      '--port 9000 --bind 127.0.0.1 --public-url auto --data-dir /data/one --docker-host auto --engine docker --ephemeral',
    ],
  ])('%s', (_title, before, given, line) => {
    expect(launchArguments(sameLaunch(before, given)).join(' ')).toBe(line);
  });
});

describe('a second up', () => {
  it.each<[LaunchFlags, string]>([
    [{}, ''],
    [{ port: 'auto' }, ''],
    [{ port: '9000', bind: '127.0.0.1', dataDir: '/data/one' }, ''],
    [{ port: '9001' }, '--port 9001'],
    [{ bind: '::1' }, '--bind ::1'],
    [{ insecureBind: true }, '--insecure-bind'],
    [{ dataDir: '/data/two', dockerHost: 'unix:///a.sock' }, '--data-dir /data/two --docker-host unix:///a.sock'],
    [{ ephemeral: true, dataDir: '/tmp/new' }, '--ephemeral'],
    [{ engine: 'docker', dockerHost: 'auto', registry: 'none' }, ''],
    [{ engine: 'swarm', registry: 'r:5000' }, '--engine swarm --registry r:5000'],
  ])('with %j finds not in force: %s', (given, line) => {
    expect(launchArguments(notInForce(given, launch)).join(' ')).toBe(line);
  });
});

describe('a clock', () => {
  it.each<[LaunchFlags, string]>([
    [{ clock: 'virtual' }, '--clock virtual'],
    [{ clock: 'machine' }, '--clock machine'],
    [{ clock: 0 }, '--clock 1970-01-01T00:00:00.000Z'],
  ])('%j is requested with %s, and a restart does not keep this flag', (given, line) => {
    expect(launchArguments(given).join(' ')).toBe(line);
    expect(notInForce(given, launch)).toEqual({});
  });
});

describe('the start after a stop', () => {
  const swarm = {
    ...launch,
    engine: 'swarm',
    dockerHost: 'unix:///a.sock',
    registry: 'r:5000',
    advertiseUrl: 'http://a:1',
  };
  const line = (before: Launch | undefined, given: LaunchFlags, settings = {}, env = {}): string => {
    const files = checkFiles({ settings: { path: '/c/settings.json', value: settings } });
    const { origins } = resolveSettings({ flags: {}, env, files, duration: Number });
    return launchArguments(nextLaunch(given, { origins, env }, before)).join(' ');
  };

  it.each<[string, string, Parameters<typeof line>]>([
    ['the port', '--port 9000 --engine docker', [launch, {}]],
    [
      'a port that was any one, to be tried first',
      '--port auto --prefer-port 9000 --engine docker',
      [{ ...launch, anyPort: true }, {}],
    ],
    [
      'the engine, its address and what a swarm needs',
      '--port 9000 --docker-host unix:///a.sock --engine swarm --registry r:5000 --advertise-url http://a:1',
      [swarm, {}],
    ],
    [
      'nothing of the swarm if a flag names another engine',
      '--port 9000 --engine docker',
      [{ ...swarm, dockerHost: undefined }, { engine: 'docker' }],
    ],
    [
      'what neither a flag nor a setting names',
      '--port 9000 --docker-host auto --engine swarm --registry s:5000 --advertise-url http://a:1',
      [swarm, { dockerHost: 'auto' }, { 'daemon.registry': 's:5000' }],
    ],
    [
      'what no variable names, which the daemon reads',
      '--registry r:5000 --advertise-url http://a:1',
      [swarm, {}, {}, { ACTORCTL_PORT: '1', DOCKER_HOST: 'unix:///b.sock', ACTORCTL_ENGINE: 'swarm' }],
    ],
    [
      'nothing of a swarm that a variable ends',
      '--port 9000 --docker-host unix:///a.sock',
      [swarm, {}, {}, { ACTORCTL_ENGINE: 'docker' }],
    ],
    [
      'a setting rather than the variable of Docker',
      '--port 9000 --docker-host unix:///c.sock --engine docker',
      [open, {}, { 'docker.host': 'unix:///c.sock' }, { DOCKER_HOST: 'unix:///b.sock' }],
    ],
    [
      'the settings at the first start',
      '--port 7000 --engine swarm --registry s:5000 --legacy',
      [undefined, {}, { 'daemon.port': 7000, 'daemon.engine': 'swarm', 'daemon.registry': 's:5000', legacy: true }],
    ],
  ])('reuses %s', (_title, expected, given) => {
    expect(line(...given)).toBe(expected);
  });

  it.each<[string, Launch, LaunchFlags, readonly string[]]>([
    ['nothing if nothing differs', launch, {}, []],
    [
      'another data folder',
      { ...launch, dataDir: '/data/two' },
      {},
      ['the last start used --data-dir /data/one, this start uses /data/two'],
    ],
    ['nothing about a flag that was given', { ...launch, dataDir: '/data/two' }, { dataDir: '/data/two' }, []],
    ['nothing about the folder of an ephemeral daemon', { ...launch, dataDir: '/tmp/new', ephemeral: true }, {}, []],
    ['another port', { ...launch, port: 9001 }, {}, ['the last start used --port 9000, this start uses 9001']],
  ])('reports %s', (_title, now, given, lines) => {
    expect(droppedSince(launch, now, given)).toEqual(lines);
  });

  it('reports an engine that is not used any more', () => {
    expect(droppedSince(open, { ...open, dockerHost: undefined }, {})).toEqual([
      'the last start used --docker-host unix:///a.sock, this start uses an automatically detected value',
    ]);
  });

  it('reports a swarm that is not used any more', () => {
    expect(launchArguments(sameLaunch(swarm, {})).join(' ')).toContain(
      '--engine swarm --registry r:5000 --advertise-url http://a:1',
    );
    expect(droppedSince(swarm, launch, {})).toEqual([
      'the last start used --docker-host unix:///a.sock, this start uses an automatically detected value',
      'the last start used --engine swarm, this start uses docker',
      'the last start used --registry r:5000, this start uses none',
      'the last start used --advertise-url http://a:1, this start uses an automatically detected value',
    ]);
  });

  it('keeps the https listener with its flags, and reports one that is not used any more', () => {
    const legacy = {
      ...launch,
      legacy: true,
      legacyPort: 'auto',
      tlsCert: '/c',
      tlsKey: '/k',
      legacyJwtPublicKey: '/j',
    };
    expect(launchArguments(sameLaunch(legacy, {})).join(' ')).toContain(
      '--legacy --legacy-port auto --tls-cert /c --tls-key /k --legacy-jwt-public-key /j',
    );
    expect(notInForce({ legacy: true, tlsCert: '/c' }, launch)).toEqual({ legacy: true, tlsCert: '/c' });
    expect(notInForce({ legacy: true, tlsCert: '/c' }, legacy)).toEqual({});
    const off = sameLaunch(legacy, { legacy: false });
    expect(launchArguments(off).join(' ')).toBe(
      '--port 9000 --bind 127.0.0.1 --public-url auto --data-dir /data/one --docker-host auto --engine docker --no-legacy',
    );
    expect(notInForce({ legacy: false }, launch)).toEqual({});
    expect(launchArguments(notInForce({ legacy: false }, legacy))).toEqual(['--no-legacy']);
    expect(droppedSince(legacy, launch, { legacy: false })).toEqual([]);
    expect(droppedSince({ ...launch, legacy: true, legacyPort: '9443' }, launch, {})).toEqual([
      'the last start used --legacy, this start does not',
      'the last start used --legacy-port 9443, this start uses none',
    ]);
  });
});
