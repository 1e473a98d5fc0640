// Checks the URLs of webhooks: only http and https, and no address of a metadata service. @see docs/conformance/security.md C21, R134
import { addressFault } from './webhook-address.ts';

const LONGEST = 2_048;

/** Host names of metadata services, from which cloud machines get their credentials. */
const METADATA_HOSTS = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
]);

/** The literal address in the host of a URL. Undefined if the host is a name. */
export const literalOf = (hostname: string): string | undefined =>
  /^\d+\.\d+\.\d+\.\d+$/.test(hostname) ? hostname : /^\[(.+)\]$/.exec(hostname)?.[1];

/** The part of a webhook URL that contains no secret: scheme, host and port. Empty if the text is not a URL. */
export const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : '');

/** A text in which each URL is reduced to its origin. */
export const withoutPaths = (text: string): string => text.replace(/(https?:\/\/[^\s/?#;]+)\S*?(;?)(?=\s|$)/gi, '$1$2');

/**
 * Why a text cannot be a webhook, as the end of a sentence that begins with `webhook`. Undefined if it is valid. Only
 * the text is checked here. The addresses of a host name are checked at delivery.
 */
export const webhookFault = (text: string): string | undefined => {
  if (text.length > LONGEST) return `is longer than ${LONGEST} characters`;
  // The URL class would silently drop some of these characters and read others as slashes.
  if (/[\s\p{C}\\]/u.test(text))
    return 'contains a space, a control character or a backslash; write it percent-encoded';
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text))
    return 'must be an absolute URL, like http://127.0.0.1:9000/hook';
  if (/^[^/?#]*\/\/[^/?#]*@/.test(text))
    return 'contains a user name or password; put secrets into the path or the query instead';
  const { hostname, hash } = new URL(text);
  if (hash !== '') return 'has a fragment (#…), which is never sent';
  // The URL class has already normalized every spelling of an IPv4 address (octal, hexadecimal, one number) to dotted
  // decimals.
  const host = hostname.toLowerCase().replace(/\.$/, '');
  if (METADATA_HOSTS.has(host)) return `leads to ${host}, the metadata service of the machine`;
  const literal = literalOf(host);
  const fault = literal === undefined ? undefined : addressFault(literal);
  return fault === undefined ? undefined : `leads to ${host}, which is ${fault}`;
};
