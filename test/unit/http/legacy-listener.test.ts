// Which port the https listener gets, and what is said if it is not 443. The server is played.
import { describe, expect, it } from 'vitest';
import { createLegacyListeners, secureHosts, secureOrigin } from '../../../daemon/app/legacy-listener.ts';
import { ConfigError } from '../../../daemon/config.ts';
import { type PlayedApp, playedApp } from '../../support/service/played-app.ts';

const logged: string[] = [];
const log = (_fields: unknown, message: string) => void logged.push(message);
const logger = { debug: log, info: log, warn: log, error: log };

const listeners = (refused: Readonly<Record<number, string>>, port?: number) =>
  createLegacyListeners({
    bind: '127.0.0.1',
    ...(port !== undefined && { port }),
    identities: { current: async () => ({ cert: 'c', key: 'k' }) },
    makeApp: () => playedApp(refused),
    logger,
  });

const begun = async (refused: Readonly<Record<number, string>>, port?: number) => {
  const legacy = listeners(refused, port);
  await legacy.begin();
  const found = [legacy.origin(), legacy.portNote()];
  await legacy.close();
  return found;
};

describe('the port of the https listener', () => {
  it('is 443, which the origin does not show', async () => {
    expect(await begun({})).toEqual(['https://localhost', undefined]);
    expect(await begun({}, 9_443)).toEqual(['https://localhost:9443', undefined]);
    expect(await begun({}, 0)).toEqual(['https://localhost:50000', undefined]);
  });

  it('is another port without the privilege for 443, and the note explains how to get it', async () => {
    const [origin, note] = await begun({ 443: 'EACCES' });
    expect(origin).toBe('https://localhost:8443');
    expect(note).toMatch(
      /^this process may not bind port 443, so the port is 8443\. To get 443: sudo sysctl .*, or sudo setcap .*, or sudo iptables .* --to-ports 8443$/,
    );
  });

  it('is another port if a program uses 443', async () => {
    const [origin, note] = await begun({ 443: 'EADDRINUSE', 8443: 'EADDRINUSE' });
    expect([origin, note]).toEqual([
      'https://localhost:50000',
      'another program uses port 443, so the port is 50000. To get 443: end that program, then actorctl daemon restart',
    ]);
  });

  it('that was requested but is taken or forbidden fails the start', async () => {
    await expect(listeners({ 9443: 'EADDRINUSE' }, 9_443).begin()).rejects.toThrow(
      'port 9443 of 127.0.0.1 is in use; choose another with --legacy-port N, or --legacy-port auto',
    );
    const denied = await listeners({ 443: 'EACCES' }, 443)
      .begin()
      .catch((error: unknown) => error);
    expect(denied).toBeInstanceOf(ConfigError);
    expect(String(denied)).toMatch(
      /--legacy-port 443 is not permitted for this process. Choose a port above 1023, or: sudo sysctl/,
    );
  });
});

describe('the origin of the https listener', () => {
  it.each([
    [{ bind: '127.0.0.1' }, 'https://localhost:8444', 'https://localhost:8444'],
    [{ bind: '192.0.2.1' }, 'https://192.0.2.1:8444', 'https://192.0.2.1:8444'],
    [{ bind: '0.0.0.0', publicHost: '192.0.2.7' }, 'https://192.0.2.7:8444', 'https://localhost:8444'],
    [{ bind: '::', publicHost: 'actors.test' }, 'https://actors.test:8444', 'https://localhost:8444'],
  ])('for people and for this machine, with %j', async (where, people, here) => {
    const asked: string[] = [];
    const legacy = createLegacyListeners({
      ...where,
      port: 8_444,
      identities: { current: async (names) => ({ cert: String(asked.push(...names)), key: 'k' }) },
      makeApp: () => playedApp({}),
      logger,
    });
    await legacy.begin();
    expect([legacy.origin(), legacy.localOrigin()]).toEqual([people, here]);
    expect(asked).toContain(new URL(people).hostname);
    expect(asked).not.toContain('0.0.0.0');
    await legacy.close();
  });
});

describe('the listener for containers', () => {
  const first = { cert: 'first', key: 'k' };
  /** Listeners with the certificates of `current`, and the apps that they make. */
  const withCertificates = async (current: (names: readonly string[]) => Promise<typeof first>) => {
    const apps: PlayedApp[] = [];
    const makeApp = () => {
      const app = playedApp();
      apps.push(app);
      return app;
    };
    const legacy = createLegacyListeners({ bind: '127.0.0.1', port: 0, identities: { current }, makeApp, logger });
    await legacy.begin();
    const container = await legacy.containerApp(
      '172.18.0.1',
      () => new Set(),
      () => '',
    );
    return { legacy, container, apps };
  };

  it('has a certificate with its host, which the other listener uses, too', async () => {
    const asked: (readonly string[])[] = [];
    const { apps } = await withCertificates(async (names) => ({ cert: String(asked.push(names)), key: 'k' }));
    expect(asked.map((names) => names.includes('172.18.0.1'))).toEqual([false, true]);
    expect(apps[0]?.calls).toEqual(['renew']);
  });

  it('keeps the certificate in use if the given file becomes unreadable', async () => {
    let calls = 0;
    const { apps } = await withCertificates(async () => {
      if (++calls > 1) throw new ConfigError('cannot read the file of --tls-cert');
      return first;
    });
    expect(apps).toHaveLength(2);
    expect(logged.at(-1)).toBe('the https listener keeps its certificate, because it cannot get a new one');
  });

  it('is removed when it is closed', async () => {
    const { legacy, container, apps } = await withCertificates(async () => first);
    await container.close();
    await legacy.drain();
    await legacy.close();
    expect(apps.map(({ calls }) => calls)).toEqual([['drain', 'close'], ['close']]);
  });
});

describe('host values', () => {
  it('may omit the port', () => {
    expect([...secureHosts(['localhost', '::1'], 8_443)]).toEqual([
      'localhost',
      'localhost:443',
      'localhost:8443',
      '[::1]',
      '[::1]:443',
      '[::1]:8443',
    ]);
    expect([secureOrigin('::1', 443), secureOrigin('localhost', 8_443)]).toEqual([
      'https://[::1]',
      'https://localhost:8443',
    ]);
  });
});
