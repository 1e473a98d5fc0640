// How the container engine is found: which places are tried, in which order, and the error when no engine responds.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createConnection } from '../../../daemon/executor/engine/connection.ts';
import { candidates, findEngine, parseHost, probeEngine } from '../../../daemon/executor/engine/discovery.ts';

let home: string;
const servers: Server[] = [];

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'actorctl-home-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  rmSync(home, { recursive: true, force: true });
});

/**
 * Starts a server on a socket that answers every request with `text`, or never if `text` is undefined. Returns the
 * requested paths in order of arrival.
 */
const answering = async (socket: string, text: string | undefined): Promise<readonly string[]> => {
  mkdirSync(path.dirname(socket), { recursive: true });
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    if (text !== undefined) response.end(text);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return asked;
};

const version = (over: object = {}) => JSON.stringify({ Version: '27.1.0', ApiVersion: '1.46', Os: 'linux', ...over });

const context = (name: string, host: string, over: object = {}) => {
  const id = createHash('sha256').update(name).digest('hex');
  const folder = path.join(home, '.docker', 'contexts', 'meta', id);
  mkdirSync(folder, { recursive: true });
  const meta = { Name: name, Endpoints: { docker: { Host: host, ...over } } };
  writeFileSync(path.join(folder, 'meta.json'), JSON.stringify(meta));
};
const use = (name: string) => {
  mkdirSync(path.join(home, '.docker'), { recursive: true });
  writeFileSync(path.join(home, '.docker', 'config.json'), JSON.stringify({ currentContext: name }));
};

describe('the address of an engine', () => {
  it.each([
    ['unix:///run/d.sock', { kind: 'socket', path: '/run/d.sock' }],
    ['/run/d.sock', { kind: 'socket', path: '/run/d.sock' }],
    ['tcp://10.0.0.1:2375', { kind: 'tcp', host: '10.0.0.1', port: 2375 }],
    ['tcp://engine', { kind: 'tcp', host: 'engine', port: 2375 }],
    ['10.0.0.1:4000', { kind: 'tcp', host: '10.0.0.1', port: 4000 }],
    ['tcp://[::1]:2375', { kind: 'tcp', host: '::1', port: 2375 }],
    ['https://engine', { kind: 'tcp', host: 'engine', port: 2376, tls: { verify: true } }],
  ])('%s is accepted', (address, endpoint) => {
    expect(parseHost('test', address).endpoint).toEqual(endpoint);
  });

  it.each(['ssh://me@there', 'unix://relative', 'npipe:////./pipe/docker_engine', 'tcp://', 'not an address'])(
    '%s is an error instead of an endpoint',
    (address) => {
      const candidate = parseHost('test', address);
      expect(candidate.endpoint).toBeUndefined();
      expect(candidate.fault).not.toBe('');
    },
  );
});

describe('the places where an engine is searched', () => {
  const places = async (env: Record<string, string>, dockerHost?: string) =>
    (await candidates({ env, home, ...(dockerHost !== undefined && { dockerHost }) })).map((each) => each.address);

  it('are only the address of the flag, if it is given', async () => {
    expect(await places({ DOCKER_HOST: 'unix:///b' }, 'unix:///a')).toEqual(['unix:///a']);
  });

  it('are only DOCKER_HOST, if it is set without the flag', async () => {
    context('mine', 'unix:///c');
    use('mine');
    expect(await places({ DOCKER_HOST: 'unix:///b', DOCKER_CONTEXT: 'mine' })).toEqual(['unix:///b']);
  });

  it('are only the context that DOCKER_CONTEXT names', async () => {
    context('mine', 'unix:///c');
    expect(await places({ DOCKER_CONTEXT: 'mine' })).toEqual(['unix:///c']);
  });

  it('start with the current context, before the usual sockets', async () => {
    context('mine', 'unix:///c');
    use('mine');
    expect((await places({})).slice(0, 2)).toEqual(['unix:///c', 'unix:///var/run/docker.sock']);
  });

  it('report a current context that does not exist, and still include the usual sockets', async () => {
    use('gone');
    const [first, second] = await candidates({ env: {}, home });
    expect(first).toMatchObject({ source: 'docker context "gone"', fault: 'there is no such context' });
    expect(second?.address).toBe('unix:///var/run/docker.sock');
  });

  it('ignore a settings file that is not JSON', async () => {
    mkdirSync(path.join(home, '.docker'));
    writeFileSync(path.join(home, '.docker', 'config.json'), '{');
    expect((await places({}))[0]).toBe('unix:///var/run/docker.sock');
  });

  it('are the usual sockets for the default context, whatever the current context is', async () => {
    context('mine', 'unix:///c');
    use('mine');
    expect((await places({ DOCKER_CONTEXT: 'default' }))[0]).toBe('unix:///var/run/docker.sock');
  });

  it('include the certificates of a context and its option to skip verification', async () => {
    context('far', 'tcp://far:2376', { SkipTLSVerify: true });
    const id = createHash('sha256').update('far').digest('hex');
    const folder = path.join(home, '.docker', 'contexts', 'tls', id, 'docker');
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'ca.pem'), 'authority');
    const [only] = await candidates({ env: { DOCKER_CONTEXT: 'far' }, home });
    const tls = { ca: 'authority', verify: false };
    expect(only?.endpoint).toEqual({ kind: 'tcp', host: 'far', port: 2376, tls });
  });

  it('include sockets of rootless engines in the runtime folder', async () => {
    const all = await places({ XDG_RUNTIME_DIR: '/run/user/7' });
    expect(all).toContain('unix:///run/user/7/docker.sock');
    expect(all).toContain('unix:///run/user/7/podman/podman.sock');
  });

  it.each([
    ['Docker Desktop', '.docker/run/docker.sock'],
    ['Docker Desktop', '.docker/desktop/docker.sock'],
    ['Colima', '.colima/default/docker.sock'],
    ['Colima', '.config/colima/default/docker.sock'],
    ['OrbStack', '.orbstack/run/docker.sock'],
    ['Rancher Desktop', '.rd/docker.sock'],
    ['Lima', '.lima/docker/sock/docker.sock'],
    ['Podman', '.local/share/containers/podman/machine/podman.sock'],
  ])('include the socket of %s in the home folder, %s', async (source, socket) => {
    const address = `unix://${path.join(home, socket)}`;
    expect(await candidates({ env: {}, home })).toContainEqual(expect.objectContaining({ source, address }));
  });
});

describe('a connection attempt', () => {
  const socket = () => path.join(home, 's');
  const place = () => [parseHost('test', `unix://${socket()}`)];
  const reason = async () => {
    const found = await findEngine(place());
    return 'reason' in found ? found.reason : 'found';
  };

  it('reads the name and the version of the engine', async () => {
    await answering(socket(), version());
    expect(await probeEngine({ kind: 'socket', path: socket() })).toMatchObject({
      product: { name: 'Docker', version: '27.1.0' },
      apiVersion: '1.46',
      address: `unix://${socket()}`,
    });
  });

  it('recognizes Podman by its components', async () => {
    await answering(socket(), version({ Version: '5.0.0', Components: [{ Name: 'Podman Engine' }] }));
    expect((await probeEngine({ kind: 'socket', path: socket() })).product).toEqual({
      name: 'Podman',
      version: '5.0.0',
    });
  });

  /** A connection that looks for its engine as these variables say. */
  const connectionTo = (env: Readonly<Record<string, string>>) => {
    const ignore = (): void => undefined;
    return createConnection({
      where: { env, home },
      instanceId: 'i',
      use: { happened: () => false, record: async () => undefined },
      logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    });
  };

  it('probes all usual places without a warning of Node', async () => {
    const warnings: string[] = [];
    const collect = ({ message }: Error): void => void warnings.push(message);
    process.on('warning', collect);
    onTestFinished(() => void process.off('warning', collect));
    const env = { XDG_RUNTIME_DIR: home };
    expect((await candidates({ env, home })).length).toBeGreaterThan(10);
    const connection = connectionTo(env);
    await connection.probeNow();
    connection.close();
    expect(warnings).toEqual([]);
  });

  it('asks a known engine for its version once', async () => {
    const asked = await answering(socket(), version());
    const connection = connectionTo({ DOCKER_HOST: `unix://${socket()}` });
    for (let probe = 0; probe < 3; probe += 1)
      expect(await connection.probeNow()).toMatchObject({ available: true, description: 'Docker 27.1.0' });
    connection.close();
    expect(asked).toEqual(['/_ping', '/version', '/_ping', '/_ping']);
  });

  it('rejects a server that is not an engine', async () => {
    await answering(socket(), 'hello');
    expect(await reason()).toContain('the program that responds is not a container engine');
  });

  it('rejects an engine for Windows containers', async () => {
    await answering(socket(), version({ Os: 'windows' }));
    expect(await reason()).toContain('the engine runs windows containers');
  });

  it('waits at most two seconds', async () => {
    await answering(socket(), undefined);
    expect(await reason()).toContain('did not answer within 2 seconds');
  });

  it('uses the first engine that responds, in the order of the places', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => path.join(home, name));
    await answering(String(b), version({ Version: 'second' }));
    await answering(String(c), version({ Version: 'third' }));
    const found = await findEngine([a, b, c].map((each) => parseHost('test', `unix://${each}`)));
    expect('answer' in found && found.answer.product.version).toBe('second');
  });

  it('lists the places that were tried if no engine responds', async () => {
    const none = parseHost('DOCKER_HOST', `unix://${home}/none`);
    const found = await findEngine([none, parseHost('a context', 'ssh://me@there')]);
    const text = 'reason' in found ? found.reason : '';
    expect(text).toContain(`unix://${home}/none (DOCKER_HOST): the socket does not exist`);
    expect(text).toContain('ssh://me@there (a context): ssh is not supported');
    expect(text).toContain('Start Docker');
  });
});
