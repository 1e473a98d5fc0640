// The https listener for programs of the hosted platform, over the services of a test.
import type { AddressInfo } from 'node:net';
import { secureHosts } from '../../../daemon/app/legacy-listener.ts';
import type { LegacyListener, Services } from '../../../daemon/app/services.ts';
import type { App } from '../../../daemon/http/app.ts';
import { createAuthority, createLeaf } from '../../../daemon/vault/certificates.ts';
import { playedBy } from '../contract/openapi-check.ts';

const DAY_MS = 86_400_000;

/** A certificate of an authority of the tests, for these names and this time. */
export const madeIdentity = (
  names: readonly string[] = ['localhost', '127.0.0.1'],
  from = Date.now() - DAY_MS,
  until = Date.now() + DAY_MS,
) => {
  const authority = createAuthority('authority of a test', from, until);
  return { ...createLeaf(authority, names, from, until), authority: authority.cert };
};

let shared: ReturnType<typeof madeIdentity> | undefined;

/** One certificate for all tests of a process. */
export const testIdentity = () => (shared ??= madeIdentity());

export interface ListeningLegacy {
  readonly app: App;
  readonly port: number;
  readonly baseUrl: string;
}

/** Listens on a free port of the loopback. Its responses differ from the OpenAPI document. */
export const listenLegacy = async (
  services: Services,
  settings: Partial<Pick<LegacyListener, 'onlyExecutionTokens' | 'gateway'>> = {},
): Promise<ListeningLegacy> => {
  let port = 0;
  const baseUrl = () => `https://localhost:${port}`;
  const app = services.legacyApp({
    hosts: () => secureHosts(['localhost', '127.0.0.1', '::1'], port),
    baseUrl,
    identity: testIdentity(),
    onlyExecutionTokens: false,
    ...settings,
  });
  await new Promise<void>((resolve) => app.server.listen(0, '127.0.0.1', resolve));
  port = (app.server.address() as AddressInfo).port;
  playedBy(baseUrl());
  return { app, port, baseUrl: baseUrl() };
};
