// The configuration of the daemon: flags override variables, variables override defaults, and errors name the invalid
// value.
import { describe, expect, it } from 'vitest';
import { ConfigError, resolveConfig } from '../../../daemon/config.ts';

const env = { ACTORCTL_HOME: '/tmp/home', HOME: '/root' };
const resolve = (argv: readonly string[], more: Record<string, string> = {}) =>
  resolveConfig(argv, { ...env, ...more }, 'linux');

describe('the configuration of the daemon', () => {
  it('is loopback, port 8722 and the default instance by default', () => {
    const config = resolve([]);
    expect(config).toMatchObject({
      instance: 'default',
      port: 8722,
      bind: '127.0.0.1',
      ephemeral: false,
      logLevel: 'info',
    });
    expect(config.dataDir).toBe('/tmp/home/data/default');
    expect(config.limits).toEqual({
      memoryBytes: 1024 * 1024 * 1024,
      pids: 512,
      diskBytes: 2048 * 1024 * 1024,
      mailboxBytes: 256 * 1024 * 1024,
    });
    expect(config.dockerHost).toBeUndefined();
  });

  it('prefers a flag to a variable and a variable to the default', () => {
    expect(resolve([], { ACTORCTL_PORT: '9000', ACTORCTL_INSTANCE: 'ci' })).toMatchObject({
      port: 9000,
      instance: 'ci',
    });
    expect(
      resolve(['--port', '9001', '--instance', 'a'], { ACTORCTL_PORT: '9000', ACTORCTL_INSTANCE: 'ci' }),
    ).toMatchObject({ port: 9001, instance: 'a' });
    expect(resolve(['--port', 'auto']).port).toBe(0);
    expect(
      resolve([], {
        ACTORCTL_MAX_WORKERS: '3',
        ACTORCTL_MAX_RUN_TIME: '60',
        ACTORCTL_MEMORY_MB: '64',
        ACTORCTL_PIDS: '9',
        ACTORCTL_DISK_MB: '100',
        ACTORCTL_MAILBOX_MB: '7',
      }).limits,
    ).toEqual({
      maxWorkers: 3,
      maxRunTime: 60,
      memoryBytes: 64 * 1024 * 1024,
      pids: 9,
      diskBytes: 100 * 1024 * 1024,
      mailboxBytes: 7 * 1024 * 1024,
    });
  });

  it.each([
    ['ACTORCTL_LOG_LEVEL', 'verbose'],
    ['ACTORCTL_PORT', '70000'],
    ['ACTORCTL_INSTANCE', 'a/b'],
    ['ACTORCTL_ENGINE', 'kubernetes'],
    ['ACTORCTL_REGISTRY', 'http://r:5000'],
    ['ACTORCTL_ADVERTISE_URL', 'https://a:1'],
  ])('names %s, not a flag, if the variable is wrong', (variable, value) => {
    expect(() => resolve([], { [variable]: value })).toThrow(new RegExp(`^${variable} must be`));
    const { env: _env, ...unset } = resolve([]);
    expect(resolve([], { [variable]: '' })).toMatchObject(unset);
  });

  it('refuses an empty flag', () => {
    for (const flag of ['--instance', '--bind', '--log-level']) expect(() => resolve([flag, ''])).toThrow(ConfigError);
  });

  it('accepts the required clock of the instance', () => {
    expect(resolve([]).clock).toBeUndefined();
    expect(resolve(['--clock', 'virtual']).clock).toBe('virtual');
    expect(resolve(['--clock', 'machine']).clock).toBe('machine');
    expect(resolve(['--clock', '1970-01-01T00:00:00.000Z']).clock).toBe(0);
    for (const bad of ['', 'now', '2030-01-01', '1969-12-31T00:00:00Z', '2030-13-01T00:00:00Z'])
      expect(() => resolve(['--clock', bad])).toThrow('--clock must be machine, virtual or an instant');
  });

  it('R112 has byte limits for one message and one state', () => {
    expect(resolve([]).limits.messageBytes).toBeUndefined();
    expect(resolve([], { ACTORCTL_MESSAGE_LIMIT: '2048', ACTORCTL_STATE_LIMIT: '1024' }).limits).toMatchObject({
      messageBytes: 2048,
      stateBytes: 1024,
    });
    expect(() => resolve([], { ACTORCTL_STATE_LIMIT: '1 MB' })).toThrow('ACTORCTL_STATE_LIMIT');
    expect(() => resolve([], { ACTORCTL_MESSAGE_LIMIT: '-1' })).toThrow('ACTORCTL_MESSAGE_LIMIT');
  });

  it('C21 allows webhooks to any address by default, and keeps 10 000 events for 30 days', () => {
    const day = 24 * 60 * 60 * 1000;
    expect(resolve([])).toMatchObject({
      allowPrivateWebhooks: true,
      eventRetention: { total: 10_000, ageMs: 30 * day },
    });
    expect(
      resolve([], { ACTORCTL_WEBHOOK_PRIVATE: 'deny', ACTORCTL_EVENTS_KEPT: '7', ACTORCTL_EVENTS_DAYS: '1' }),
    ).toMatchObject({ allowPrivateWebhooks: false, eventRetention: { total: 7, ageMs: day } });
    expect(() => resolve([], { ACTORCTL_WEBHOOK_PRIVATE: 'no' })).toThrow(/ACTORCTL_WEBHOOK_PRIVATE/);
    expect(() => resolve([], { ACTORCTL_EVENTS_KEPT: '0' })).toThrow(ConfigError);
  });

  it('keeps 10 000 executions of an actor and 100 000 of a tenant for 30 days, or the numbers that are set', () => {
    const ageMs = 30 * 24 * 60 * 60 * 1000;
    expect(resolve([]).executionRetention).toEqual({ perActor: 10_000, total: 100_000, ageMs });
    expect(
      resolve([], { ACTORCTL_EXECUTIONS_KEPT: '9', ACTORCTL_EXECUTIONS_KEPT_PER_ACTOR: '8' }).executionRetention,
    ).toEqual({ perActor: 8, total: 9, ageMs });
    expect(() => resolve([], { ACTORCTL_EXECUTIONS_KEPT: '0' })).toThrow('ACTORCTL_EXECUTIONS_KEPT');
    expect(() => resolve([], { ACTORCTL_EXECUTIONS_KEPT_PER_ACTOR: 'x' })).toThrow('ACTORCTL_EXECUTIONS_KEPT_PER');
  });

  it('R138 has a quota for each kind of resource that a user owns', () => {
    expect(resolve([]).quotas).toEqual({});
    expect(resolve([], { ACTORCTL_QUOTA_ACTORS: '5', ACTORCTL_QUOTA_CONFIGS: '0' }).quotas).toEqual({
      actors: 5,
      configs: 0,
    });
    expect(() => resolve([], { ACTORCTL_QUOTA_NONCES: 'many' })).toThrow('ACTORCTL_QUOTA_NONCES');
  });

  it('leaves DOCKER_HOST to the engine discovery, which reports where the address came from', () => {
    const config = resolve([], { DOCKER_HOST: 'unix:///x.sock' });
    expect(config.dockerHost).toBeUndefined();
    expect(config.env['DOCKER_HOST']).toBe('unix:///x.sock');
    expect(resolve(['--docker-host', 'unix:///y.sock']).dockerHost).toBe('unix:///y.sock');
  });

  it.each([
    [['--port', '0'], '--port'],
    [['--port', '70000'], '--port'],
    [['--port', 'x'], '--port'],
    [['--instance', '../x'], '--instance'],
    [['--log-level', 'loud'], '--log-level'],
    [['--nope'], '--nope'],
    [['stray'], 'stray'],
    [['--ready-fd', '1'], '--ready-fd'],
  ])('refuses %j and names the flag', (argv, named) => {
    expect(() => resolve(argv)).toThrow(ConfigError);
    expect(() => resolve(argv)).toThrow(named);
  });

  it('refuses a variable that is not a number, and names it', () => {
    expect(() => resolve([], { ACTORCTL_PIDS: 'many' })).toThrow('ACTORCTL_PIDS');
  });

  it('has an https listener if flags or variables say so', () => {
    expect(resolve([]).legacy).toBeUndefined();
    expect(resolve(['--legacy']).legacy).toEqual({});
    expect(resolve(['--legacy', '--legacy-port', 'auto']).legacy).toEqual({ port: 0 });
    const flags = [
      '--legacy',
      '--legacy-port',
      '9443',
      '--tls-cert',
      '/c',
      '--tls-key',
      '/k',
      '--legacy-jwt-public-key',
      '/j',
    ];
    const all = { port: 9_443, tls: { cert: '/c', key: '/k' }, jwtKey: '/j' };
    expect(resolve(flags).legacy).toEqual(all);
    const variables = {
      ACTORCTL_LEGACY: '1',
      ACTORCTL_LEGACY_PORT: '9443',
      ACTORCTL_TLS_CERT: '/c',
      ACTORCTL_TLS_KEY: '/k',
      ACTORCTL_LEGACY_JWT_PUBLIC_KEY: '/j',
    };
    expect(resolve([], variables).legacy).toEqual(all);
    expect(resolve([], { ACTORCTL_LEGACY: 'false' }).legacy).toBeUndefined();
    expect(resolve(['--no-legacy'], variables).legacy).toBeUndefined();
  });

  it.each([
    [['--legacy-port', '443'], '--legacy-port needs --legacy'],
    [['--tls-cert', '/c', '--tls-key', '/k'], '--tls-cert needs --legacy'],
    [['--legacy-jwt-public-key', '/j'], '--legacy-jwt-public-key needs --legacy'],
    [['--no-legacy', '--legacy-port', '9443'], '--legacy-port needs --legacy'],
    [['--legacy', '--legacy-port', '70000'], '--legacy-port must be a port from 1 to 65535 or auto, not "70000"'],
    [['--legacy', '--tls-cert', '/c'], '--tls-cert and --tls-key must be given together; --tls-key is missing'],
    [['--legacy', '--tls-key', '/k'], '--tls-cert and --tls-key must be given together; --tls-cert is missing'],
  ])('refuses %j for the https listener', (flags, message) => {
    expect(() => resolve(flags)).toThrow(ConfigError);
    expect(() => resolve(flags)).toThrow(message);
  });

  it('runs containers on one engine, or on a swarm that flags or variables describe', () => {
    expect(resolve([])).toMatchObject({ engine: 'docker' });
    const flags = ['--engine', 'swarm', '--registry', 'r.example:5000/team', '--advertise-url', 'http://10.0.0.5:9000'];
    const swarm = { engine: 'swarm', registry: 'r.example:5000/team', advertiseUrl: 'http://10.0.0.5:9000' };
    expect(resolve(flags)).toMatchObject(swarm);
    const variables = {
      ACTORCTL_ENGINE: 'swarm',
      ACTORCTL_REGISTRY: swarm.registry,
      ACTORCTL_ADVERTISE_URL: swarm.advertiseUrl,
    };
    expect(resolve([], variables)).toMatchObject(swarm);
  });

  it('has no engine address, registry or node URL if the flags disable them', () => {
    const flags = ['--engine', 'swarm', '--docker-host', 'auto', '--registry', 'none', '--advertise-url', 'auto'];
    const { dockerHost, registry, advertiseUrl } = resolve(flags, { ACTORCTL_REGISTRY: 'r:5000' });
    expect([dockerHost, registry, advertiseUrl]).toEqual([undefined, undefined, undefined]);
  });

  it('ignores a variable if a flag switches off what it needs', () => {
    expect(resolve(['--engine', 'docker'], { ACTORCTL_REGISTRY: 'r:5000' }).registry).toBeUndefined();
    expect(() => resolve([], { ACTORCTL_REGISTRY: 'r:5000' })).toThrow('ACTORCTL_REGISTRY needs --engine swarm');
  });

  it.each([
    [['--engine', 'kubernetes'], '--engine must be one of docker, swarm'],
    [['--registry', 'r:5000'], '--registry needs --engine swarm'],
    [['--advertise-url', 'http://a:1'], '--advertise-url needs --engine swarm'],
    [['--engine', 'swarm', '--registry', 'http://r:5000'], '--registry must be like'],
    [['--engine', 'swarm', '--registry', 'r:5000; rm'], '--registry must be like'],
    [['--engine', 'swarm', '--advertise-url', 'https://a:1'], '--advertise-url must be like'],
    [['--engine', 'swarm', '--advertise-url', 'http://u:p@a:1'], '--advertise-url must be like'],
    [['--engine', 'swarm', '--advertise-url', 'http://a:1/path'], '--advertise-url must be like'],
  ])('refuses %j', (flags, message) => {
    expect(() => resolve(flags)).toThrow(ConfigError);
    expect(() => resolve(flags)).toThrow(message);
  });
});
