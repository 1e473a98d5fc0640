// The second listener: on the bridge's gateway, where containers reach the daemon; bound when the first run needs it.
import type { App } from '../http/app.ts';
import type { Logger } from '../ports/logger.ts';
import { listen } from './listen.ts';

/** What of the Docker executor this needs. */
interface Bridge {
  gateway(): Promise<{ readonly address: string; readonly bindable: boolean } | undefined>;
  setApiPort(port: number): void;
}

export interface BridgeListener {
  /** Makes sure that runs can reach the daemon, if this machine lets them; cheap once it is so. Never throws. */
  ensure(): Promise<void>;
  /** Origin for containers, once known. */
  address(): string | undefined;
  /** Host values under which containers reach the main listener: one where the bridge is inside a virtual machine (Docker Desktop), else none. */
  mainHosts(): readonly string[];
  close(): Promise<void>;
}

/**
 * Binds a listener to the bridge of the instance.
 * @param makeApp makes the app for Host values at this address; a new one for each address
 * @param mainPort the port of the loopback listener, used here too when it is free
 */
export const createBridgeListener = (options: {
  readonly bridge: Bridge;
  readonly makeApp: (hosts: () => ReadonlySet<string>) => App;
  readonly mainPort: () => number;
  readonly logger: Logger;
}): BridgeListener => {
  const { bridge, makeApp, mainPort, logger } = options;
  let bound: { readonly address: string; readonly port: number; readonly app: App } | undefined;
  let binding: Promise<void> | undefined;
  let throughHost = false;

  const bind = async (address: string): Promise<void> => {
    const old = bound;
    bound = undefined;
    await old?.app.close();
    for (const wished of [mainPort(), 0]) {
      let hosts: ReadonlySet<string> = new Set();
      const app = makeApp(() => hosts);
      try {
        const port = await listen(app.server, address, wished);
        hosts = new Set([`${address}:${port}`, `host.docker.internal:${port}`]);
        bound = { address, port, app };
        bridge.setApiPort(port);
        logger.info({ address, port }, 'containers reach the daemon here');
        return;
      } catch (error) {
        logger.warn({ error, address, port: wished }, 'the gateway listener could not be bound');
      }
    }
  };

  const refresh = async (): Promise<void> => {
    try {
      const gateway = await bridge.gateway();
      if (gateway === undefined) return;
      throughHost = !gateway.bindable;
      if (throughHost) bridge.setApiPort(mainPort());
      else if (bound?.address !== gateway.address) await bind(gateway.address);
    } catch (error) {
      logger.warn({ error }, 'the gateway of the bridge is not to be had; runs cannot reach the daemon');
    }
  };

  return {
    ensure() {
      binding ??= refresh().finally(() => {
        binding = undefined;
      });
      return binding;
    },
    address: () => (bound === undefined ? undefined : `http://${bound.address}:${bound.port}`),
    mainHosts: () => (throughHost ? [`host.docker.internal:${mainPort()}`] : []),
    async close() {
      await binding;
      await bound?.app.close();
    },
  };
};
