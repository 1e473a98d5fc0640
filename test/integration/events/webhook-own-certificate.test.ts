// Posts to the https listeners of the daemon itself, whose certificate nobody else trusts, and to others of the same name.
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLegacyListeners, type LegacyListeners } from '../../../daemon/app/legacy-listener.ts';
import { ownAddresses } from '../../../daemon/delivery/address.ts';
import { createPoster, type PosterSettings } from '../../../daemon/delivery/webhook-poster.ts';
import type { TlsIdentity } from '../../../daemon/http/tls-server.ts';
import type { Poster } from '../../../daemon/ports/poster.ts';
import { type ComposedServices, composeServices } from '../../support/service/composed-services.ts';
import { madeIdentity } from '../../support/service/legacy-listener.ts';

const none = () => undefined;
const quiet = { debug: none, info: none, warn: none, error: none };
/** The response of the API to a POST without a token. */
const REACHED = { kind: 'answered', status: 401 };
const NOT_OURS = { kind: 'failed', why: expect.stringMatching(/^the certificate is not that of this daemon, and no/) };
const UNTRUSTED = {
  kind: 'failed',
  why: 'no authority that the daemon trusts has signed the certificate; start the daemon with NODE_EXTRA_CA_CERTS=FILE to trust it',
};

let composed: ComposedServices;
let legacy: LegacyListeners;
let identity: TlsIdentity;
let port: number;
let poster: Poster;
const others: Server[] = [];

const listening = async (bind: string): Promise<LegacyListeners> => {
  const made = createLegacyListeners({
    bind,
    port: 0,
    identities: { current: async () => identity },
    makeApp: (listener) => composed.services.legacyApp(listener),
    logger: quiet,
  });
  await made.begin();
  return made;
};
const posterWith = (more: Partial<PosterSettings> = {}): Poster => {
  const { ownCertificate } = legacy;
  return createPoster({ userAgent: 'actorctl/test', allowPrivate: true, ownCertificate, ...more });
};
const postTo = (url: string, by = poster) => by.post({ url: `${url}/actors/v2`, body: '{}', headers: {} });

/** A server of another program, and the number of requests that reached it. */
const startOther = async (host: string, at: number, foreign: TlsIdentity) => {
  const reached: string[] = [];
  const server = createServer({ cert: foreign.cert, key: foreign.key }, ({ url = '' }, response) => {
    reached.push(url);
    response.end();
  });
  others.push(server);
  await new Promise<void>((resolve) => server.listen(at, host, resolve));
  return { port: (server.address() as AddressInfo).port, reached };
};

beforeEach(async () => {
  composed = await composeServices(quiet);
  identity = madeIdentity();
  legacy = await listening('127.0.0.1');
  port = legacy.port() ?? 0;
  poster = posterWith();
});
afterEach(async () => {
  poster.close();
  await legacy.close();
  for (const server of others.splice(0)) await new Promise((resolve) => server.close(resolve));
  await composed.close();
});

describe('a webhook to the https listener of the daemon', () => {
  it.each(['localhost', '127.0.0.1'])(
    'R246 accepts its certificate at %s, which no trusted authority signed',
    async (host) => {
      expect(await postTo(`https://${host}:${port}`)).toMatchObject(REACHED);
      const stranger = posterWith({ ownCertificate: none });
      expect(await postTo(`https://${host}:${port}`, stranger)).toEqual(UNTRUSTED);
      stranger.close();
    },
  );

  it('R246 accepts its certificate at the listener for containers', async () => {
    const app = await legacy.containerApp(
      '127.0.0.1',
      () => new Set([`127.0.0.1:${inner}`]),
      () => '',
    );
    await new Promise<void>((resolve) => app.server.listen(0, '127.0.0.1', resolve));
    const inner: number = (app.server.address() as AddressInfo).port;
    expect(await postTo(`https://127.0.0.1:${inner}`)).toMatchObject(REACHED);
    await app.close();
    expect(legacy.ownCertificate('127.0.0.1', inner)).toBeUndefined();
  });

  it('R246 accepts the new certificate after a renewal, and the old one no more', async () => {
    const before = identity;
    expect(await postTo(`https://localhost:${port}`)).toMatchObject(REACHED);
    identity = madeIdentity();
    const renewing = await legacy.containerApp(
      '127.0.0.1',
      () => new Set(),
      () => '',
    );
    // One of them can use the connection of the first post, the others cannot.
    const posts = Array.from({ length: 3 }, () => postTo(`https://localhost:${port}`));
    expect(await Promise.all(posts)).toMatchObject([REACHED, REACHED, REACHED]);
    await renewing.close();
    const old = await startOther('127.0.0.2', port, before);
    const elsewhere = posterWith({ resolve: async () => ['127.0.0.2'] });
    expect(await postTo(`https://localhost:${port}`, elsewhere)).toEqual(NOT_OURS);
    expect(old.reached).toEqual([]);
    elsewhere.close();
  });
});

describe('a webhook to another program of this machine', () => {
  it('R246 at another port or address refuses a certificate for the same names', async () => {
    const beside = await startOther('127.0.0.1', 0, madeIdentity());
    expect(await postTo(`https://localhost:${beside.port}`)).toEqual(UNTRUSTED);
    const above = await startOther('127.0.0.2', port, madeIdentity(['localhost', '127.0.0.2']));
    expect(await postTo(`https://127.0.0.2:${port}`)).toEqual(UNTRUSTED);
    expect([beside.reached, above.reached]).toEqual([[], []]);
  });

  it('R246 refuses the certificate of the daemon at another port', async () => {
    const { port: at, reached } = await startOther('127.0.0.1', 0, identity);
    expect(await postTo(`https://localhost:${at}`)).toEqual(UNTRUSTED);
    expect(reached).toEqual([]);
  });

  it('R246 refuses another certificate where the name of the daemon leads to another address', async () => {
    const { reached } = await startOther('127.0.0.2', port, madeIdentity());
    const elsewhere = posterWith({ resolve: async () => ['127.0.0.2'] });
    expect(await postTo(`https://localhost:${port}`, elsewhere)).toEqual(NOT_OURS);
    expect(reached).toEqual([]);
    elsewhere.close();
  });
});

describe('the certificate of the daemon', () => {
  it('R246 belongs to every address of this machine if the listener is bound to all, and to no other', async () => {
    const all = await listening('0.0.0.0');
    const at = all.port() ?? 0;
    const asked = ownAddresses().map((address) => [address, all.ownCertificate(address, at)] as const);
    // A container engine may have removed a network meanwhile, and its address.
    const kept = asked.filter(([address]) => ownAddresses().includes(address));
    expect(kept.map(([, certificate]) => certificate)).toEqual(kept.map(() => identity.cert));
    expect(kept.map(([address]) => address)).toContain('127.0.0.1');
    expect(all.ownCertificate('203.0.113.7', at)).toBeUndefined();
    expect(legacy.ownCertificate('127.0.0.2', port)).toBeUndefined();
    await all.close();
  });
});
