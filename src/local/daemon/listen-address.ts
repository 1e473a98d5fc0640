// The address on which the daemon listens, and its place in URLs.

/** An address as the host of a URL: an IPv6 address in brackets. */
export const urlHost = (address: string): string => (address.includes(':') ? `[${address}]` : address);

/**
 * The canonical form of a typed host name or address: `::1` for `[::1]`, `127.0.0.1` for `LOCALHOST` and `127.1`,
 * `0.0.0.0` for `0`. Undefined if it is neither a host name nor an address.
 */
export const listenAddress = (typed: string): string | undefined => {
  const bare = typed.replace(/^\[(.+)\]$/, '$1');
  const url = `http://${urlHost(bare)}`;
  if (!/^[\w.:-]+$/.test(bare) || !URL.canParse(url)) return undefined;
  const { hostname } = new URL(url);
  // The system may resolve the name to ::1, where a client of 127.0.0.1 finds nothing.
  return hostname === 'localhost' ? '127.0.0.1' : hostname.replace(/^\[(.+)\]$/, '$1');
};

/** True if only this machine can reach the canonical address. @see docs/conformance/security.md R106 */
export const isLoopback = (address: string): boolean => address === '::1' || /^127(\.\d{1,3}){3}$/.test(address);

/** True if the canonical address means all addresses of this machine. */
export const isWildcard = (address: string): boolean => ['0.0.0.0', '::', '::ffff:0:0'].includes(address);

/** The origin at which processes of this machine reach a listener on the canonical address. */
export const localOrigin = (address: string, port: number): string => {
  const reached = address === '::' ? '::1' : isWildcard(address) ? '127.0.0.1' : address;
  return new URL(`http://${urlHost(reached)}:${port}`).origin;
};
