// The second listener, through which containers reach the daemon's API. It binds to the gateway of the instance's
// bridge network, or to the address at which the nodes of a cluster reach this machine.
import type { Server } from 'node:net';
import { urlHost } from '../../src/local/daemon/listen-address.ts';
import type { App } from '../http/app.ts';
import type { Logger } from '../ports/logger.ts';
import { listen } from './listen.ts';

export type BridgeListener = ReturnType<typeof createBridgeListener>;

export interface ListenAddress {
  readonly address: string;
  /** False if the address does not belong to this machine: containers then reach the main listener. */
  readonly bindable: boolean;
  /** The port to bind. If absent: the main port, or any free one. */
  readonly port?: number;
  /** Name or address as containers see it, if they do not see the bound address. */
  readonly host?: string;
  /** Makes a server reachable at the address, at one of the ports. If absent, the address belongs to this machine. */
  readonly passage?: (server: Server, ports: readonly number[]) => Promise<Passage>;
}

/** The way from an address in another network namespace to a server of this process. */
export interface Passage {
  readonly port: number;
  /** Opens the passage again if containers that start now would not reach it. @throws Error */
  renew(): Promise<void>;
  close(): void;
}

const listenAt =
  (address: string): NonNullable<ListenAddress['passage']> =>
  async (server, [port = 0]) => ({
    port: await listen(server, address, port),
    renew: async () => undefined,
    close: () => undefined,
  });

/**
 * Creates the listener; nothing is bound before `ensurePort` is called.
 * @param options.gateway the daemon's side of the bridge; undefined while no engine answers
 * @param options.makeApp makes the app for the Host values of one address; called again for each new address, and its app
 * is closed with the address
 * @param options.mainPort the port of the loopback listener; used on the bridge too if it is free there
 */
export const createBridgeListener = (options: {
  readonly gateway: () => Promise<ListenAddress | undefined>;
  readonly makeApp: (hosts: () => ReadonlySet<string>, host: string, origin: () => string) => App | Promise<App>;
  /** The port through which containers connect if the gateway address does not belong to this machine. */
  readonly mainPort: () => number;
  /** The ports to try. Default: the port of the address, else the main port, then any free one. */
  readonly ports?: () => readonly number[];
  /** `http` by default. */
  readonly scheme?: 'http' | 'https';
  /**
   * True if other machines reach the listener. It is then bound at start, so that the person who starts the daemon sees
   * a failure.
   */
  readonly isExposed?: boolean;
  readonly logger: Logger;
}) => {
  const { makeApp, mainPort, logger, scheme = 'http' } = options;
  const originAt = (host: string, at: number): string => new URL(`${scheme}://${host}:${at}`).origin;
  let bound:
    | { readonly address: string; readonly origin: string; readonly app: App; readonly passage: Passage }
    | undefined;
  let refreshing: Promise<void> | undefined;
  let usesMainListener = false;
  let port: number | undefined;

  const closeBound = async (): Promise<void> => {
    const old = bound;
    bound = undefined;
    port = undefined;
    old?.passage.close();
    await old?.app.close();
  };

  /** Undefined if no port can be bound. */
  const open = async (
    server: Server,
    { address, passage }: ListenAddress,
    ports: readonly number[],
  ): Promise<Passage | undefined> => {
    for (const some of passage ? [ports] : ports.map((each) => [each])) {
      try {
        return await (passage ?? listenAt(address))(server, some);
      } catch (error) {
        logger.warn({ error, address, ports: some }, 'cannot bind the listener for containers');
      }
    }
    return undefined;
  };

  const bind = async (to: ListenAddress): Promise<void> => {
    await closeBound();
    const { address, port: fixed, host = address } = to;
    let hosts: ReadonlySet<string> = new Set();
    let origin = '';
    const app = await makeApp(
      () => hosts,
      host,
      () => origin,
    );
    const passage = await open(app.server, to, options.ports?.() ?? (fixed === undefined ? [mainPort(), 0] : [fixed]));
    if (passage === undefined) return app.close();
    port = passage.port;
    const names = [...new Set([host, address, 'host.docker.internal'])].map(urlHost);
    origin = originAt(urlHost(host), port);
    // The URL omits a default port.
    hosts = new Set(names.flatMap((name) => [`${name}:${port}`, new URL(originAt(name, passage.port)).host]));
    bound = { address, origin, app, passage };
    logger.info({ address, port, origin }, 'containers reach the daemon here');
  };

  const refresh = async (): Promise<void> => {
    let problem = 'the gateway of the bridge network is unknown';
    try {
      const gateway = await options.gateway();
      if (gateway === undefined) return;
      problem = 'their listener cannot be made';
      usesMainListener = !gateway.bindable;
      if (usesMainListener) port = mainPort();
      else if (bound?.address !== gateway.address) await bind(gateway);
      else await bound.passage.renew();
    } catch (error) {
      logger.warn({ error }, `containers cannot reach the daemon: ${problem}`);
    }
  };

  const ensurePort = async (): Promise<number | undefined> => {
    refreshing ??= refresh().finally(() => {
      refreshing = undefined;
    });
    await refreshing;
    return port;
  };

  return {
    /** Returns the port at which containers reach the API; undefined if they cannot. Cheap once bound. Never throws. */
    ensurePort,
    /** Called at daemon start: binds the listener if other machines reach its address. Never throws. */
    begin: async (): Promise<void> => {
      if (options.isExposed) await ensurePort();
    },
    /** Origin of the API for containers, as they see it; undefined until the listener is bound. */
    address: (): string | undefined => bound?.origin,
    /**
     * Host header values under which containers reach the main listener: one if the bridge is inside a virtual machine
     * (Docker Desktop), else none.
     */
    mainHosts: (): readonly string[] => (usesMainListener ? [`host.docker.internal:${mainPort()}`] : []),
    async close(): Promise<void> {
      await refreshing;
      await closeBound();
    },
  };
};
