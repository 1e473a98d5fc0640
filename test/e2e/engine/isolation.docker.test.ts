// Actors in containers do not reach each other's ports.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BuiltDaemon, builtDaemon, logsOf, reaches, register, send } from '../../support/daemon/daemon.ts';
import { dockerRequirement, RUN_SCRIPT, type TestImages, testImages } from '../../support/engine/docker.ts';
import { describeIf } from '../../support/runner/requirements.ts';

/** Prints its addresses, listens, and proves that it can be reached at each of them. */
const SERVE = `nc -ll -p 7000 -e echo reached &
cat /proc/net/fib_trie; until nc -w 2 127.0.0.1 7000 < /dev/null; do sleep 0.1; done; wait`;

describeIf(await dockerRequirement(), 'two actors in containers', () => {
  let daemon: BuiltDaemon;
  let images: TestImages;
  beforeAll(async () => {
    images = testImages();
    daemon = builtDaemon();
    await daemon.start();
    await daemon.admit();
  });
  afterAll(async () => {
    await daemon.remove();
    await images.remove();
  });

  it('do not reach each other, in the order of their starts or against it', async () => {
    const image = await images.script(RUN_SCRIPT);
    const [one, other] = [await register(daemon, { image }), await register(daemon, { image })];
    const serve = async (actor: string) => {
      const execution = await send(daemon, actor, { body: 'go' }, { SCRIPT: SERVE });
      await expect.poll(() => logsOf(daemon, actor, execution)).toContain('reached');
      const log = await logsOf(daemon, actor, execution);
      const found = [...log.matchAll(/(\d+\.\d+\.\d+\.\d+)\n\s+\/32 host LOCAL/g)].map(([, address]) => address);
      return { execution, address: String(found.find((address) => !address?.startsWith('127.'))) };
    };
    const call = async (actor: string, address: string): Promise<string> => {
      const script = `nc -w 2 ${address} 7000 < /dev/null; echo "ended $?"`;
      const execution = await send(daemon, actor, { body: 'go' }, { SCRIPT: script });
      await reaches(daemon, actor, execution);
      return logsOf(daemon, actor, execution);
    };
    for (const [server, client] of [
      [one, other],
      [other, one],
    ] as const) {
      const { execution, address } = await serve(server);
      expect(address).toMatch(/^\d+\./);
      const called = await call(client, address);
      expect(called).not.toContain('reached');
      expect(called).toMatch(/^ended [1-9]\d*$/m);
      await daemon.ask('DELETE', `/actors/v2/${server}/executions/${execution}`);
      await reaches(daemon, server, execution);
    }
  });
});
