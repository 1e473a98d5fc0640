// The paths of an instance: data, state and socket, for each platform and environment.
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { canonical, splitGateway } from '../../../src/local/daemon/resolve-start.ts';
import { startOptions } from '../../../src/local/daemon/start-options.ts';
import { isInstanceName, type PathsInput, paths } from '../../../src/local/paths.ts';
import { processContext } from '../../../src/process-context.ts';

const base: PathsInput = { env: {}, platform: 'linux', home: '/home/ana', instance: 'default' };
const at = (change: Partial<PathsInput>) => paths({ ...base, ...change });

describe('paths', () => {
  it('follow XDG defaults below the home folder', () => {
    expect(at({})).toMatchObject({
      configDir: '/home/ana/.config/actorctl',
      settingsFile: '/home/ana/.config/actorctl/settings.json',
      credentialsFile: '/home/ana/.config/actorctl/credentials.json',
      dataDir: '/home/ana/.local/share/actorctl/default',
      stateDir: '/home/ana/.local/state/actorctl/default',
      daemonLog: '/home/ana/.local/state/actorctl/default/daemon.log',
    });
  });

  it('follow absolute XDG variables, on macOS too, and ignore relative ones', () => {
    const env = { XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: 'relative', XDG_STATE_HOME: '/s' };
    expect(at({ env, platform: 'darwin' })).toMatchObject({
      configDir: '/c/actorctl',
      dataDir: '/home/ana/.local/share/actorctl/default',
      socket: '/s/actorctl/default/daemon.sock',
    });
  });

  it.each([{}, { XDG_RUNTIME_DIR: '/run/user/1000' }, { TMPDIR: '/t', XDG_DATA_HOME: '/d', XDG_CONFIG_HOME: '/c' }])(
    'R143 put the socket into the state folder, whatever else %o says',
    (env) => {
      expect(at({ env }).socket).toBe('/home/ana/.local/state/actorctl/default/daemon.sock');
    },
  );

  it('R143 put the sockets of two homes into two folders, at paths above the limit of the system too', () => {
    const long = `/${'x'.repeat(120)}`;
    expect(at({ home: '/home/bea' }).socket).toBe('/home/bea/.local/state/actorctl/default/daemon.sock');
    expect(at({ env: { ACTORCTL_HOME: long } }).socket).toBe(`${long}/state/default/daemon.sock`);
  });

  it('are all below ACTORCTL_HOME if it is set', () => {
    expect(at({ env: { ACTORCTL_HOME: '/h', XDG_CONFIG_HOME: '/c' }, instance: 'two' })).toMatchObject({
      configDir: '/h/config',
      dataDir: '/h/data/two',
      stateDir: '/h/state/two',
      socket: '/h/state/two/daemon.sock',
    });
  });

  it('differ between instances in data, state and socket', () => {
    const [one, two] = [at({ instance: 'one' }), at({ instance: 'two' })];
    for (const key of ['dataDir', 'stateDir', 'socket', 'daemonFile', 'startLock', 'startingLock'] as const) {
      expect(one[key]).not.toBe(two[key]);
    }
  });

  it('use named pipes on Windows', () => {
    const windows = at({ platform: 'win32', env: { APPDATA: 'C:\\r', LOCALAPPDATA: 'C:\\l' } });
    expect(windows.socket).toMatch(/^\\\\\.\\pipe\\actorctl-[0-9a-f]{16}$/);
  });

  it.each(['default', 'a', 'A-1_b', 'x'.repeat(40)])('%s is a valid instance name', (name) => {
    expect(isInstanceName(name)).toBe(true);
  });

  it.each(['', '..', 'a/b', '-a', '.a', 'a b', 'x'.repeat(41), 'ä'])('"%s" is refused as an instance name', (name) => {
    expect(isInstanceName(name)).toBe(false);
    expect(() => at({ instance: name })).toThrow(RangeError);
  });
});

describe('paths in variables of the shell', () => {
  it.each([
    'ACTORCTL_HOME',
    'ACTORCTL_CONFIG_KEY_FILE',
    'ACTORCTL_TLS_CERT',
    'ACTORCTL_TLS_KEY',
    'ACTORCTL_LEGACY_JWT_PUBLIC_KEY',
  ])('%s resolves to the same file for each way to start the daemon', (name) => {
    onTestFinished(() => void vi.unstubAllEnvs());
    const sink = {} as never;
    const given = {
      stdout: sink,
      stderr: sink,
      signal: new AbortController().signal,
      takeSignals: () => undefined,
      version: '0',
    };
    vi.stubEnv(name, './key.pem');
    expect(processContext(given).env[name]).toBe(path.resolve('key.pem'));
    vi.stubEnv(name, '');
    expect(processContext(given).env[name]).toBe('');
  });

  it('R244 the key of a gateway may follow its tenant', () => {
    const cases = [
      ['DEV=./key.pem', `DEV=${path.resolve('key.pem')}`, 'DEV'],
      ['a.b=keys/a=b.pem', `a.b=${path.resolve('keys/a=b.pem')}`, 'a.b'],
      ['./a=b.pem', path.resolve('a=b.pem'), undefined],
      ['/keys/a=b.pem', '/keys/a=b.pem', undefined],
    ] as const;
    for (const [given, whole, tenant] of cases) {
      expect(canonical(given, startOptions.legacyJwtPublicKey)).toBe(whole);
      expect(splitGateway(whole).tenant).toBe(tenant);
      expect(path.isAbsolute(splitGateway(whole).file)).toBe(true);
    }
  });
});
