// The https listener itself: versions of TLS, clients without TLS, names of other hosts, and a new certificate.
import { request } from 'node:https';
import { connect } from 'node:net';
import { connect as connectTls, type SecureVersion, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { secureHosts } from '../../../daemon/app/legacy-listener.ts';
import { defaultLimits } from '../../../daemon/http/request/limits.ts';
import { type BareApp, startBareApp } from '../../support/service/bare-app.ts';
import { madeIdentity, testIdentity } from '../../support/service/legacy-listener.ts';

let app: BareApp;
beforeAll(async () => {
  let port = 0;
  app = await startBareApp({ identity: testIdentity(), hosts: () => secureHosts(['localhost', '127.0.0.1'], port) });
  port = app.port;
});
afterAll(() => app.close());

interface TlsQuery {
  readonly host?: string;
  readonly servername?: string;
  readonly ca?: string;
}

/** The status of GET /tenants, or the code of the error. */
const get = ({ host = 'localhost', servername = 'localhost', ca = testIdentity().authority }: TlsQuery = {}) =>
  new Promise<number | string>((resolve) => {
    const asked = {
      port: app.port,
      host: '127.0.0.1',
      path: '/tenants',
      headers: { host },
      servername,
      ca,
      agent: false,
    };
    request(asked, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', (error: Error & { code?: string }) => resolve(error.code ?? error.message))
      .end();
  });

/** The version of TLS that both sides agree on, or the code of the error. */
const versionWith = (version: SecureVersion) =>
  new Promise<string>((resolve) => {
    const socket: TLSSocket = connectTls(
      {
        port: app.port,
        host: '127.0.0.1',
        servername: 'localhost',
        ca: testIdentity().authority,
        minVersion: version,
        maxVersion: version,
        // Above this level, OpenSSL itself refuses the old versions.
        ciphers: 'DEFAULT@SECLEVEL=0',
      },
      () => {
        resolve(socket.getProtocol() ?? '');
        socket.destroy();
      },
    );
    socket.on('error', (error: Error & { code?: string }) => resolve(error.code ?? error.message));
  });

/** All that the server sends after these bytes until it closes the connection. */
const sent = (bytes: string, { port } = app) =>
  new Promise<string>((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setEncoding('latin1').on('data', (piece) => {
      text += piece;
    });
    socket.on('error', () => undefined).on('close', () => resolve(text));
  });

describe('the https listener', () => {
  it('speaks TLS 1.2 and 1.3, and refuses 1.1', async () => {
    expect([await versionWith('TLSv1.2'), await versionWith('TLSv1.3')]).toEqual(['TLSv1.2', 'TLSv1.3']);
    expect(await versionWith('TLSv1.1')).toBe('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
  });

  it('asks a client without TLS to use https', async () => {
    const text = await sent('GET /tenants HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n(?:.|\s)*This address speaks https\./);
    expect(await get()).toBe(200);
  });

  it('closes a connection that sends no TLS handshake', async () => {
    // After the three bytes of its begin, a record says how many bytes it has, here 16.
    expect(await sent('\x16\x03\x01\0\x10this is no hello and more than the record')).not.toContain('HTTP');
    expect(await get()).toBe(200);
  });

  it.each([
    ['nothing', ''],
    ['the begin of a handshake', '\x16\x03\x01 this is shorter than the record says'],
  ])('closes a connection that sends %s when its time for the handshake is over, which is 10 s', async (_, bytes) => {
    expect(defaultLimits.handshakeMs).toBe(10_000);
    const other = await startBareApp({ identity: testIdentity(), limits: { handshakeMs: 100 } });
    try {
      expect(await sent(bytes, other)).toBe('');
    } finally {
      await other.close();
    }
  });

  it.each(['localhost', '127.0.0.1', 'localhost:443', 'LOCALHOST'])('accepts the Host %s', async (host) => {
    expect(await get({ host })).toBe(200);
  });

  it('refuses the name of another host, in the certificate and in the request', async () => {
    expect(await get({ servername: 'other.example' })).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(await get({ host: 'other.example' })).toBe(421);
    expect(await get({ host: 'localhost:1' })).toBe(421);
  });

  it('uses a new certificate for new connections', async () => {
    const next = madeIdentity();
    app.app.renew(next);
    expect([await get(), await get({ ca: next.authority })]).toEqual([expect.stringMatching(/SIGNATURE|VERIFY/), 200]);
    app.app.renew(testIdentity());
    expect(await get()).toBe(200);
  });

  it('closes with connections that never began a handshake', async () => {
    const other = await startBareApp({ identity: testIdentity() });
    const socket = connect(other.port, '127.0.0.1');
    const closed = new Promise((resolve) => socket.on('error', resolve).on('close', resolve));
    await new Promise((resolve) => other.app.server.once('connection', resolve));
    await other.close();
    await closed;
    expect(socket.destroyed).toBe(true);
  });
});
