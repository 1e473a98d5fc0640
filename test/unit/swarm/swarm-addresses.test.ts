// The addresses of the API that actors on a swarm get. The listeners are played.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createExecutors } from '../../../daemon/app/executors.ts';
import type { LegacyListeners } from '../../../daemon/app/legacy-listener.ts';
import { resolveConfig } from '../../../daemon/config.ts';
import { playedApp } from '../../support/service/played-app.ts';

const folder = mkdtempSync(join(tmpdir(), 'actorctl-swarm-'));
afterAll(() => rmSync(folder, { recursive: true }));

const silent = () => undefined;

/** The addresses for modern and for legacy actors. */
const addresses = async (withLegacy: boolean, advertiseUrl = 'http://daemon.example:9000') => {
  const flags = ['--engine', 'swarm', '--advertise-url', advertiseUrl, '--data-dir', folder];
  const certified: string[] = [];
  const legacy: Pick<LegacyListeners, 'containerApp' | 'port' | 'origin'> = {
    containerApp: async (host) => {
      certified.push(host);
      return playedApp({ 443: 'EACCES' });
    },
    port: () => 9_443,
    origin: () => 'https://localhost:9443',
  };
  const { containers } = createExecutors({
    config: resolveConfig(flags, { ACTORCTL_HOME: folder }),
    instanceId: 'one',
    newId: () => 'AAAAAAAAAAAAA',
    engineUse: { happened: () => false, record: async () => undefined },
    localUrl: () => 'http://127.0.0.1:8722',
    makeApp: () => playedApp(),
    port: () => 8_722,
    legacy: withLegacy ? (legacy as LegacyListeners) : undefined,
    results: { put: async () => undefined } as never,
    logger: { debug: silent, info: silent, warn: silent, error: silent },
  });
  const found = [await containers.apiServer('modern'), await containers.apiServer('legacy')];
  await containers.close({ removeAll: false });
  return { found, certified };
};

describe('on a swarm', () => {
  it('legacy actors get the https address, and the others the plain one', async () => {
    expect(await addresses(true)).toEqual({
      found: ['http://daemon.example:9000', 'https://daemon.example:9443'],
      certified: ['daemon.example'],
    });
  });

  it('all actors get the plain address without the https listener', async () => {
    expect((await addresses(false)).found).toEqual(['http://daemon.example:9000', 'http://daemon.example:9000']);
  });
});
