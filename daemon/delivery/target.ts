// Where the posts to a webhook go. The URL of a webhook is checked once, and the result is kept for its later posts.
import { literalOf, webhookFault } from '../domain/events/webhook-url.ts';
import { type AddressRule, literalFault } from './address.ts';

/** The parts of a URL that a request needs. */
export interface Target {
  readonly isSecure: boolean;
  readonly hostname: string;
  /** Empty for the default port. */
  readonly port: string;
  /** With the query. */
  readonly path: string;
}

/** The target of a webhook, or why webhooks may not go there. */
type Checked = Target | { readonly fault: string };

/** Number of URLs whose result is kept. */
const KEPT = 1_000;

/**
 * Creates the function that returns the target of a URL. The addresses of a host name are not checked here, but each
 * time a connection is made.
 * @param isLasting false if the rule depends on the addresses of this machine, which change: no result is kept then
 */
export const targetFinder = (rule: AddressRule, isLasting: boolean): ((url: string) => Checked) => {
  const targets = new Map<string, Checked>();
  const check = (url: string): Checked => {
    const wrong = webhookFault(url);
    if (wrong !== undefined) return { fault: `webhook ${wrong}` };
    const parsed = new URL(url);
    const fault = literalFault(parsed, rule);
    if (fault !== undefined) return { fault };
    const { protocol, hostname, port, pathname, search } = parsed;
    // A URL has brackets around an IPv6 address, the options of a request have not.
    const host = literalOf(hostname) ?? hostname;
    return { isSecure: protocol === 'https:', hostname: host, port, path: `${pathname}${search}` };
  };
  return (url) => {
    if (!isLasting) return check(url);
    const known = targets.get(url);
    if (known !== undefined) return known;
    if (targets.size >= KEPT) targets.clear();
    const target = check(url);
    targets.set(url, target);
    return target;
  };
};
