// What the daemon is told: flags over variables over defaults, and a clear word for what cannot be used.
import { describe, expect, it } from 'vitest';
import { ConfigError, resolveConfig } from '../../../daemon/config.ts';

const env = { ACTORCTL_HOME: '/tmp/home', HOME: '/root' };
const resolve = (argv: readonly string[], more: Record<string, string> = {}) =>
  resolveConfig(argv, { ...env, ...more }, 'linux');

describe('the configuration of the daemon', () => {
  it('listens on loopback, port 8722, as the default instance, when nothing is said', () => {
    const config = resolve([]);
    expect(config).toMatchObject({
      instance: 'default',
      port: 8722,
      bind: '127.0.0.1',
      ephemeral: false,
      logLevel: 'info',
    });
    expect(config.dataDir).toBe('/tmp/home/data/default');
    expect(config.limits).toEqual({ memoryBytes: 1024 * 1024 * 1024, pids: 512 });
    expect(config).not.toHaveProperty('dockerHost');
  });

  it('takes a flag over a variable over the default', () => {
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
      }).limits,
    ).toEqual({
      maxWorkers: 3,
      maxRunTime: 60,
      memoryBytes: 64 * 1024 * 1024,
      pids: 9,
    });
  });

  it('R112 takes the bytes that one message and one state may have', () => {
    expect(resolve([])).not.toHaveProperty('limits.messageBytes');
    expect(resolve([], { ACTORCTL_MESSAGE_LIMIT: '2048', ACTORCTL_STATE_LIMIT: '1024' }).limits).toMatchObject({
      messageBytes: 2048,
      stateBytes: 1024,
    });
    expect(() => resolve([], { ACTORCTL_STATE_LIMIT: '1 MB' })).toThrow('ACTORCTL_STATE_LIMIT');
    expect(() => resolve([], { ACTORCTL_MESSAGE_LIMIT: '-1' })).toThrow('ACTORCTL_MESSAGE_LIMIT');
  });

  it('C21 lets webhooks lead anywhere unless told otherwise, and keeps 10 000 events for 30 days', () => {
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

  it('R138 takes a quota for each kind of thing that a user owns', () => {
    expect(resolve([]).quotas).toEqual({});
    expect(resolve([], { ACTORCTL_QUOTA_ACTORS: '5', ACTORCTL_QUOTA_CONFIGS: '0' }).quotas).toEqual({
      actors: 5,
      configs: 0,
    });
    expect(() => resolve([], { ACTORCTL_QUOTA_NONCES: 'many' })).toThrow('ACTORCTL_QUOTA_NONCES');
  });

  it('leaves DOCKER_HOST to the search for an engine, which says where a name came from', () => {
    const config = resolve([], { DOCKER_HOST: 'unix:///x.sock' });
    expect(config).not.toHaveProperty('dockerHost');
    expect(config.env['DOCKER_HOST']).toBe('unix:///x.sock');
    expect(resolve(['--docker-host', 'unix:///y.sock']).dockerHost).toBe('unix:///y.sock');
  });

  it.each(['0.0.0.0', '::', '192.168.1.5', 'example.org', '127.0.0.1.example.org'])(
    'R106 refuses to listen on %s unless that is asked for with full knowledge',
    (address) => {
      expect(() => resolve(['--bind', address])).toThrow(ConfigError);
      expect(resolve(['--bind', address, '--insecure-bind']).bind).toBe(address);
    },
  );

  it.each(['127.0.0.1', '127.0.0.2', 'localhost', '::1'])('R106 listens on %s, which is loopback', (address) => {
    expect(resolve(['--bind', address]).bind).toBe(address);
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
  ])('refuses %j and names it', (argv, named) => {
    expect(() => resolve(argv)).toThrow(ConfigError);
    expect(() => resolve(argv)).toThrow(named);
  });

  it('refuses a variable that is no number, and names it', () => {
    expect(() => resolve([], { ACTORCTL_PIDS: 'many' })).toThrow('ACTORCTL_PIDS');
  });
});
