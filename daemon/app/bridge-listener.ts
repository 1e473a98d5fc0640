// The second HTTP listener, on the gateway of the Docker bridge, where containers reach the daemon. It is bound when
// the first run needs it.
import type { App } from '../http/app.ts';
import type { Logger } from '../ports/logger.ts';
import { listen } from './listen.ts';

/** The part of the Docker executor that the listener uses. */
interface Bridge {
  gateway(): Promise<{ readonly address: string; readonly bindable: boolean } | undefined>;
  setApiPort(port: number): void;
}

export interface BridgeListener {
  /** Makes the daemon reachable for containers, if this machine allows it; repeated calls are cheap. Never throws. */
  ensure(): Promise<void>;
  /** URL of the daemon for containers; undefined until it is known. */
  address(): string | undefined;
  /**
   * Host headers under which containers reach the main listener: one where the bridge is inside a virtual machine
   * (Docker Desktop), otherwise none.
   */
  mainHosts(): readonly string[];
  close(): Promise<void>;
}

/**
 * Creates the listener for the bridge of the instance.
 * @param makeApp creates the app for the given Host headers; called anew for every address
 * @param mainPort port of the loopback listener; used here too if it is free
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
        logger.info({ address, port }, 'containers can reach the daemon here');
        return;
      } catch (error) {
        logger.warn({ error, address, port: wished }, 'cannot listen on the gateway of the bridge');
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
      logger.warn({ error }, 'cannot find the gateway of the bridge; containers cannot reach the daemon');
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
