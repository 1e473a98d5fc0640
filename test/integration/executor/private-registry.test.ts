// Images of a registry that demands a login: pulled, and built upon, with what docker login and podman login stored.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Docker from 'dockerode';
import { pack } from 'tar-stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DockerExecutor } from '../../../daemon/executor/docker/docker-executor.ts';
import type { ExecutorError } from '../../../daemon/ports/executor.ts';
import { dockerRequirement, testDockerExecutor, testEngine, testImages } from '../../support/engine/docker.ts';
import {
  hasRegistryProgram,
  type PrivateRegistry,
  privateRegistry,
  REGISTRY_PASSWORD,
  REGISTRY_USER,
} from '../../support/engine/private-registry.ts';
import { describeIf, requirement } from '../../support/runner/requirements.ts';

const docker = await dockerRequirement();
const need =
  docker.available && testEngine !== 'podman'
    ? requirement('docker', hasRegistryProgram(), 'install docker-registry')
    : requirement('docker', docker.available, docker.reason);

describeIf(need, 'an image of a private registry', () => {
  const engine = new Docker();
  const images = testImages();
  const { signal } = new AbortController();
  let registry: PrivateRegistry;
  let image: string;
  let home: string;
  let test: { readonly executor: DockerExecutor; readonly tidy: () => Promise<void> };

  const remove = async (name: string): Promise<void> => {
    await engine
      .getImage(name)
      .remove()
      .catch(() => undefined);
  };
  beforeAll(async () => {
    registry = await privateRegistry();
    image = `${registry.host}/team/hello:1`;
    const base = engine.getImage(await images.script('true'));
    await base.tag({ repo: `${registry.host}/team/hello`, tag: '1' });
    const authconfig = { username: REGISTRY_USER, password: REGISTRY_PASSWORD, serveraddress: registry.host };
    const stream = await engine.getImage(image).push({ authconfig });
    await new Promise<void>((resolve, reject) =>
      engine.modem.followProgress(stream, (error) => (error ? reject(error) : resolve())),
    );
    home = mkdtempSync(path.join(tmpdir(), 'actorctl-private-'));
    for (const name of ['.docker', 'bin', 'run/containers']) mkdirSync(path.join(home, name), { recursive: true });
    const env = {
      ...process.env,
      DOCKER_CONFIG: undefined,
      XDG_RUNTIME_DIR: path.join(home, 'run'),
      PATH: `${path.join(home, 'bin')}:${process.env['PATH']}`,
    };
    test = testDockerExecutor({ home, env });
  });
  beforeEach(async () => {
    for (const file of ['.docker/config.json', 'run/containers/auth.json'])
      rmSync(path.join(home, file), { force: true });
    await remove(image);
  });
  afterAll(async () => {
    await remove(image);
    await test.tidy();
    await images.remove();
    await registry.close();
    rmSync(home, { recursive: true, force: true });
  });

  const write = (file: string, value: unknown): void => writeFileSync(path.join(home, file), JSON.stringify(value));
  const auth = (password = REGISTRY_PASSWORD) => ({ auth: btoa(`${REGISTRY_USER}:${password}`) });
  /** A real credential helper: it has credentials for this registry only. */
  const helper = (name: string): void => {
    const file = path.join(home, 'bin', `docker-credential-${name}`);
    const login = JSON.stringify({ ServerURL: registry.host, Username: REGISTRY_USER, Secret: REGISTRY_PASSWORD });
    const script = [
      '#!/bin/sh',
      `[ "$1" = list ] && { echo '{"${registry.host}":"${REGISTRY_USER}"}'; exit 0; }`,
      `[ "$1" = get ] && [ "$(cat)" = ${registry.host} ] && { echo '${login}'; exit 0; }`,
      'echo "credentials not found in native keychain"',
      'exit 1',
    ];
    writeFileSync(file, `${script.join('\n')}\n`);
    chmodSync(file, 0o755);
  };
  const prepare = () => test.executor.prepare(image, () => undefined, signal);
  const built = `actorctl-test/private:${process.pid}`;
  const build = async (dockerfile: string) => {
    const archive = pack();
    archive.entry({ name: 'Dockerfile' }, dockerfile);
    archive.finalize();
    const spec = { image: built, folder: '/a', dockerfile: 'Dockerfile', args: {}, noCache: true, pull: false };
    try {
      return await test.executor.builder.build(spec, archive as AsyncIterable<Uint8Array>, () => undefined, signal);
    } finally {
      await remove(built);
    }
  };

  const stored: readonly (readonly [string, () => void])[] = [
    ['in the configuration of docker', () => write('.docker/config.json', { auths: { [registry.host]: auth() } })],
    [
      'in the store of all registries',
      () => {
        helper('all');
        write('.docker/config.json', { credsStore: 'all', auths: { [registry.host]: {} } });
      },
    ],
    [
      'in the helper of the registry',
      () => {
        helper('one');
        write('.docker/config.json', { credHelpers: { [registry.host]: 'one' } });
      },
    ],
    [
      'by podman login, for a path, beside a store of Docker that fails',
      () => {
        write('.docker/config.json', { credsStore: 'missing' });
        write('run/containers/auth.json', { auths: { [`${registry.host}/team`]: auth() } });
      },
    ],
  ];

  it.each(stored)('an image of a private registry is pulled with credentials stored %s', async (_case, store) => {
    store();
    await prepare();
    expect((await engine.getImage(image).inspect()).RepoTags).toContain(image);
  });

  it.each(stored.slice(0, 3))(
    'an image of a private registry serves as a base image with credentials stored %s',
    async (_case, store) => {
      store();
      expect(await build(`FROM ${image}\n`)).toMatchObject({ image: built });
    },
  );

  it('an image of a private registry can be copied from in a build', async () => {
    write('.docker/config.json', { auths: { [registry.host]: auth() } });
    expect(await build(`FROM scratch\nCOPY --from=${image} / /\n`)).toMatchObject({ image: built });
  });

  describe('a build', () => {
    const missing = '127.0.0.1:1/team/base:2';
    it.each([
      ['a base image', `FROM ${missing}\n`, `cannot pull the image ${missing}`],
      ['a base image in an argument', `ARG BASE=${missing}\nFROM $BASE\n`, 'cannot pull the image of a FROM line'],
      ['an image to copy from', `FROM scratch\nCOPY --from=${missing} /a /\n`, `cannot pull the image ${missing}`],
    ])('reports that the registry of %s cannot be reached, and what works offline', async (_case, file, what) => {
      const { kind, message } = await build(file).then(
        () => expect.unreachable(),
        (error: ExecutorError) => error,
      );
      expect(kind).toBe('pull');
      expect(message).toContain(`cannot build the image ${built}: ${what}: `);
      expect(message).toMatch(
        /cannot reach the registry 127\.0\.0\.1:1\. Without a network, use an image that the engine has/,
      );
    });

    it.each([
      [
        'copies a missing file of a stage',
        'FROM scratch AS one\nCOPY Dockerfile /\nFROM scratch\nCOPY --from=one /no /\n',
      ],
      ['has an invalid base name', 'FROM Foo::x\n'],
      ['has no base name', 'FROM $NO\n'],
      ['fails in a later step', 'FROM scratch\nCOPY nowhere /\n'],
    ])('that %s is a failed build, not a failed pull', async (_case, file) => {
      await expect(build(file)).rejects.toMatchObject({ kind: 'image' });
    });

    it('reports that the registry has no such image', async () => {
      write('.docker/config.json', { auths: { [registry.host]: auth() } });
      await expect(build(`FROM ${image}-missing\n`)).rejects.toMatchObject({
        kind: 'pull',
        message: expect.stringContaining(`The registry ${registry.host} has no such image: check its name and tag`),
      });
    });
  });

  describe('without credentials', () => {
    it.each([
      ['pull', () => prepare()],
      ['build', () => build(`FROM ${image}\n`)],
      ['build with the name in an argument', () => build(`ARG BASE=${image}\nFROM $BASE\n`)],
    ])('is refused by a %s with an error that names the registry and the login command', async (_case, act) => {
      await expect(act()).rejects.toMatchObject({
        kind: 'pull',
        message: expect.stringMatching(
          new RegExp(
            `og in to the registry ${registry.host} with "docker login ${registry.host}" as the user of the daemon`,
          ),
        ),
      });
    });
  });

  it.each([
    ['pull', () => prepare()],
    ['build', () => build(`FROM ${image}\n`)],
  ])('a %s reports that the registry refused the stored credentials', async (_case, act) => {
    write('.docker/config.json', { auths: { [registry.host]: auth('wrong') } });
    await expect(act()).rejects.toThrow(`The registry ${registry.host} refused the stored credentials: log in again`);
  });

  it('a refused registry login names the credential helper that failed', async () => {
    write('.docker/config.json', { credsStore: 'missing' });
    await expect(prepare()).rejects.toThrow(/docker login .* docker-credential-missing cannot be run/);
  });
});
