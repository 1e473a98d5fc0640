// Finds where the nodes of a cluster reach this daemon.
import { createSocket } from 'node:dgram';
import { networkInterfaces } from 'node:os';

/** Where the listener for runs binds, and the address that runs get. */
export interface ActorAddress {
  /** Address to bind. */
  readonly address: string;
  /** Port to bind; absent: that of the main listener, or any free one. */
  readonly port?: number;
  /** Name or address that runs get, if it differs from the bound one. */
  readonly host?: string;
}

const ALL = '0.0.0.0';

/** The address of this machine from which packets to `peer` go. Sends nothing. */
const localAddressTo = (peer: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const socket = createSocket(peer.includes(':') ? 'udp6' : 'udp4');
    const end = (address: string | undefined) => {
      socket.close();
      resolve(address);
    };
    socket.once('error', () => end(undefined));
    socket.connect(9, peer, () => end(socket.address().address));
  });

const isOwn = (address: string): boolean =>
  Object.values(networkInterfaces()).some((each) => each?.some((own) => own.address === address));

/**
 * The address of `--advertise-url`, else the one of this machine that is nearest to the manager. A name, or an address of
 * another machine that forwards to this one, is served on all addresses.
 */
export const actorAddress = async (
  advertiseUrl: string | undefined,
  manager: () => Promise<string | undefined>,
): Promise<ActorAddress | undefined> => {
  if (advertiseUrl === undefined) {
    const peer = await manager();
    const address = peer === undefined ? undefined : await localAddressTo(peer);
    return address === undefined ? undefined : { address };
  }
  const url = new URL(advertiseUrl);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { address: isOwn(host) ? host : ALL, port: Number(url.port || 80), host };
};
