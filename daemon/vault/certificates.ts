// Makes the certificates of an https listener on this machine: a local authority, and a leaf certificate that it signs.
import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  GeneralSubtree,
  GeneralSubtrees,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_nameConstraints,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  NameConstraints,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509';

/** A certificate and its private key, both PEM. */
export interface Certified {
  readonly cert: string;
  readonly key: string;
}

interface Wanted {
  readonly commonName: string;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly until: number;
  readonly extensions: readonly Extension[];
}

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
const COMMON_NAME = '2.5.4.3';

/** Loopback and private networks. The gateway of a container network is in one of them. */
const NETWORKS = ['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '::1/128'];

const DNS_NAMES = ['localhost', 'host.docker.internal'];

const permitted = new BlockList();
for (const [address = '', prefix] of NETWORKS.map((network) => network.split('/')))
  permitted.addSubnet(address, Number(prefix), isIP(address) === 6 ? 'ipv6' : 'ipv4');

/**
 * True for a name or an address that a certificate of `createAuthority` may contain. A certificate that contains any
 * other name or address is invalid as a whole.
 * @see RFC 5280 6.1.3
 */
export const isPermitted = (name: string): boolean => {
  const version = isIP(name);
  return version === 0 ? DNS_NAMES.includes(name) : permitted.check(name, version === 6 ? 'ipv6' : 'ipv4');
};

const bufferOf = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer;

const extension = (extnID: string, value: unknown, critical: boolean): Extension =>
  new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });

const nameOf = (commonName: string): Name =>
  new Name([
    new RelativeDistinguishedName([
      new AttributeTypeAndValue({ type: COMMON_NAME, value: new AttributeValue({ utf8String: commonName }) }),
    ]),
  ]);

const spkiOf = (key: KeyObject): SubjectPublicKeyInfo =>
  AsnConvert.parse(key.export({ type: 'spki', format: 'der' }), SubjectPublicKeyInfo);

/** @see RFC 5280 4.2.1.2 */
const keyIdOf = (key: KeyObject): ArrayBuffer =>
  bufferOf(
    createHash('sha1')
      .update(new Uint8Array(spkiOf(key).subjectPublicKey))
      .digest(),
  );

/** A positive number of 20 octets at most. @see RFC 5280 4.1.2.2 */
const serialNumber = (): ArrayBuffer => {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bufferOf(bytes);
};

const pemOf = (der: ArrayBuffer): string => new X509Certificate(Buffer.from(der)).toString();

/** Issues a certificate for a new key. Without `issuer` it signs itself. */
const issue = (
  { commonName, from, until, extensions }: Wanted,
  issuer?: { readonly commonName: string; readonly key: KeyObject; readonly publicKey: KeyObject },
): Certified => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = new AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 });
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: serialNumber(),
    signature: algorithm,
    issuer: nameOf(issuer?.commonName ?? commonName),
    validity: new Validity({ notBefore: new Date(from), notAfter: new Date(until) }),
    subject: nameOf(commonName),
    subjectPublicKeyInfo: spkiOf(publicKey),
    extensions: new Extensions([
      ...extensions,
      extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(keyIdOf(publicKey)), false),
      extension(
        id_ce_authorityKeyIdentifier,
        new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(keyIdOf(issuer?.publicKey ?? publicKey)) }),
        false,
      ),
    ]),
  });
  const signature = sign('sha256', Buffer.from(AsnConvert.serialize(tbsCertificate)), issuer?.key ?? privateKey);
  const certificate = new Certificate({
    tbsCertificate,
    signatureAlgorithm: algorithm,
    signatureValue: bufferOf(signature),
  });
  return {
    cert: pemOf(AsnConvert.serialize(certificate)),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
};

const subtree = (base: ConstructorParameters<typeof GeneralName>[0]): GeneralSubtree =>
  new GeneralSubtree({ base: new GeneralName(base) });

/**
 * Makes an authority. Its certificates are valid only for servers, with names and addresses of this machine and of
 * private networks, so that a stolen key cannot impersonate an internet site, a person or a program.
 * @see RFC 5280 4.2.1.10, 4.2.1.12
 */
export const createAuthority = (commonName: string, from: number, until: number): Certified =>
  issue({
    commonName,
    from,
    until,
    extensions: [
      extension(id_ce_basicConstraints, new BasicConstraints({ cA: true, pathLenConstraint: 0 }), true),
      extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign), true),
      extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth]), false),
      extension(
        id_ce_nameConstraints,
        new NameConstraints({
          permittedSubtrees: new GeneralSubtrees([
            ...DNS_NAMES.map((dNSName) => subtree({ dNSName })),
            ...NETWORKS.map((iPAddress) => subtree({ iPAddress })),
          ]),
        }),
        true,
      ),
    ],
  });

const commonNameOf = (certificate: X509Certificate): string => /^CN=(.*)$/m.exec(certificate.subject)?.[1] ?? '';

export const createLeaf = (authority: Certified, names: readonly string[], from: number, until: number): Certified => {
  const certificate = new X509Certificate(authority.cert);
  return issue(
    {
      commonName: names[0] ?? '',
      from,
      until,
      extensions: [
        extension(id_ce_basicConstraints, new BasicConstraints({ cA: false }), true),
        extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature), true),
        extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth]), false),
        extension(
          id_ce_subjectAltName,
          new SubjectAlternativeName(
            names.map((name) => new GeneralName(isIP(name) === 0 ? { dNSName: name } : { iPAddress: name })),
          ),
          false,
        ),
      ],
    },
    { commonName: commonNameOf(certificate), key: createPrivateKey(authority.key), publicKey: certificate.publicKey },
  );
};
