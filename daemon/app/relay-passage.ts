// The passage of an engine without root: a socket of this daemon, and a relay in the network namespace of the engine.
import { rmSync } from 'node:fs';
import type { Server } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolders } from '../../src/local/folders/make-folders.ts';
import { listenOwn, requireOwnFolder } from '../../src/local/own-place.ts';
import type { EngineNamespace } from '../executor/engine/engine-namespace.ts';
import { openRelay, type Relay, RelayFailure } from '../executor/relay/relay.ts';
import type { Logger } from '../ports/logger.ts';
import type { Passage } from './bridge-listener.ts';

const AGAIN_MS = 1_000;

/** Listens at the path, where a daemon of the same data folder that was killed may have left its socket. */
const listenAnew = async (server: Server, file: string): Promise<void> => {
  const folder = path.dirname(file);
  await makeFolders(folder);
  requireOwnFolder(folder);
  rmSync(file, { force: true });
  await listenOwn(server, file);
};

/**
 * Opens a passage from an address in the namespace to the server.
 * @param inputs.file path of the socket at which the server listens, of this user alone
 * @param inputs.bringUp makes the address exist
 * @throws Error
 */
export const relayPassage = async (
  inputs: {
    readonly namespace: EngineNamespace;
    readonly address: string;
    readonly bringUp: () => Promise<void>;
    readonly file: string;
    readonly program: string;
    readonly logger: Logger;
  },
  server: Server,
  ports: readonly number[],
): Promise<Passage> => {
  const { bringUp, file, logger } = inputs;
  /** Those of earlier namespaces too: containers in them still use the relay of their own. */
  const relays = new Set<Relay>();
  let closed = false;

  const openOnce = (some: readonly number[]): Promise<Relay> => openRelay({ ...inputs, socket: file, ports: some });

  const open = async (some: readonly number[]): Promise<Relay> => {
    let relay: Relay;
    try {
      relay = await openOnce(some);
    } catch (error) {
      if (!(error instanceof RelayFailure) || !error.hasNoAddress) throw error;
      await bringUp();
      relay = await openOnce(some);
    }
    relays.add(relay);
    void relay.ended.then(() => {
      relays.delete(relay);
      if (relay === current) void reopen(relay);
    });
    if (closed) relay.close();
    return relay;
  };

  /** A relay that was killed is replaced at once, because containers that run need it. */
  const reopen = async (lost: Relay): Promise<void> => {
    if (closed) return;
    logger.warn({ port: lost.port }, 'the relay for containers has ended; a new one is opened');
    while (!closed && current === lost) {
      try {
        await renew();
      } catch (error) {
        // Without containers there is no address. The next run opens a relay.
        if (error instanceof RelayFailure && error.hasNoAddress) return;
        logger.warn({ error }, 'cannot open the relay for containers');
        await sleep(AGAIN_MS, undefined, { ref: false });
      }
    }
  };

  let renewing: Promise<void> | undefined;
  const replace = async (): Promise<void> => {
    if (await current.isCurrent()) return;
    current = await open([current.port]);
  };
  const renew = (): Promise<void> => {
    renewing ??= replace().finally(() => {
      renewing = undefined;
    });
    return renewing;
  };

  await listenAnew(server, file);
  let current = await open(ports);
  return {
    port: current.port,
    renew,
    close: () => {
      closed = true;
      for (const relay of relays) relay.close();
    },
  };
};
