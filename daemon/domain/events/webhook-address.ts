// Classifies the addresses that webhooks target. @see docs/conformance/security.md C21, R134
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

const METADATA = 'an address of a metadata service';

/**
 * Metadata services outside the ranges below, and the private IPv6 addresses of Amazon's, Google's and Scaleway's
 * metadata services.
 */
const metadata: ReadonlySet<string> = new Set([
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fd00:42::42',
]);

/** Ranges that are never allowed, named as in ipaddr.js. */
const never: ReadonlyMap<string, string> = new Map([
  ['unspecified', 'an unspecified address'],
  ['linkLocal', 'a link-local address'],
  // A site-local address, like a link-local one, means another machine in each network (RFC 3879).
  ['deprecatedSiteLocal', 'a site-local address'],
  ['multicast', 'a multicast address'],
  ['broadcast', 'a broadcast address'],
  ['reserved', 'a reserved address'],
  ['discard', 'a reserved address'],
  ['benchmarking', 'a reserved address'],
  ['deprecatedOrchid', 'a reserved address'],
  ['orchid2', 'a reserved address'],
  ['droneRemoteIdProtocolEntityTags', 'a reserved address'],
  ['segmentRouting', 'a reserved address'],
]);

/** Loopback and private ranges, which most webhooks of developers target. */
const local: ReadonlyMap<string, string> = new Map([
  ['loopback', 'a loopback address'],
  ['private', 'a private address'],
  ['uniqueLocal', 'a private address'],
  ['carrierGradeNat', 'a shared address'],
  ['testNetworks', 'an address of test networks'],
]);

/** Part of `reserved` in ipaddr.js, but used like a private network (RFC 2544). */
const TEST_NETWORKS = ipaddr.IPv4.parseCIDR('198.18.0.0/15');

const rangeOf = (address: Address): string =>
  address.kind() === 'ipv4' && address.match(TEST_NETWORKS) ? 'testNetworks' : address.range();

const COMPATIBLE = ipaddr.IPv6.parseCIDR('::/96');
const LOCAL_TRANSLATION = ipaddr.IPv6.parseCIDR('64:ff9b:1::/48');

const at = (bytes: readonly number[], positions: readonly number[]): ipaddr.IPv4 =>
  new ipaddr.IPv4(positions.map((position) => bytes[position] ?? 0));

const LAST = [12, 13, 14, 15];
/** Byte positions of the IPv4 address after prefixes of 48, 56, 64 and 96 bits, without byte 8 (RFC 6052 2.2). */
const TRANSLATED = [[6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], LAST];

/** Interface identifiers `0:5efe` and `200:5efe` end in an IPv4 address, after any prefix (RFC 5214 6.1). */
const isIsatap = (bytes: readonly number[]): boolean =>
  ((bytes[8] ?? 0) & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;

/**
 * The IPv4 addresses that a translator with a local prefix may extract. The prefix length is unknown, so all candidates
 * are returned, except zeros, which are padding.
 */
const translatedIn = (bytes: readonly number[]): readonly ipaddr.IPv4[] =>
  TRANSLATED.map((positions) => at(bytes, positions)).filter((address) => address.range() !== 'unspecified');

/** All IPv4 addresses to which packets for an IPv6 address may be forwarded. */
const embeddedIn = (address: ipaddr.IPv6): readonly ipaddr.IPv4[] => {
  const bytes = address.toByteArray();
  const last = at(bytes, LAST);
  const byInterface = isIsatap(bytes) ? [last] : [];
  switch (rangeOf(address)) {
    case 'loopback':
      return [];
    case 'ipv4Mapped':
    case 'rfc6145':
    case 'rfc6052':
      return address.match(LOCAL_TRANSLATION) ? translatedIn(bytes) : [last];
    case '6to4':
      return [at(bytes, [2, 3, 4, 5]), ...byInterface];
    case 'teredo': {
      // The Teredo server address, and the client address with every bit inverted (RFC 4380 4).
      const client = LAST.map((position) => (bytes[position] ?? 0) ^ 0xff);
      return [at(bytes, [4, 5, 6, 7]), new ipaddr.IPv4(client)];
    }
    default:
      return address.match(COMPATIBLE) ? [last] : byInterface;
  }
};

/** The address without its zone, and the addresses embedded in it. Undefined if the text is not an address. */
const parse = (text: string): readonly [Address, ...Address[]] | undefined => {
  const [plain = ''] = text.split('%', 1);
  if (!ipaddr.isValid(plain)) return undefined;
  const address = ipaddr.parse(plain);
  return address instanceof ipaddr.IPv6 ? [address, ...embeddedIn(address)] : [address];
};

const wordsFor = (address: Address, ranges: ReadonlyMap<string, string>): string | undefined =>
  ranges.get(rangeOf(address));

const isMetadata = (address: Address): boolean => metadata.has(address.toString());

/**
 * Why webhooks may not be sent to an address, as a phrase that follows "is". Undefined if the address is allowed. Used
 * for a literal address in a URL, and for the addresses of a host name at delivery. An IPv6 address that contains an
 * IPv4 address is checked as both. Prefixes that a network chose for its own translator cannot be recognized.
 * @param text IPv4 in dotted decimals, or IPv6 without brackets
 */
export const addressFault = (text: string): string | undefined => {
  const addresses = parse(text);
  if (addresses === undefined) return 'not a valid address';
  if (addresses.some(isMetadata)) return METADATA;
  return addresses.map((address) => wordsFor(address, never)).find((words) => words !== undefined);
};

/**
 * The kind of a loopback or private address, as a phrase that follows "is". Undefined for any other address.
 * @param text IPv4 in dotted decimals, or IPv6 without brackets
 * @param own the addresses of the interfaces of this machine, which can be public ones
 */
export const privateFault = (text: string, own: readonly string[]): string | undefined => {
  const addresses = parse(text) ?? [];
  const words = addresses.map((address) => wordsFor(address, local)).find((found) => found !== undefined);
  if (words !== undefined) return words;
  const ours = new Set(own.map((each) => parse(each)?.[0].toString()));
  return addresses.some((address) => ours.has(address.toString())) ? 'an address of this machine' : undefined;
};
