// The listener for containers: its apps, the ports that it tries, and what it logs when containers cannot reach the daemon.
import { beforeEach, describe, expect, it } from 'vitest';
import { createBridgeListener, type ListenAddress } from '../../../daemon/app/bridge-listener.ts';
import { type PlayedApp, playedApp } from '../../support/service/played-app.ts';

let logged: string[] = [];
beforeEach(() => {
  logged = [];
});
const log = (_fields: unknown, message: string) => void logged.push(message);
const logger = { debug: log, info: log, warn: log, error: log };

interface Played {
  readonly gateway?: () => Promise<ListenAddress | undefined>;
  readonly refused?: Readonly<Record<number, string>>;
  readonly problem?: Error;
}

const bridge = ({ gateway, refused, problem }: Played) => {
  const apps: PlayedApp[] = [];
  let hosts: () => ReadonlySet<string> = () => new Set();
  const listener = createBridgeListener({
    gateway: gateway ?? (async () => ({ address: '172.18.0.1', bindable: true })),
    makeApp: (accepted) => {
      if (problem) throw problem;
      hosts = accepted;
      const app = playedApp(refused);
      apps.push(app);
      return app;
    },
    mainPort: () => 8_722,
    logger,
  });
  return { listener, apps, hosts: () => [...hosts()] };
};

describe('the listener for containers', () => {
  it('uses the main port if it is free, else any free one, with one app', async () => {
    const free = bridge({});
    expect([await free.listener.ensurePort(), free.listener.address()]).toEqual([8_722, 'http://172.18.0.1:8722']);
    const taken = bridge({ refused: { 8722: 'EADDRINUSE' } });
    expect([await taken.listener.ensurePort(), taken.listener.address()]).toEqual([50_000, 'http://172.18.0.1:50000']);
    expect(taken.apps).toHaveLength(1);
  });

  it('closes its app if it cannot bind any port, and tries again at the next call', async () => {
    const { listener, apps } = bridge({ refused: { 8722: 'EADDRNOTAVAIL', 0: 'EADDRNOTAVAIL' } });
    expect([await listener.ensurePort(), listener.address()]).toEqual([undefined, undefined]);
    expect(await listener.ensurePort()).toBeUndefined();
    expect(apps.map(({ calls }) => calls)).toEqual([['close'], ['close']]);
    expect(logged).toEqual(Array.from({ length: 4 }, () => 'cannot bind the listener for containers'));
  });

  it('moves with the address of the gateway, and offers no port of the old one', async () => {
    let address = '172.18.0.1';
    const refused: Record<number, string> = {};
    const { listener, apps } = bridge({ gateway: async () => ({ address, bindable: true }), refused });
    await listener.ensurePort();
    await listener.ensurePort();
    expect(apps).toHaveLength(1);
    address = '172.19.0.1';
    Object.assign(refused, { 8722: 'EADDRNOTAVAIL', 0: 'EADDRNOTAVAIL' });
    expect(await listener.ensurePort()).toBeUndefined();
    expect(apps.map(({ calls }) => calls)).toEqual([['close'], ['close']]);
  });

  it('is advertised under the given name, and accepts its address too', async () => {
    const { listener, hosts } = bridge({
      gateway: async () => ({ address: '0.0.0.0', host: 'daemon.example', port: 80, bindable: true }),
    });
    expect([await listener.ensurePort(), listener.address()]).toEqual([80, 'http://daemon.example']);
    expect(hosts()).toEqual(expect.arrayContaining(['daemon.example', 'daemon.example:80', '0.0.0.0:80']));
  });

  it('logs whether the gateway is unknown or its app cannot be created', async () => {
    const unknown = bridge({ gateway: async () => Promise.reject(new Error('no engine')) });
    expect(await unknown.listener.ensurePort()).toBeUndefined();
    const unmade = bridge({ problem: new Error('cannot read the file of --tls-cert') });
    expect(await unmade.listener.ensurePort()).toBeUndefined();
    expect(logged).toEqual([
      'containers cannot reach the daemon: the gateway of the bridge network is unknown',
      'containers cannot reach the daemon: their listener cannot be made',
    ]);
  });
});
