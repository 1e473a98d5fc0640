// Where a webhook may lead: http and https, and no address at which machines keep their own secrets. @see auth.md C21, R134
const LONGEST = 2_048;

/** Names that cloud machines resolve to the service that knows their credentials. */
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
/** Those of Amazon, Google and Scaleway. */
const metadata6: readonly (readonly number[])[] = [
  [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254],
  [0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254],
  [0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42],
];
/** Private networks are not here: a developer's own listener is what webhooks are mostly for. */
const blocks4: readonly Block[] = [
  block('0.0.0.0', 8, 'an unspecified address'),
  block('169.254.0.0', 16, 'a link-local address'),
  block('100.100.100.200', 32, METADATA),
  block('192.0.0.192', 32, METADATA),
  block('168.63.129.16', 32, METADATA),
  block('224.0.0.0', 4, 'a multicast address'),
  block('240.0.0.0', 4, 'a reserved address'),
];

/** Where the receivers of one machine or one network are. */
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

/** The eight groups of an IPv6 address, also of one that ends in dotted decimals. */
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

/** The IPv4 address that an IPv6 address stands for: mapped, compatible, translated, 6to4. */
const within = (groups: readonly number[]): string | undefined => {
  const [, second = 0, third = 0] = groups;
  const last = dotted(groups[6] ?? 0, groups[7] ?? 0);
  if (startsWith(groups, [0, 0, 0, 0, 0, 0xffff]) || startsWith(groups, [0, 0, 0, 0, 0xffff, 0])) return last;
  if (startsWith(groups, [0, 0, 0, 0, 0, 0]) && (groups[6] !== 0 || (groups[7] ?? 0) > 1)) return last;
  if (startsWith(groups, [0x64, 0xff9b])) return last;
  return startsWith(groups, [0x2002]) ? dotted(second, third) : undefined;
};

const fault6 = (text: string): string | undefined => {
  const groups = groupsOf(text);
  if (groups === undefined) return 'no address that can be understood';
  const [first = 0] = groups;
  if (groups.every((group) => group === 0)) return 'an unspecified address';
  if ((first & 0xffc0) === 0xfe80) return 'a link-local address';
  if ((first & 0xff00) === 0xff00) return 'a multicast address';
  if (metadata6.some((address) => startsWith(groups, address))) return METADATA;
  const inner = within(groups);
  return inner === undefined ? undefined : fault4(inner);
};

/**
 * What makes an address one to which no webhook goes, in words that follow "is"; undefined when one may. For the literal of
 * a URL, and for what a name was resolved to at the moment of the delivery. @param address IPv4 in four decimals, or IPv6 without brackets
 */
export const addressFault = (address: string): string | undefined =>
  address.includes(':') ? fault6(address) : fault4(address);

const private6 = (text: string): string | undefined => {
  const groups = groupsOf(text) ?? [];
  if (groups.every((group, at) => group === (at === 7 ? 1 : 0))) return 'a loopback address';
  if (((groups[0] ?? 0) & 0xfe00) === 0xfc00) return 'a private address';
  const inner = within(groups);
  return inner === undefined ? undefined : within4(inner, private4);
};

/** What makes an address one of this machine or a private network, in words that follow "is"; undefined for any other. @param address as for addressFault */
export const privateFault = (address: string): string | undefined =>
  address.includes(':') ? private6(address) : within4(address, private4);

/** The address that the host of a URL is by itself; undefined where it is a name. */
export const literalOf = (hostname: string): string | undefined =>
  /^\d+\.\d+\.\d+\.\d+$/.test(hostname) ? hostname : /^\[(.+)\]$/.exec(hostname)?.[1];

/**
 * Why a text cannot be a webhook, as the end of a sentence that begins with `webhook`; undefined when it can.
 * Looks at the text alone: to what a name resolves is for the delivery to see.
 */
export const webhookFault = (text: string): string | undefined => {
  if (text.length > LONGEST) return `is longer than ${LONGEST} characters`;
  // URL would silently drop some of these and read others as slashes.
  if (/[\s\p{C}\\]/u.test(text)) return 'holds a space, a control character or a backslash; write it percent-encoded';
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text))
    return 'must be a whole URL, like http://127.0.0.1:9000/hook';
  const { username, password, hostname, hash } = new URL(text);
  if (username !== '' || password !== '' || /^[^/?#]*\/\/[^/?#]*@/.test(text)) {
    return 'holds a user name or password; put a secret into its path or query instead';
  }
  if (hash !== '') return 'has a fragment (#…), which is never sent';
  // URL has written every spelling of an IPv4 address (octal, hexadecimal, one number) in four decimals by now.
  const host = hostname.toLowerCase().replace(/\.$/, '');
  if (METADATA_HOSTS.has(host)) return `leads to ${host}, the metadata service of the machine`;
  const literal = literalOf(host);
  const fault = literal === undefined ? undefined : addressFault(literal);
  return fault === undefined ? undefined : `leads to ${host}, which is ${fault}`;
};
