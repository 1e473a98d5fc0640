// The container engine of the tests: whether it is available, images built from scratch, and an executor that uses it.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import Docker from 'dockerode';
import {
  createDockerExecutor,
  type DockerExecutor,
  type DockerExecutorInputs,
} from '../../../daemon/executor/docker/docker-executor.ts';
import { type TarEntry, tar } from '../../../daemon/executor/docker/tar.ts';
import { candidates, findEngine } from '../../../daemon/executor/engine/discovery.ts';
import type { Logger } from '../../../daemon/ports/logger.ts';
import { type Requirement, requirement } from '../runner/requirements.ts';
import { sendProgram } from './datagrams.ts';

/** A logger that stores its lines instead of printing them. */
export const quietLogger = (): Logger & { readonly lines: { readonly message: string }[] } => {
  const lines: { message: string }[] = [];
  const keep = (fields: Readonly<Record<string, unknown>>, message: string) => lines.push({ ...fields, message });
  return { lines, debug: keep, info: keep, warn: keep, error: keep };
};

/** The engine that the tests of this project use. */
export const testEngine =
  (['podman', 'rootless'] as const).find((name) => name === process.env['ACTORCTL_TEST_ENGINE']) ?? 'docker';

/** False if it cannot limit memory and processes: the kernel delegates only control groups of version 2 to a user. */
export const limitsResources = testEngine !== 'rootless' || existsSync('/sys/fs/cgroup/cgroup.controllers');

/** Whether that engine is available, found in the same way as by the daemon. */
export const dockerRequirement = async (): Promise<Requirement> => {
  const found = await findEngine(await candidates({ env: process.env, home: homedir() }));
  if ('answer' in found) return requirement(testEngine, true, '');
  return requirement(testEngine, false, process.env['ACTORCTL_TEST_ENGINE_MISSING'] ?? found.reason);
};

const APPLETS =
  'sh setsid sleep cat echo env printf wc sort uniq tr grep head tail seq true false kill id ls nc wget mkdir dd stat'.split(
    ' ',
  );

/** The commands in the images: a static busybox under each name. */
const busyboxFiles = (): TarEntry[] => {
  const bytes = readFileSync('/bin/busybox');
  const shell: TarEntry = { path: 'bin/busybox', mode: 0o755, source: { bytes } };
  const passwd: TarEntry = {
    path: 'etc/passwd',
    mode: 0o644,
    source: { bytes: Buffer.from('root:x:0:0:root:/root:/bin/sh\n') },
  };
  return [shell, passwd];
};

/** A script that runs the script in a variable. One image serves many runs then; an image costs 0.1 s of processor time. */
export const RUN_SCRIPT = 'eval "$SCRIPT"';

/** The images of one test file. `remove` deletes them. The same script gives the same image. */
export interface TestImages {
  /** busybox with `command` as its command. `changes` are further lines of the Dockerfile. */
  busybox(command: readonly string[] | undefined, ...changes: readonly string[]): Promise<string>;
  /** An image without a command. */
  empty(): Promise<string>;
  /**
   * busybox that runs a shell script. The image of `sending` also has `send PATH TEXT…`, which sends unix datagrams.
   */
  script(text: string): Promise<string>;
  sending(text: string): Promise<string>;
  /** busybox with further files. `changes` are further lines of the Dockerfile. */
  holding(files: () => TarEntry[], command: readonly string[], ...changes: readonly string[]): Promise<string>;
  remove(): Promise<void>;
}

/** The base image of all others, shared by all files of a run, which the global teardown removes. */
const BASE_REPOSITORY = 'actorctl-test/base';
const RUN = process.env['ACTORCTL_TEST_RUN'];
/** Limits that Podman can grant on a restricted machine, unlike its defaults. */
const Ulimits = ['nofile', 'nproc'].map((Name) => ({ Name, Soft: 1024, Hard: 1024 }));

const isMissing = (error: unknown): boolean => (error as { statusCode?: number }).statusCode === 404;

/** @param docker the engine that gets the images; by default the one of DOCKER_HOST or of the usual socket */
export const testImages = (docker: Docker = new Docker()): TestImages => {
  const made: string[] = [];
  const scripts = new Map<string, Promise<string>>();
  /** Containers that never run: each image is committed from one of them. */
  const molds: Promise<Docker.Container>[] = [];
  let base: Promise<string> | undefined;
  let shell: Promise<Docker.Container> | undefined;
  let sender: Promise<Docker.Container> | undefined;

  const newName = (): string => {
    const name = `actorctl-test/${randomBytes(6).toString('hex')}`;
    made.push(`${name}:latest`);
    return name;
  };

  const importImage = async (files: readonly TarEntry[], repo: string): Promise<string> => {
    const stream = await docker.importImage(tar(files), { repo: `${repo}:latest` });
    await new Promise<void>((resolve, reject) =>
      docker.modem.followProgress(stream, (error: Error | null) => (error ? reject(error) : resolve())),
    );
    return `${repo}:latest`;
  };

  const empty = () => importImage(busyboxFiles(), newName());

  /**
   * busybox creates its commands as links when the image is built. An archive with a copy for each would be fifty times
   * as large.
   */
  const makeBase = async (repo: string, tag: string): Promise<void> => {
    const plain = await importImage(busyboxFiles(), `actorctl-test/${randomBytes(6).toString('hex')}`);
    const install = APPLETS.map((name) => `/bin/busybox ln -s /bin/busybox /bin/${name}`).join(' && ');
    const container = await docker.createContainer({
      Image: plain,
      Cmd: ['/bin/busybox', 'sh', '-c', `${install} && /bin/busybox mkdir -p /tmp && /bin/busybox chmod 1777 /tmp`],
      HostConfig: { NetworkMode: 'none', Ulimits },
    });
    await container.start();
    await container.wait();
    await container.commit({ repo, tag });
    await container.remove();
    await docker.getImage(plain).remove({ noprune: true });
  };

  const withApplets = async (): Promise<string> => {
    const [repo, tag] = RUN === undefined ? [newName(), 'latest'] : [BASE_REPOSITORY, RUN];
    const image = `${repo}:${tag}`;
    try {
      await docker.getImage(image).inspect();
    } catch (error) {
      if (!isMissing(error)) throw error;
      await makeBase(repo, tag);
    }
    return image;
  };

  /** perl with its libraries, and the program that sends datagrams. */
  const perlFiles = (): TarEntry[] => {
    const perl = realpathSync('/usr/bin/perl');
    const libraries = execFileSync('ldd', [perl], { encoding: 'utf8' }).match(/\/\S+(?= \()/g) ?? [];
    const send = Buffer.from(`#!${perl}\n${sendProgram}`);
    return [
      ...[perl, ...libraries].map((file) => ({
        path: file.slice(1),
        mode: 0o755,
        source: { bytes: readFileSync(file) },
      })),
      { path: 'bin/send', mode: 0o755, source: { bytes: send } },
    ];
  };

  const mold = (files?: () => TarEntry[]): Promise<Docker.Container> => {
    const making = (async () => {
      base ??= withApplets();
      const container = await docker.createContainer({ Image: await base, Cmd: ['/bin/true'] });
      if (files !== undefined) await container.putArchive(tar(files()), { path: '/' });
      return container;
    })();
    molds.push(making);
    return making;
  };

  const commit = async (
    container: Docker.Container,
    command: readonly string[],
    ...changes: readonly string[]
  ): Promise<string> => {
    const repo = newName();
    const lines = [`CMD ${JSON.stringify(command)}`, 'ENV PATH=/bin', ...changes];
    await container.commit({ repo, tag: 'latest', changes: lines.join('\n') });
    return `${repo}:latest`;
  };

  const busybox = async (command: readonly string[] | undefined, ...changes: readonly string[]): Promise<string> => {
    if (command === undefined) return empty();
    shell ??= mold();
    return commit(await shell, command, ...changes);
  };

  const sending = async (text: string): Promise<string> => {
    sender ??= mold(perlFiles);
    return commit(await sender, ['/bin/sh', '-c', text]);
  };

  const once = (key: string, make: () => Promise<string>): Promise<string> => {
    const image = scripts.get(key) ?? make();
    scripts.set(key, image);
    return image;
  };

  return {
    busybox,
    empty,
    sending: (text) => once(`sending ${text}`, () => sending(text)),
    holding: async (files, command, ...changes) => commit(await mold(files), command, ...changes),
    script: (text) => once(`script ${text}`, () => busybox(['/bin/sh', '-c', text])),
    remove: async () => {
      scripts.clear();
      for (const container of molds.splice(0)) await (await container).remove({ force: true });
      [shell, sender, base] = [undefined, undefined, undefined];
      for (const image of made.splice(0).reverse())
        await docker
          .getImage(image)
          .remove({ force: true })
          .catch((error: unknown) => {
            if (!isMissing(error)) throw error;
          });
    },
  };
};

/** A script of sh that writes so many bytes to stdout, all of them `x`; a whole number of megabytes. */
export const flood = (bytes: number): string => {
  const piece = 1024 * 1024;
  // cat copies blocks; the echo of busybox processes every byte, which takes 20 times longer.
  return `head -c ${piece} /dev/zero | tr '\\0' x > /tmp/x; i=0; while [ $i -lt ${bytes / piece} ]; do cat /tmp/x; i=$((i+1)); done`;
};

/** An executor with its own instance id. `tidy` removes every container and the network, and closes it. */
export const testDockerExecutor = (
  over: Partial<DockerExecutorInputs> = {},
): { executor: DockerExecutor; instanceId: string; tidy: () => Promise<void> } => {
  const instanceId = over.instanceId ?? `test${randomBytes(8).toString('hex')}`;
  const executor = createDockerExecutor({
    instanceId,
    instanceName: 'test',
    env: process.env,
    home: homedir(),
    logger: quietLogger(),
    ...over,
  });
  const tidy = async () => {
    for (const { ref } of await executor.list()) await executor.remove(ref);
    await executor.close({ removeAll: true });
  };
  return { executor, instanceId, tidy };
};
