// Which port the https listener gets, and what is said if it is not 443. The server is played.
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createLegacyListeners, secureHosts, secureOrigin } from '../../../daemon/app/legacy-listener.ts';
import { ConfigError } from '../../../daemon/config.ts';
import type { App } from '../../../daemon/http/app.ts';

const silent = () => undefined;
const logger = { debug: silent, info: silent, warn: silent, error: silent };

/** An app whose server refuses some ports with the code of an error. Port 0 becomes 50000. */
const playedApp = (refused: Readonly<Record<number, string>>): App => {
  const server = Object.assign(new EventEmitter(), {
    bound: 0,
    address: () => ({ port: server.bound }),
    listen: (port: number, _address: string, done: () => void) => {
      const code = refused[port];
      server.bound = port || 50_000;
      setImmediate(() => (code ? server.emit('error', Object.assign(new Error(code), { code })) : done()));
    },
  });
  return { server, drain: async () => undefined, close: async () => undefined, renew: silent } as unknown as App;
};

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

  it('is another one without the right to 443, with the ways to get it', async () => {
    const [origin, note] = await begun({ 443: 'EACCES' });
    expect(origin).toBe('https://localhost:8443');
    expect(note).toMatch(
      /^port 443 needs a right .* so the port is 8443\. To get 443: sudo sysctl .*, or sudo setcap .*, or sudo iptables .* --to-ports 8443$/,
    );
  });

  it('is another one if a program uses 443', async () => {
    const [origin, note] = await begun({ 443: 'EADDRINUSE', 8443: 'EADDRINUSE' });
    expect([origin, note]).toEqual([
      'https://localhost:50000',
      'another program uses port 443, so the port is 50000. To get 443: end that program, then actorctl daemon restart',
    ]);
  });

  it('that was asked for and is taken or forbidden ends the start', async () => {
    await expect(listeners({ 9443: 'EADDRINUSE' }, 9_443).begin()).rejects.toThrow(
      'port 9443 of 127.0.0.1 is in use; choose another with --legacy-port N, or --legacy-port auto',
    );
    const denied = await listeners({ 443: 'EACCES' }, 443)
      .begin()
      .catch((error: unknown) => error);
    expect(denied).toBeInstanceOf(ConfigError);
    expect(String(denied)).toMatch(/--legacy-port 443 needs a right .* Choose a port above 1023, or: sudo sysctl/);
  });
});

describe('host values', () => {
  it('need no port', () => {
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
