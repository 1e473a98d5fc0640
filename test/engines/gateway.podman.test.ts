// The MAC address of the gateway on Podman's bridge changes while containers start and stop.
import { execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { collect, runSpec } from '../ports/executor.suite.ts';
import { dockerRequirement, type TestImages, testDockerExecutor, testImages } from '../support/engine/docker.ts';
import { describeIf } from '../support/runner/requirements.ts';

const never = new AbortController().signal;
/** Without the settings of the network, the kernel trusts the old MAC address for 15 to 45 seconds, and 8 more. */
const SOON = { timeout: 20_000 };

describeIf(await dockerRequirement(), 'the network of a run on Podman', () => {
  const { executor, tidy } = testDockerExecutor();
  let images: TestImages;
  let server: Server;
  let requests = 0;
  beforeAll(async () => {
    images = testImages();
    server = createServer((_, response) => {
      requests += 1;
      response.end('here');
    });
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  });
  afterAll(async () => {
    await tidy();
    await images.remove();
    server.close();
    server.closeAllConnections();
  });

  const output = async (script: string): Promise<string> => {
    const ref = await executor.create(runSpec(await images.script(script)), never);
    const out = collect();
    await (await executor.start(ref, out.sink)).ended;
    await executor.remove(ref);
    return out.stdout();
  };

  it('a container reaches the host soon after the MAC address of the bridge has changed', async () => {
    // The runs of a worker have one network, and therefore one ARP table.
    const gateway = (await output(`ip route | sed -n 's/^default via \\([0-9.]*\\).*/\\1/p'`)).trim();
    const [bridge = ''] =
      Object.entries(networkInterfaces()).find(([, some]) => some?.some(({ address }) => address === gateway)) ?? [];
    // An address that no port of the bridge has, like that of a port that was removed.
    const setAddress = (last: number) =>
      execFileSync('ip', ['link', 'set', 'dev', bridge, 'address', `02:00:00:00:00:0${last}`]);
    const ask = `wget -q -O - http://${gateway}:${(server.address() as AddressInfo).port}/`;
    setAddress(1);
    expect(await output(ask)).toBe('here');
    setAddress(2);
    const asked = output(ask);
    await expect.poll(() => requests, SOON).toBe(2);
    expect(await asked).toBe('here');
  });
});
