// The second listener: on the gateway of the instance's bridge network, where containers reach the daemon's API.
import type { App } from '../http/app.ts';
import type { Logger } from '../ports/logger.ts';
import { listen } from './listen.ts';

export interface BridgeListener {
  /**
   * Binds the listener if it is not bound yet. Returns the port at which containers reach the API, or undefined if they cannot.
   * Cheap once bound. Never throws.
   */
  ensurePort(): Promise<number | undefined>;
  /** Origin of the API for containers; undefined until the listener is bound. */
  address(): string | undefined;
  /** Host values under which containers reach the main listener: one if the bridge is inside a virtual machine (Docker Desktop), else none. */
  mainHosts(): readonly string[];
  close(): Promise<void>;
}

/**
 * Creates the listener; nothing is bound before `ensurePort` is called.
 * @param options.gateway the daemon's side of the bridge; undefined while no engine answers
 * @param options.makeApp makes the app for the Host values of one address; called again for each new address
 * @param options.mainPort the port of the loopback listener; used on the bridge too if it is free there
 */
export const createBridgeListener = (options: {
  readonly gateway: () => Promise<{ readonly address: string; readonly bindable: boolean } | undefined>;
  readonly makeApp: (hosts: () => ReadonlySet<string>) => App;
  readonly mainPort: () => number;
  readonly logger: Logger;
}): BridgeListener => {
  const { makeApp, mainPort, logger } = options;
  let bound: { readonly address: string; readonly port: number; readonly app: App } | undefined;
  let refreshing: Promise<void> | undefined;
  let usesMainListener = false;
  let port: number | undefined;

  const bind = async (address: string): Promise<void> => {
    const old = bound;
    bound = undefined;
    await old?.app.close();
    for (const wanted of [mainPort(), 0]) {
      let hosts: ReadonlySet<string> = new Set();
      const app = makeApp(() => hosts);
      try {
        port = await listen(app.server, address, wanted);
        hosts = new Set([`${address}:${port}`, `host.docker.internal:${port}`]);
        bound = { address, port, app };
        logger.info({ address, port }, 'containers reach the daemon here');
        return;
      } catch (error) {
        logger.warn({ error, address, port: wanted }, 'cannot bind the listener for containers');
      }
    }
  };

  const refresh = async (): Promise<void> => {
    try {
      const gateway = await options.gateway();
      if (gateway === undefined) return;
      usesMainListener = !gateway.bindable;
      if (usesMainListener) port = mainPort();
      else if (bound?.address !== gateway.address) await bind(gateway.address);
    } catch (error) {
      logger.warn({ error }, 'containers cannot reach the daemon: the gateway of the bridge network is unknown');
    }
  };

  return {
    async ensurePort() {
      refreshing ??= refresh().finally(() => {
        refreshing = undefined;
      });
      await refreshing;
      return port;
    },
    address: () => (bound === undefined ? undefined : `http://${bound.address}:${bound.port}`),
    mainHosts: () => (usesMainListener ? [`host.docker.internal:${mainPort()}`] : []),
    async close() {
      await refreshing;
      await bound?.app.close();
    },
  };
};
