// Chains of linked actors: one message runs through all of them, and `why` finds the way back.
import { afterAll, beforeAll, it } from 'vitest';
import { type BuiltDaemon, builtDaemon, scriptImage } from '../../support/daemon/daemon.ts';
import { dockerRequirement, type TestImages, testImages } from '../../support/engine/docker.ts';
import { describeIf } from '../../support/runner/requirements.ts';
import { CHAIN_LINK, runChain } from '../../support/workloads/chain.ts';

describeIf(await dockerRequirement(), 'linked actors', () => {
  let daemon: BuiltDaemon;
  let images: TestImages;
  let token: string;
  beforeAll(async () => {
    images = testImages();
    daemon = builtDaemon({ env: { ACTORCTL_MAX_WORKERS: '1' } });
    await daemon.start();
    token = await daemon.admit();
  });
  afterAll(async () => {
    await daemon.remove();
    await images.remove();
  });

  // A container for each actor, with its own network, costs a hundred times as much as a process.
  it.each([
    [50, 'processes', async () => scriptImage(daemon, CHAIN_LINK)],
    [10, 'containers', () => images.script(CHAIN_LINK)],
  ] as const)(
    'a chain of %i %s carries one message to its end, and the causes lead back to its beginning',
    async (actors, _, made) => {
      await runChain(daemon, token, await made(), actors);
    },
  );
});
