// The certificate of the https listener: given files, and the local authority.
import { execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { identitySource } from '../../../daemon/app/tls-identity.ts';
import { ConfigError } from '../../../daemon/config.ts';
import { describeIf, requirement } from '../../support/runner/requirements.ts';
import { madeIdentity } from '../../support/service/legacy-listener.ts';

const DAY_MS = 86_400_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'actorctl-tls-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const logged: string[] = [];
const log = (_fields: unknown, message: string) => void logged.push(message);
const logger = { debug: log, info: log, warn: log, error: log };

const source = (now: number, given?: { cert: string; key: string }) =>
  identitySource(given, { folder: join(folder, 'tls'), instance: 'test', clock: { now: () => now }, logger });

/** Writes the files of a given certificate. */
const given = (identity: { readonly cert: string; readonly key: string }) => {
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  writeFileSync(files.cert, identity.cert);
  writeFileSync(files.key, identity.key);
  return files;
};

describe('a given certificate', () => {
  it('is read again at each call', async () => {
    const [one, two] = [madeIdentity(), madeIdentity()];
    const files = given(one);
    const identities = source(Date.now(), files);
    expect(await identities.current(['localhost'])).toEqual({ cert: one.cert, key: one.key });
    given(two);
    expect(await identities.current(['localhost'])).toEqual({ cert: two.cert, key: two.key });
    expect(identities.authorityFile).toBeUndefined();
  });

  const refusal = async (files: { cert: string; key: string }, now = Date.now()) => {
    const error = await source(now, files)
      .current([])
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    return error instanceof Error ? error.message : '';
  };

  it('that has expired, or is not valid yet, is refused with its date', async () => {
    const now = Date.now();
    const old = given(madeIdentity(['localhost'], now - 9 * DAY_MS, now - DAY_MS));
    expect(await refusal(old)).toMatch(
      /^the certificate in .*cert\.pem has expired: it ended on \w+ +\d+ .*; renew it$/,
    );
    const young = given(madeIdentity(['localhost'], now + DAY_MS, now + 9 * DAY_MS));
    expect(await refusal(young)).toMatch(/is not valid yet: it begins on /);
  });

  it('that does not fit its key is refused', async () => {
    const files = given({ cert: madeIdentity().cert, key: madeIdentity().key });
    expect(await refusal(files)).toMatch(/^the key in .*key\.pem does not match the certificate in .*cert\.pem/);
  });

  it('that cannot be read is refused by its flag', async () => {
    const files = given(madeIdentity());
    expect(await refusal({ ...files, cert: join(folder, 'none') })).toMatch(
      /^cannot read the file of --tls-cert \(".*none"\): there is no such file/,
    );
    expect(await refusal({ ...files, key: folder })).toMatch(/^cannot read the file of --tls-key \(.*it is a folder/);
    // Opening a pipe would wait for its writer.
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(await refusal({ ...files, key: pipe })).toMatch(
      /^cannot read the file of --tls-key \(.*it is not a regular file/,
    );
    expect(await refusal({ cert: files.key, key: files.key })).toMatch(
      /^--tls-cert .* has no certificate in PEM format/,
    );
    expect(await refusal({ cert: files.cert, key: files.cert })).toMatch(/^--tls-key .* has no private key/);
  });
});

describe('the local authority', () => {
  const files = () => readdirSync(join(folder, 'tls')).sort();
  const leaf = ({ cert }: { readonly cert: string }) => new X509Certificate(cert);

  it('is private, and signs a certificate for every name', async () => {
    const identities = source(Date.now());
    const made = await identities.current(['localhost', '127.0.0.1', '::1']);
    expect(files()).toEqual(['authority-key.pem', 'authority.pem', 'server-key.pem', 'server.pem']);
    for (const name of files()) expect(statSync(join(folder, 'tls', name)).mode & 0o777).toBe(0o600);
    const authority = new X509Certificate(readFileSync(identities.authorityFile ?? ''));
    expect(leaf(made).verify(authority.publicKey)).toBe(true);
    expect([leaf(made).checkHost('localhost'), leaf(made).checkIP('::1')]).toEqual(['localhost', '::1']);
    expect(await source(Date.now()).current(['localhost'])).toEqual(made);
  });

  it('signs for servers only', async () => {
    const identities = source(Date.now());
    const made = await identities.current(['localhost', '127.0.0.1']);
    const { authorityFile = '' } = identities;
    const authority = new X509Certificate(readFileSync(authorityFile));
    const serverAuth = '1.3.6.1.5.5.7.3.1';
    expect([authority.ca, authority.keyUsage, leaf(made).ca, leaf(made).keyUsage]).toEqual([
      true,
      [serverAuth],
      false,
      [serverAuth],
    ]);
  });

  it('signs a new certificate for a new name, and keeps the earlier names', async () => {
    const identities = source(Date.now());
    const first = await identities.current(['localhost']);
    const second = await identities.current(['172.18.0.1']);
    expect(second.cert).not.toBe(first.cert);
    expect([leaf(second).checkHost('localhost'), leaf(second).checkIP('172.18.0.1')]).toEqual([
      'localhost',
      '172.18.0.1',
    ]);
  });

  it('leaves out names that it may not sign, which would make the certificate invalid for all names', async () => {
    const foreign = ['0.0.0.0', '::', '203.0.113.5', '100.64.0.1', 'fd00::1', 'host.example'];
    const made = await source(Date.now()).current(['localhost', '127.0.0.1', '::1', '10.88.0.1', ...foreign]);
    expect(leaf(made).subjectAltName).toBe(
      'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:10.88.0.1',
    );
    expect(await source(Date.now()).current(['localhost', ...foreign])).toEqual(made);
  });

  it('renews its certificate in the last third of the 90 days, and itself in the last third of ten years', async () => {
    const now = Date.now();
    const first = await source(now).current(['localhost']);
    const { authorityFile = '' } = source(now);
    const authority = readFileSync(authorityFile, 'utf8');
    expect(await source(now + 59 * DAY_MS).current(['localhost'])).toEqual(first);
    const renewed = await source(now + 61 * DAY_MS).current(['localhost']);
    expect(Date.parse(leaf(renewed).validTo)).toBeGreaterThan(Date.parse(leaf(first).validTo));
    expect(readFileSync(authorityFile, 'utf8')).toBe(authority);
    const later = await source(now + 7 * 365 * DAY_MS).current(['localhost']);
    const next = new X509Certificate(readFileSync(authorityFile));
    expect(next.toString()).not.toBe(authority);
    expect(leaf(later).verify(next.publicKey)).toBe(true);
  });

  it.each([
    ['server.pem', 'damaged'],
    ['server-key.pem', 'damaged'],
    ['server-key.pem', madeIdentity().key],
  ])('creates %s again after it was damaged', async (name, content) => {
    const first = await source(Date.now()).current(['localhost']);
    writeFileSync(join(folder, 'tls', name), content);
    const made = await source(Date.now()).current(['localhost']);
    expect(made.cert).not.toBe(first.cert);
    expect(leaf(made).verify(new X509Certificate(readFileSync(join(folder, 'tls', 'authority.pem'))).publicKey)).toBe(
      true,
    );
  });
});

describe('the local authority whose file cannot be read', () => {
  it('is not created again', async () => {
    const now = Date.now();
    await source(now).current(['localhost']);
    const key = readFileSync(join(folder, 'tls', 'authority-key.pem'), 'utf8');
    rmSync(join(folder, 'tls', 'authority.pem'));
    mkdirSync(join(folder, 'tls', 'authority.pem'));
    await expect(source(now).current(['localhost'])).rejects.toThrow('EISDIR');
    expect(readFileSync(join(folder, 'tls', 'authority-key.pem'), 'utf8')).toBe(key);
  });
});

const OPENSSL = 'openssl';
const openssl = requirement('openssl', spawnSync(OPENSSL, ['version']).status === 0, 'openssl is not installed');

describeIf(openssl, 'the certificate of the local authority', () => {
  it('the certificate passes the strict checks of OpenSSL for servers only', async () => {
    const identities = source(Date.now());
    await identities.current(['localhost', '127.0.0.1']);
    const verify = (purpose: string) => {
      const asked = ['-x509_strict', '-purpose', purpose, '-verify_hostname', 'localhost'];
      const files = ['-CAfile', identities.authorityFile ?? '', join(folder, 'tls', 'server.pem')];
      return spawnSync(OPENSSL, ['verify', ...asked, ...files], { encoding: 'utf8' }).status;
    };
    expect([verify('sslserver'), verify('sslclient')]).toEqual([0, 2]);
  });
});
