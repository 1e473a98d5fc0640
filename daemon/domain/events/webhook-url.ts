// Checks the URLs of webhooks: only http and https, and no address of a metadata service. @see docs/security.md C21, R134
const LONGEST = 2_048;

/** Host names of metadata services, which hand out the credentials of cloud machines. */
const METADATA_HOSTS = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
]);

interface Block {
  readonly from: number;
  readonly bits: number;
  readonly words: string;
}

const number4 = (text: string): number => text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

const block = (text: string, bits: number, words: string): Block => ({ from: number4(text), bits, words });

const METADATA = 'an address of a metadata service';
/** IPv6 addresses of the metadata services of Amazon, Google and Scaleway. */
const metadata6: readonly (readonly number[])[] = [
  [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254],
  [0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254],
  [0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42],
];
/**
 * IPv4 ranges that are never allowed. Private networks are not among them, because most webhooks lead to a developer's
 * own listener.
 */
const blocks4: readonly Block[] = [
  block('0.0.0.0', 8, 'an unspecified address'),
  block('169.254.0.0', 16, 'a link-local address'),
  block('100.100.100.200', 32, METADATA),
  block('192.0.0.192', 32, METADATA),
  block('168.63.129.16', 32, METADATA),
  block('224.0.0.0', 4, 'a multicast address'),
  block('240.0.0.0', 4, 'a reserved address'),
];

/** IPv4 ranges of this machine and of private networks. */
const private4: readonly Block[] = [
  block('127.0.0.0', 8, 'a loopback address'),
  block('10.0.0.0', 8, 'a private address'),
  block('172.16.0.0', 12, 'a private address'),
  block('192.168.0.0', 16, 'a private address'),
  block('100.64.0.0', 10, 'a shared address'),
  block('198.18.0.0', 15, 'an address of test networks'),
];

const within4 = (text: string, blocks: readonly Block[]): string | undefined => {
  const address = number4(text);
  return blocks.find(({ from, bits }) => {
    const size = 2 ** (32 - bits);
    return Math.floor(address / size) * size === from;
  })?.words;
};

const fault4 = (text: string): string | undefined => within4(text, blocks4);

/** The eight groups of an IPv6 address, which may end in dotted decimals; undefined when the text is malformed. */
const groupsOf = (text: string): readonly number[] | undefined => {
  const plain = text
    .split('%', 1)[0]
    ?.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: readonly string[]) =>
      [0, 2].map((at) => (Number(parts[at]) * 256 + Number(parts[at + 1])).toString(16)).join(':'),
    );
  const [head = '', tail] = (plain ?? '').split('::');
  const read = (part: string | undefined) => (part ? part.split(':').map((group) => Number.parseInt(group, 16)) : []);
  const [before, after] = [read(head), read(tail)];
  const missing = 8 - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 0) return undefined;
  return [...before, ...Array<number>(missing).fill(0), ...after];
};

const dotted = (high: number, low: number): string => [high >> 8, high & 255, low >> 8, low & 255].join('.');

const startsWith = (groups: readonly number[], prefix: readonly number[]): boolean =>
  prefix.every((group, at) => groups[at] === group);

/** The IPv4 address inside an IPv6 address (mapped, compatible, translated, 6to4); undefined when there is none. */
const embeddedIPv4 = (groups: readonly number[]): string | undefined => {
  const [, second = 0, third = 0] = groups;
  const last = dotted(groups[6] ?? 0, groups[7] ?? 0);
  if (startsWith(groups, [0, 0, 0, 0, 0, 0xffff]) || startsWith(groups, [0, 0, 0, 0, 0xffff, 0])) return last;
  if (startsWith(groups, [0, 0, 0, 0, 0, 0]) && (groups[6] !== 0 || (groups[7] ?? 0) > 1)) return last;
  if (startsWith(groups, [0x64, 0xff9b])) return last;
  return startsWith(groups, [0x2002]) ? dotted(second, third) : undefined;
};

const fault6 = (text: string): string | undefined => {
  const groups = groupsOf(text);
  if (groups === undefined) return 'not a valid address';
  const [first = 0] = groups;
  if (groups.every((group) => group === 0)) return 'an unspecified address';
  if ((first & 0xffc0) === 0xfe80) return 'a link-local address';
  if ((first & 0xff00) === 0xff00) return 'a multicast address';
  if (metadata6.some((address) => startsWith(groups, address))) return METADATA;
  const inner = embeddedIPv4(groups);
  return inner === undefined ? undefined : fault4(inner);
};

/**
 * Why webhooks may not go to an address, as words that follow "is"; undefined when it is allowed. Used for the literal
 * address in a URL, and for the addresses of a host name at delivery.
 * @param address IPv4 in dotted decimals, or IPv6 without brackets
 */
export const addressFault = (address: string): string | undefined =>
  address.includes(':') ? fault6(address) : fault4(address);

const private6 = (text: string): string | undefined => {
  const groups = groupsOf(text) ?? [];
  if (groups.every((group, at) => group === (at === 7 ? 1 : 0))) return 'a loopback address';
  if (((groups[0] ?? 0) & 0xfe00) === 0xfc00) return 'a private address';
  const inner = embeddedIPv4(groups);
  return inner === undefined ? undefined : within4(inner, private4);
};

/**
 * The kind of an address of this machine or of a private network, as words that follow "is"; undefined for any other
 * address.
 * @param address IPv4 in dotted decimals, or IPv6 without brackets
 */
export const privateFault = (address: string): string | undefined =>
  address.includes(':') ? private6(address) : within4(address, private4);

/** The literal address in the host of a URL; undefined when the host is a name. */
export const literalOf = (hostname: string): string | undefined =>
  /^\d+\.\d+\.\d+\.\d+$/.test(hostname) ? hostname : /^\[(.+)\]$/.exec(hostname)?.[1];

/**
 * Why a text cannot be a webhook, as the end of a sentence that begins with `webhook`; undefined when it can.
 * Only the text is checked. The addresses of a host name are checked at delivery.
 */
export const webhookFault = (text: string): string | undefined => {
  if (text.length > LONGEST) return `is longer than ${LONGEST} characters`;
  // URL would silently drop some of these characters and read others as slashes.
  if (/[\s\p{C}\\]/u.test(text))
    return 'contains a space, a control character or a backslash; write it percent-encoded';
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text))
    return 'must be an absolute URL, like http://127.0.0.1:9000/hook';
  const { username, password, hostname, hash } = new URL(text);
  if (username !== '' || password !== '' || /^[^/?#]*\/\/[^/?#]*@/.test(text)) {
    return 'contains a user name or password; put secrets into the path or the query instead';
  }
  if (hash !== '') return 'has a fragment (#…), which is never sent';
  // URL has already normalized every spelling of an IPv4 address (octal, hexadecimal, one number) to dotted decimals.
  const host = hostname.toLowerCase().replace(/\.$/, '');
  if (METADATA_HOSTS.has(host)) return `leads to ${host}, the metadata service of the machine`;
  const literal = literalOf(host);
  const fault = literal === undefined ? undefined : addressFault(literal);
  return fault === undefined ? undefined : `leads to ${host}, which is ${fault}`;
};
