// The lines of `tls trust`, run by a shell: its programs trust one additional authority and lose none.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { trustLines } from '../../../src/local/tls/trusted-certificates.ts';

let folder: string;
const at = (name: string) => join(folder, name);
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'actorctl-trust-')), "it's");
  mkdirSync(folder);
  // The last line of a file may have no end.
  for (const name of ['authority', 'system', 'company']) writeFileSync(at(`${name}.pem`), `BEGIN ${name}\nEND ${name}`);
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

const NAMES = ['REQUESTS_CA_BUNDLE', 'SSL_CERT_FILE', 'CURL_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS'];

/** The variables of a shell after it has evaluated the lines. */
const evaluated = async (env: Readonly<Record<string, string>>, system = [at('none'), at('system.pem')]) => {
  const { lines, hasSystem, leftOut } = await trustLines(at('authority.pem'), env, system);
  const script = `set -e\n${lines.join('\n')}\nprintf '%s\\n' ${NAMES.map((name) => `"$${name}"`).join(' ')}`;
  const values = execFileSync('sh', ['-c', script], { encoding: 'utf8', env: { ...env, PATH: process.env['PATH'] } });
  const after = Object.fromEntries(NAMES.map((name, index) => [name, values.split('\n')[index] ?? '']));
  return { after, hasSystem, leftOut, trusted: readFileSync(at('trusted.pem'), 'utf8').match(/(?<=^BEGIN ).*$/gm) };
};

describe('the lines of tls trust', () => {
  it('include the certificates of the system, and those that the shell trusts', async () => {
    expect((await evaluated({})).trusted).toEqual(['system', 'authority']);
    const { after, trusted } = await evaluated({ SSL_CERT_FILE: at('company.pem'), NODE_EXTRA_CA_CERTS: at('none') });
    expect(trusted).toEqual(['company', 'system', 'authority']);
    expect(after).toEqual(Object.fromEntries(NAMES.map((name) => [name, at('trusted.pem')])));
  });

  it('can be evaluated again, even after the authority was replaced', async () => {
    const { after } = await evaluated({ REQUESTS_CA_BUNDLE: at('company.pem') });
    expect((await evaluated(after)).trusted).toEqual(['company', 'system', 'authority']);
    writeFileSync(at('authority.pem'), 'BEGIN next\nEND next');
    expect((await evaluated(after)).trusted).toEqual(expect.arrayContaining(['company', 'system', 'next']));
  });

  it('report what they omit: a folder, and an unreadable file', async () => {
    const named = { REQUESTS_CA_BUNDLE: folder, SSL_CERT_FILE: at('company.pem'), CURL_CA_BUNDLE: at('none') };
    const { after, leftOut, trusted } = await evaluated(named);
    expect([leftOut, trusted]).toEqual([
      [folder, at('none')],
      ['company', 'system', 'authority'],
    ]);
    expect((await evaluated(after)).leftOut).toEqual([]);
  });

  it('report a missing certificate file of the system', async () => {
    const { hasSystem, trusted } = await evaluated({}, [at('none')]);
    expect([hasSystem, trusted]).toEqual([false, ['authority']]);
  });
});
