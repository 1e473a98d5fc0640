// Checks the addresses of webhooks when a connection is made, and connects only to checked addresses.
import { lookup as ask } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { addressFault, privateFault } from '../domain/events/webhook-address.ts';
import { literalOf } from '../domain/events/webhook-url.ts';

/** Resolves a host name to its addresses. Rejects if it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const LOOPBACK = ['127.0.0.1', '::1'] as const;

/** Names that every machine resolves to itself. @see RFC 6761 6.3 */
const isLocalhost = (hostname: string): boolean => /^(?:.+\.)?localhost\.?$/i.test(hostname);

/** Resolves names like other programs on this machine, except `localhost`. */
export const systemResolve: Resolve = async (hostname) => {
  // A resolver that is slow for other names must not delay posts to this machine.
  if (isLocalhost(hostname)) return LOOPBACK;
  return (await ask(hostname, { all: true })).map(({ address }) => address);
};

/** Returns why webhooks may not be sent to an address. Undefined if they may. */
export type AddressRule = (address: string) => string | undefined;

export const ownAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));

/**
 * @param allowPrivate whether webhooks may go to this machine and to private networks
 * @see docs/conformance/security.md C21, R245
 */
export const addressRule =
  (allowPrivate: boolean, own = ownAddresses): AddressRule =>
  (address) => {
    const never = addressFault(address);
    if (never !== undefined) return `${address} is ${never}; webhooks may not go there`;
    const withheld = allowPrivate ? undefined : privateFault(address, own());
    return (
      withheld &&
      `${address} is ${withheld}; this daemon forbids webhooks to private addresses (ACTORCTL_WEBHOOK_PRIVATE)`
    );
  };

/**
 * Returns why webhooks may not be sent to a literal address. Undefined if they may, and for host names, which
 * `checkedLookup` checks.
 */
export const literalFault = ({ hostname }: URL, rule: AddressRule): string | undefined => {
  const literal = literalOf(hostname);
  return literal === undefined ? undefined : rule(literal);
};

/**
 * Returns why a webhook with this URL could never be delivered. Undefined if it could, and for host names whose
 * addresses only a resolver knows.
 */
export const webhookAddressFault =
  (rule: AddressRule) =>
  (url: string): string | undefined => {
    const parsed = new URL(url);
    return isLocalhost(parsed.hostname) ? rule(LOOPBACK[0]) : literalFault(parsed, rule);
  };

class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/**
 * Makes a lookup function for `net.connect`. Node connects to exactly the addresses that the function returns, so a
 * second DNS response cannot redirect the connection. Forbidden addresses are left out.
 * @see docs/conformance/security.md R134
 */
export const checkedLookup = (resolve: Resolve, rule: AddressRule): LookupFunction => {
  const addressesOf = async (hostname: string, family: number) => {
    const all = await resolve(hostname);
    const usable = all.filter((address) => rule(address) === undefined);
    const [first = ''] = all;
    if (usable.length === 0) {
      throw new AddressRefused(all.length === 0 ? 'the name has no address' : (rule(first) ?? first));
    }
    const found = usable.map((address) => ({ address, family: isIP(address) }));
    return family === 0 ? found : found.filter((each) => each.family === family);
  };
  return (hostname, options, callback) => {
    const family = options.family === 'IPv4' ? 4 : options.family === 'IPv6' ? 6 : (options.family ?? 0);
    addressesOf(hostname, family).then(
      (found) => {
        const [first = { address: '', family: 0 }] = found;
        if (options.all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), ''),
    );
  };
};
