// The https listeners: one for programs of the hosted platform, and one for containers of their actors.

import path from 'node:path';
import { isWildcard, urlHost } from '../../src/local/daemon/listen-address.ts';
import { readGateway } from '../../src/local/daemon/tls-files.ts';
import type { DaemonConfig } from '../config.ts';
import { ownAddresses } from '../delivery/address.ts';
import type { OwnCertificate } from '../delivery/own-certificate.ts';
import type { App } from '../http/app.ts';
import type { TlsIdentity } from '../http/tls-server.ts';
import type { Logger } from '../ports/logger.ts';
import { createClock } from '../vault/clock.ts';
import { listen, PortDenied, waysToBind } from './listen.ts';
import type { LegacyListener } from './services.ts';
import { type IdentitySource, identitySource, usedOrThrow } from './tls-identity.ts';

/** The port that clients use when the URL has no port. */
const HTTPS_PORT = 443;

/** The port to try when 443 is in use or not permitted. */
const SECOND_PORT = 8_443;

const LOCAL_NAMES = ['localhost', '127.0.0.1', '::1', 'host.docker.internal'];

const RENEW_EVERY_MS = 12 * 60 * 60 * 1_000;

export interface LegacyListeners {
  /** Binds the listener for programs. @throws PortInUse, ConfigError */
  begin(): Promise<void>;
  /** Origin of the listener for people. Undefined until it is bound. */
  origin(): string | undefined;
  /** Origin of the listener for processes of this machine. Undefined until it is bound. */
  localOrigin(): string | undefined;
  port(): number | undefined;
  /** Why the port is not 443, and how to change that. Undefined if it is 443, or if another port was requested. */
  portNote(): string | undefined;
  /** Finds the current certificate for a name or address of the listeners, and a port (one of theirs, or 443). */
  readonly ownCertificate: OwnCertificate;
  readonly authorityFile?: string;
  /** Makes the app that serves containers at a host name. The certificate includes this name. */
  containerApp(host: string, hosts: () => ReadonlySet<string>, baseUrl: () => string): Promise<App>;
  drain(): Promise<void>;
  close(): Promise<void>;
}

interface Options {
  readonly bind: string;
  /** Host name of the URL for people. If absent: that of `bind`. */
  readonly publicHost?: string;
  /** The requested port. If absent: 443, or another one if 443 is unavailable. */
  readonly port?: number;
  readonly identities: IdentitySource;
  readonly makeApp: (listener: LegacyListener) => App;
  readonly gateway?: NonNullable<LegacyListener['gateway']>;
  readonly logger: Logger;
}

const isReachedAt = (bound: string, address: string): boolean =>
  bound === address || (isWildcard(bound) && ownAddresses().includes(address));

/** An https origin without the default port. */
export const secureOrigin = (host: string, port: number): string => new URL(`https://${urlHost(host)}:${port}`).origin;

/** Host header values for these names: without a port, and with each of the ports. */
export const secureHosts = (names: readonly string[], port: number): ReadonlySet<string> =>
  new Set(names.map(urlHost).flatMap((name) => [name, `${name}:${HTTPS_PORT}`, `${name}:${port}`]));

const noteOf = (error: unknown, port: number): string =>
  error instanceof PortDenied
    ? `this process may not bind port 443, so the port is ${port}. To get 443: ${waysToBind(HTTPS_PORT)}, or sudo iptables -t nat -A OUTPUT -o lo -p tcp --dport 443 -j REDIRECT --to-ports ${port}`
    : `another program uses port 443, so the port is ${port}. To get 443: end that program, then actorctl daemon restart`;

/** The listeners that the configuration requests. Reads the public key of the gateway. @throws ConfigError */
export const legacyListeners = (
  { legacy, bind, publicUrl, dataDir, instance }: DaemonConfig,
  deps: Pick<Options, 'makeApp' | 'logger'>,
): LegacyListeners | undefined => {
  if (legacy === undefined) return undefined;
  const { port, tls, jwtKey } = legacy;
  return createLegacyListeners({
    ...deps,
    bind,
    ...(publicUrl !== undefined && { publicHost: new URL(publicUrl).hostname.replace(/^\[|\]$/g, '') }),
    ...(port !== undefined && { port }),
    // Certificates follow the time of the machine, even on an instance with a virtual clock.
    identities: identitySource(tls, {
      ...deps,
      clock: createClock({ floor: 0 }),
      folder: path.join(dataDir, 'tls'),
      instance,
    }),
    ...(jwtKey !== undefined && { gateway: usedOrThrow(readGateway(jwtKey)) }),
  });
};

/** Creates the listeners. Nothing is bound before `begin`. */
export const createLegacyListeners = ({
  bind,
  publicHost,
  port: asked,
  identities,
  makeApp,
  gateway,
  logger,
}: Options): LegacyListeners => {
  const localHost = bind === '127.0.0.1' || isWildcard(bind) ? 'localhost' : bind;
  const host = publicHost ?? localHost;
  const names = new Set([...LOCAL_NAMES, localHost, host]);
  const apps = new Set<App>();
  let bound: { readonly port: number; readonly note?: string } | undefined;
  let used: TlsIdentity | undefined;

  /**
   * Returns the newest certificate, and makes all apps use it. Falls back to the current certificate.
   * @throws ConfigError if there is neither
   */
  const renew = async (): Promise<TlsIdentity> => {
    try {
      const identity = await identities.current([...names]);
      if (identity.cert === used?.cert) return identity;
      for (const app of apps) app.renew(identity);
      if (used !== undefined) logger.info({}, 'the https listener uses a new certificate');
      used = identity;
      return identity;
    } catch (error) {
      if (used === undefined) throw error;
      logger.warn({ error }, 'the https listener keeps its certificate, because it cannot get a new one');
      return used;
    }
  };
  let timer: NodeJS.Timeout | undefined;

  const bindTo = async (app: App): Promise<NonNullable<typeof bound>> => {
    if (asked !== undefined) return { port: await listen(app.server, bind, asked, { flag: '--legacy-port' }) };
    try {
      return { port: await listen(app.server, bind, HTTPS_PORT) };
    } catch (error) {
      const port = await listen(app.server, bind, 0, { prefer: SECOND_PORT });
      return { port, note: noteOf(error, port) };
    }
  };

  const originAt = (name: string): string | undefined => bound && secureOrigin(name, bound.port);
  const origin = (): string | undefined => originAt(host);

  return {
    async begin() {
      const app = makeApp({
        hosts: () => secureHosts([...names], bound?.port ?? HTTPS_PORT),
        baseUrl: () => origin() ?? '',
        identity: await renew(),
        onlyExecutionTokens: false,
        ...(gateway && { gateway }),
      });
      apps.add(app);
      bound = await bindTo(app);
      timer = setInterval(() => void renew(), RENEW_EVERY_MS).unref();
      logger.info({ origin: origin() }, 'programs of the hosted platform reach the daemon here');
    },
    origin,
    localOrigin: () => originAt(localHost),
    port: () => bound?.port,
    portNote: () => bound?.note,
    ownCertificate: (wanted, at) => {
      const isOwn = [...apps].some(({ server }) => {
        const listening = server.address();
        if (listening === null || typeof listening !== 'object') return false;
        const isAtPort = at === listening.port || at === HTTPS_PORT;
        return isAtPort && (names.has(wanted) || isReachedAt(listening.address, wanted));
      });
      return isOwn ? used?.cert : undefined;
    },
    ...(identities.authorityFile !== undefined && { authorityFile: identities.authorityFile }),
    async containerApp(host, hosts, baseUrl) {
      names.add(host);
      const app = makeApp({ hosts, baseUrl, identity: await renew(), onlyExecutionTokens: true });
      apps.add(app);
      return {
        ...app,
        close: async () => {
          apps.delete(app);
          await app.close();
        },
      };
    },
    async drain() {
      await Promise.all([...apps].map((app) => app.drain()));
    },
    async close() {
      clearInterval(timer);
      await Promise.all([...apps].map((app) => app.close()));
    },
  };
};
