// Makes images available to every node: pushes built images to the registry and pins each image by its digest.
import { randomBytes } from 'node:crypto';
import { imageFault } from '../../domain/actors/image-reference.ts';
import { ExecutorError } from '../../ports/executor.ts';
import { createCommandCheck } from '../docker/command-check.ts';
import { createContainer } from '../docker/create-container.ts';
import { createImages, followProgress, inspectImage } from '../docker/images.ts';
import { INSTANCE_LABEL, KIND_LABEL } from '../docker/labels.ts';
import { removeContainer } from '../docker/remove-container.ts';
import type { Connection } from '../engine/connection.ts';
import { engineMessage, toExecutorError } from '../engine/engine-error.ts';
import { isRegistryAway, loginAdvice } from '../images/pull-advice.ts';
import { imageLogin, type LoginPlaces, type RegistryLogin } from '../images/registry-login.ts';
import { textList } from '../read-field.ts';

export interface SwarmImages {
  /** Pulls the image, or pushes it if it comes from no other registry. Returns the reference with the digest. */
  prepare(image: string, onProgress: (text: string) => void, signal: AbortSignal): Promise<string>;
  /** The reference with the digest. Uses the result of an earlier preparation if there was one. */
  pinned(image: string, signal: AbortSignal): Promise<string>;
  /** Removes the containers that an earlier daemon left on the manager. @throws the error of the client library */
  removeLeftovers(): Promise<void>;
}

const PUSH_QUIET_MS = 10 * 60_000;
/**
 * Repository and tag of an image without its registry host: `localhost:5000/team/hello:dev` gives `team/hello` and
 * `dev`.
 */
export const localName = (image: string): { readonly repository: string; readonly tag: string } => {
  const [, repository = image, tag = 'latest'] = /^(.*?)(?::([^:/]+))?$/.exec(image.replace(/@.*$/, '')) ?? [];
  const [host = '', ...rest] = repository.split('/');
  const hasHost = rest.length > 0 && (/[.:]/.test(host) || host === 'localhost');
  return { repository: hasHost ? rest.join('/') : repository, tag };
};

const digestIn = (digests: readonly string[], repository: string): string | undefined =>
  digests.find((each) => each.startsWith(`${repository}@`));

export const createSwarmImages = (inputs: {
  readonly connection: Connection;
  readonly instanceId: string;
  /** `host:port`, with an optional path. If undefined, no image is pushed. */
  readonly registry: string | undefined;
  readonly login: () => Promise<RegistryLogin | undefined>;
  readonly places: LoginPlaces;
  readonly digestsBuilt: () => Promise<boolean>;
}): SwarmImages => {
  const { connection, instanceId, registry } = inputs;
  const isOurs = (image: string) => registry !== undefined && image.startsWith(`${registry}/`);
  const images = createImages(connection, inputs.places);
  const checkCommand = createCommandCheck(connection);
  const known = new Map<string, string>();
  /** Names, as the engine lists them, of the containers that this daemon created to check images. */
  const checks = new Set<string>();
  let lastPush: Promise<unknown> = Promise.resolve();

  const digestsOf = async (image: string, signal: AbortSignal): Promise<string[]> =>
    textList((await inspectImage(connection, image, signal))?.RepoDigests);

  /** Pushes images one after another: registries fail if several pushes begin the same layer at the same time. */
  const pushInTurn = (...input: Parameters<typeof push>): ReturnType<typeof push> => {
    const pushed = lastPush.then(() => push(...input));
    lastPush = pushed.catch(() => undefined);
    return pushed;
  };

  const push = async (image: string, onProgress: (text: string) => void, signal: AbortSignal): Promise<string> => {
    const { repository, tag } = localName(image);
    const repo = `${registry}/${repository}`;
    await connection.call((docker) => docker.getImage(image).tag({ repo, tag }), { signal });
    onProgress(`pushing ${image} to ${registry}`);
    const login = await inputs.login();
    try {
      const stream = await connection.call(
        // The engine requires the header with the credentials even if there are none.
        (docker) =>
          docker
            .getImage(repo)
            .push({ tag, authconfig: { username: '', password: '', serveraddress: registry ?? '', ...login } }),
        { timeoutMs: PUSH_QUIET_MS, signal },
      );
      await followProgress(stream, () => undefined, { quietMs: PUSH_QUIET_MS, signal });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const why = engineMessage(error);
      const advice =
        loginAdvice(why, repo, { found: login !== undefined }) ||
        '. The manager and every node must reach it; name it with "actorctl up --registry HOST:PORT"';
      throw new ExecutorError(
        isRegistryAway(why) ? 'unavailable' : 'image',
        `cannot push ${image} to the registry ${registry}: ${why}${advice}.`,
        { cause: error },
      );
    }
    const pinned = digestIn(await digestsOf(`${repo}:${tag}`, signal), repo);
    if (pinned === undefined)
      throw new ExecutorError('image', `the engine does not know the digest of ${repo}:${tag} after its push`);
    return pinned;
  };

  /** Looks for the image's command in a container that is never started. @throws ExecutorError never */
  const check = async (image: string, facts: Awaited<ReturnType<typeof images.prepare>>, signal: AbortSignal) => {
    const name = `actorctl-check-${randomBytes(6).toString('hex')}`;
    const Labels = { [INSTANCE_LABEL]: instanceId, [KIND_LABEL]: 'check' };
    const options = { name, Labels, Image: image, HostConfig: { NetworkMode: 'none' } };
    checks.add(`/${name}`);
    const { id } = await connection.call((docker, abortSignal) => createContainer(docker, options, abortSignal), {
      signal,
    });
    try {
      await checkCommand(id, facts, image);
    } finally {
      await removeContainer(connection, id);
    }
  };

  /**
   * The first of these digests that its registry has. An engine may also give a digest to an image that it has built.
   */
  const firstPublished = async (digests: readonly string[], signal: AbortSignal): Promise<string | undefined> => {
    if (!(await inputs.digestsBuilt())) return digests[0];
    for (const digest of digests) {
      try {
        const login = await imageLogin(digest, inputs.places).catch(() => undefined);
        await connection.call((docker) => docker.getImage(digest).distribution({ authconfig: login }), { signal });
        return digest;
      } catch (error) {
        // A registry that is unavailable or demands a login gives no result: the image is then pushed to the swarm's
        // registry.
        if (signal.aborted) throw error;
      }
    }
    return undefined;
  };

  const pin = async (image: string, onProgress: (text: string) => void, signal: AbortSignal): Promise<string> => {
    const fault = imageFault(image);
    if (fault !== undefined) throw new ExecutorError('image', `the image "${image}" ${fault}`);
    const facts = await images.prepare(image, onProgress, signal);
    try {
      await check(image, facts, signal);
      const foreign = (await digestsOf(image, signal)).filter((each) => !isOurs(each));
      const pulled = registry === undefined ? foreign[0] : await firstPublished(foreign, signal);
      if (pulled !== undefined) return pulled;
      if (registry !== undefined) return await pushInTurn(image, onProgress, signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw toExecutorError(error, 'image', `cannot prepare the image ${image}`);
    }
    throw new ExecutorError(
      'image',
      `the image ${image} exists on the manager only, so other nodes cannot pull it. Start with "actorctl up --engine swarm --registry HOST:PORT", where every node reaches that registry.`,
    );
  };

  const prepare: SwarmImages['prepare'] = async (image, onProgress, signal) => {
    const pinned = await pin(image, onProgress, signal);
    known.set(image, pinned);
    return pinned;
  };
  return {
    prepare,
    pinned: async (image, signal) => known.get(image) ?? prepare(image, () => undefined, signal),
    removeLeftovers: async () => {
      const filters = { label: [`${INSTANCE_LABEL}=${instanceId}`, `${KIND_LABEL}=check`] };
      const all = await connection.call((docker, abortSignal) =>
        docker.listContainers({ abortSignal, all: true, filters }),
      );
      for (const { Id, Names } of all)
        if (!Names.some((name) => checks.has(name))) await removeContainer(connection, Id);
    },
  };
};
