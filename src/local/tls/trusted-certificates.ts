// Generates shell commands that make programs trust one more certificate authority, in addition to those they already
// trust.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { singleQuoted } from '../single-quoted.ts';

/** The file of the authorities that a system trusts: Debian, Fedora, openSUSE, macOS and BSD. */
const SYSTEM_FILES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

/** Variables of Python requests, OpenSSL and curl. Their file replaces the authorities of the system. */
const REPLACING = ['REQUESTS_CA_BUNDLE', 'SSL_CERT_FILE', 'CURL_CA_BUNDLE'];

/** The variable of Node. Its file adds to the authorities of Node. */
const ADDING = 'NODE_EXTRA_CA_CERTS';

export interface TrustLines {
  /** Commands for a POSIX shell. They write one file into the folder of the authority. */
  readonly lines: readonly string[];
  /** The file that the commands write or use: the authority together with all certificates trusted before. */
  readonly bundle: string;
  /** False if no file with the authorities of the system was found, so that the file lacks them. */
  readonly hasSystem: boolean;
  /** Folders and unreadable files named by variables of the shell. Their certificates are left out. */
  readonly leftOut: readonly string[];
}

const contentOf = (file: string): Promise<string | undefined> => readFile(file, 'utf8').catch(() => undefined);

const isReadable = async (file: string): Promise<boolean> => (await contentOf(file)) !== undefined;

const firstReadable = async (files: readonly string[]): Promise<string | undefined> => {
  for (const file of files) if (await isReadable(file)) return file;
  return undefined;
};

/** Returns commands that a shell can evaluate repeatedly: a file that its variables already name stays trusted. */
export const trustLines = async (
  authority: string,
  env: Readonly<Record<string, string | undefined>>,
  systemFiles: readonly string[] = SYSTEM_FILES,
): Promise<TrustLines> => {
  const bundle = path.join(path.dirname(authority), 'trusted.pem');
  const named = [...new Set([...REPLACING, ADDING].flatMap((name) => env[name] || []))];
  const system = await firstReadable(systemFiles);
  const before = [...new Set([...named, ...(system === undefined ? [] : [system])])];
  const sources: string[] = [];
  const leftOut: string[] = [];
  for (const file of before) {
    if (file === authority) continue;
    if (await isReadable(file)) sources.push(file);
    else if (file !== bundle) leftOut.push(file);
  }
  const wanted = (await contentOf(authority)) ?? '';
  const isWritten = named.includes(bundle) && (await contentOf(bundle))?.includes(wanted.trim()) === true;
  const [target, draft] = [singleQuoted(bundle), singleQuoted(`${bundle}.new`)];
  // Unlike cat, awk separates files that do not end with a line break.
  const write = `awk 1 ${[...sources, authority].map(singleQuoted).join(' ')} > ${draft} && mv ${draft} ${target}`;
  const exports = [...REPLACING, ADDING].map((name) => `export ${name}=${target}`);
  return { lines: [...(isWritten ? [] : [write]), ...exports], bundle, hasSystem: system !== undefined, leftOut };
};
