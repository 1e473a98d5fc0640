// A Swarm manager that a test plays: it stores services, configs, secrets and containers, and can lose a response.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  createSwarmExecutor,
  type SwarmExecutor,
  type SwarmExecutorInputs,
} from '../../../daemon/executor/swarm/swarm-executor.ts';
import type { FileOffers } from '../../../daemon/ports/file-offers.ts';
import { quietLogger } from '../engine/docker.ts';

type Kind = 'services' | 'configs' | 'secrets' | 'containers';

interface Kept {
  readonly ID: string;
  readonly Names: readonly string[];
  readonly Labels: Readonly<Record<string, string>>;
  readonly Spec: { readonly Name?: string };
}

const DIGEST = `sha256:${'a'.repeat(64)}`;

/** An executable file in a container, too large for a script. */
const STAT = Buffer.from(JSON.stringify({ mode: 0o755, size: 1_000_000 })).toString('base64');

const bodyOf = async (request: IncomingMessage): Promise<Record<string, unknown>> => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? {} : JSON.parse(text);
};

/** Responses with fixed content. */
const FIXED: Readonly<Record<string, unknown>> = {
  '/_ping': 'OK',
  '/version': { Version: '20.10.0', ApiVersion: '1.41', Os: 'linux', Components: [{ Name: 'Engine' }] },
  '/info': { InitBinary: 'docker-init', DriverStatus: [['driver-type', 'io.containerd.snapshotter.v1']] },
  '/tasks': [],
};

/**
 * @param over replaces inputs of the executor
 * @param world whether the registry that the digest of the image "hello" names has it
 */
export const playedManager = async (over: Partial<SwarmExecutorInputs> = {}, { published = true } = {}) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'actorctl-manager-'));
  const socket = path.join(folder, 'docker.sock');
  const kept: Record<Kind, Map<string, Kept>> = {
    services: new Map(),
    configs: new Map(),
    secrets: new Map(),
    containers: new Map(),
  };
  const calls: string[] = [];
  let next: { readonly call: RegExp; readonly then: () => unknown; readonly loses: boolean } | undefined;
  let serial = 0;
  let pushed = false;
  const digests = () => [`hello@${DIGEST}`, ...(pushed ? [`${over.registry}/hello@${DIGEST}`] : [])];

  const answer = async (method: string, url: URL, request: IncomingMessage): Promise<readonly [number, unknown]> => {
    const fixed = FIXED[url.pathname];
    if (fixed !== undefined) return [200, fixed];
    const [, kind = '', ref = '', what] = url.pathname.split('/');
    if (/\/(tag|push)$/.test(url.pathname)) {
      pushed ||= url.pathname.endsWith('/push');
      return [url.pathname.endsWith('/tag') ? 201 : 200, {}];
    }
    if (kind === 'images')
      return [200, { Id: 'sha256:1', Config: { Cmd: ['/run'], Labels: {} }, RepoDigests: digests() }];
    if (kind === 'distribution') return published ? [200, {}] : [404, { message: 'manifest unknown' }];
    if (kind === 'containers' && what === 'archive') return [200, {}];
    const all = kept[kind as Kind];
    if (all === undefined) return [404, { message: `page not found: ${url.pathname}` }];
    if (ref === 'create') {
      const body = await bodyOf(request);
      serial += 1;
      const ID = `${kind}-${serial}`;
      const Names = [`/${url.searchParams.get('name') ?? body['Name']}`];
      const Labels = Object(body['Labels']);
      all.set(ID, { ID, Names, Labels, Spec: body });
      return [201, { ID, Id: ID }];
    }
    const listed = [...all.values()].map((each) => ({ ...each, Id: each.ID, Version: { Index: 1 }, State: 'created' }));
    if (ref === '' || ref === 'json') {
      const { label = [] }: { label?: string[] } = JSON.parse(url.searchParams.get('filters') ?? '{}');
      const has = ({ Labels }: Kept) => label.every((each) => Labels[each.split('=')[0] ?? ''] === each.split('=')[1]);
      return [200, listed.filter(has)];
    }
    const found = listed.find(({ ID, Names }) => ID === ref || Names[0] === `/${ref}`);
    if (found === undefined) return [404, { message: `${ref} not found` }];
    if (method === 'DELETE') all.delete(found.ID);
    return [200, found];
  };

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    const call = `${request.method} ${url.pathname}`;
    calls.push(call);
    // The stream of events stays open.
    if (url.pathname === '/events') return void response.writeHead(200).flushHeaders();
    const [status, body] = await answer(request.method ?? '', url, request);
    if (next?.call.test(call)) {
      const { then, loses } = next;
      next = undefined;
      await then();
      if (loses) return void request.socket.destroy();
    }
    response
      .writeHead(status, { 'content-type': 'application/json', 'x-docker-container-path-stat': STAT })
      .end(JSON.stringify(body));
  });
  await once(server.listen(socket), 'listening');

  const offers: FileOffers = {
    offer: async () => '',
    withdraw: async () => undefined,
    keepOnly: async () => undefined,
  };
  const executors: SwarmExecutor[] = [];
  /** The executor of a daemon, or of the next daemon on the same data folder. */
  const newExecutor = (): SwarmExecutor => {
    const executor = createSwarmExecutor({
      instanceId: 'own',
      dockerHost: `unix://${socket}`,
      offers,
      env: {},
      home: folder,
      logger: quietLogger(),
      ...over,
    });
    executors.push(executor);
    return executor;
  };
  return {
    executor: newExecutor(),
    newExecutor,
    /** The requests so far, such as `GET /services`. */
    calls,
    /** Carries out the next such call, calls `then`, and closes the connection without a response. */
    loseAnswer: (call: RegExp, then = (): void => undefined): void => {
      next = { call, then, loses: true };
    },
    /** Carries out the next such call, and responds when `then` has resolved. */
    holdAnswer: (call: RegExp, then: () => Promise<void>): void => {
      next = { call, then, loses: false };
    },
    /** How many objects of each kind there are. */
    left: (): Readonly<Record<string, number>> =>
      Object.fromEntries(Object.entries(kept).map(([kind, all]) => [kind, all.size])),
    close: async () => {
      for (const executor of executors) await executor.close({ removeAll: false });
      server.closeAllConnections();
      server.close();
      rmSync(folder, { recursive: true });
    },
  };
};
