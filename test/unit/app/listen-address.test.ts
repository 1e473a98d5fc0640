// The address on which the daemon listens, and the URL at which people reach it.
import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../../daemon/config.ts';

const resolve = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  resolveConfig(argv, { ACTORCTL_HOME: '/tmp/home', ...env });

describe('the address of the daemon', () => {
  it.each(['192.168.1.5', 'example.org', '127.0.0.1.example.org', '2001:db8::1'])(
    'R106 refuses to listen on %s without the flag that allows it',
    (address) => {
      expect(() => resolve(['--bind', address])).toThrow('add --insecure-bind');
      expect(resolve(['--bind', address, '--insecure-bind'])).toMatchObject({ bind: address, publicUrl: undefined });
    },
  );

  it.each([
    ['0.0.0.0', '0.0.0.0'],
    ['0', '0.0.0.0'],
    ['::', '::'],
    ['[::0]', '::'],
    ['::ffff:0.0.0.0', '::ffff:0:0'],
  ])('R106 listens on all addresses, typed as %s, only with the URL for people', (typed, bind) => {
    const url = 'http://192.168.1.5:8722';
    expect(() => resolve(['--bind', typed, '--public-url', url])).toThrow('add --insecure-bind');
    const named = /--public-url http:\/\/(ADDRESS|\d[\d.]+):8722$/;
    for (const none of [[], ['--public-url', 'auto']])
      expect(() => resolve(['--bind', typed, '--insecure-bind', ...none])).toThrow(named);
    expect(resolve(['--bind', typed, '--insecure-bind', '--public-url', `${url}/`])).toMatchObject({
      bind,
      publicUrl: url,
    });
    expect(resolve(['--insecure-bind'], { ACTORCTL_BIND: typed, ACTORCTL_PUBLIC_URL: url })).toMatchObject({ bind });
  });

  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['127.0.0.2', '127.0.0.2'],
    ['127.1', '127.0.0.1'],
    ['localhost', '127.0.0.1'],
    ['LOCALHOST', '127.0.0.1'],
    ['::1', '::1'],
    ['[::1]', '::1'],
    ['0:0:0:0:0:0:0:1', '::1'],
  ])('R106 reads %s as the loopback address %s', (typed, bind) => {
    expect(resolve(['--bind', typed]).bind).toBe(bind);
  });

  it.each(['', ' ', '*', '127.0.0.1:80', 'http://a', '[::1', 'fe80::1%eth0', 'a/b'])(
    'refuses "%s", which is no address',
    (typed) => expect(() => resolve(['--bind', typed])).toThrow(/--bind (cannot be empty|must be a host name or)/),
  );

  it.each(['192.168.1.5:8722', 'ftp://a', 'http://a/b', 'http://a:b@c', 'http://', 'http://a?b'])(
    'refuses the URL for people %s',
    (typed) =>
      expect(() => resolve(['--public-url', typed])).toThrow('--public-url must be like http://192.168.1.5:8722'),
  );
});
