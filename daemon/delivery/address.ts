// To which address a webhook goes: looked at when the connection is made, and the connection is made to what was looked at.
import { lookup as ask } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { addressFault, literalOf, privateFault } from '../domain/events/webhook-url.ts';

/** The addresses of a host name. Rejects when it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const LOOPBACK = ['127.0.0.1', '::1'];

/** Asks as every program of this machine does. */
export const systemResolve: Resolve = async (hostname) => {
  // A resolver that is slow for names elsewhere must not hold up listeners of this machine. @see RFC 6761 6.3
  if (/^(?:.+\.)?localhost\.?$/i.test(hostname)) return LOOPBACK;
  return (await ask(hostname, { all: true })).map(({ address }) => address);
};

/** Why no webhook goes to an address; undefined when one does. */
export type AddressRule = (address: string) => string | undefined;

/** @param allowPrivate whether webhooks may lead to this machine and to private networks. @see auth.md C21 */
export const addressRule =
  (allowPrivate: boolean): AddressRule =>
  (address) => {
    const never = addressFault(address);
    if (never !== undefined) return `${address} is ${never}, to which no webhook goes`;
    const withheld = allowPrivate ? undefined : privateFault(address);
    return (
      withheld && `${address} is ${withheld}, and this daemon forbids webhooks to those (ACTORCTL_WEBHOOK_PRIVATE)`
    );
  };

/** Why no webhook goes to a URL whose host is an address; undefined when one does, and for names, which `checkedLookup` looks at. */
export const literalFault = ({ hostname }: URL, rule: AddressRule): string | undefined => {
  const literal = literalOf(hostname);
  return literal === undefined ? undefined : rule(literal);
};

/** An address that may not be connected to; its message says why. */
class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/**
 * A look-up for `net.connect`, which goes to exactly the addresses it is given: no second answer of a name can lead elsewhere.
 * Of several addresses those stay that may be used. @see auth.md R134
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
