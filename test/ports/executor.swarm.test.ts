// Runs the executor suite on the Swarm executor and a real swarm.
import type { Executor } from '../../daemon/ports/executor.ts';
import { testImages } from '../support/engine/docker.ts';
import { describeIf } from '../support/runner/requirements.ts';
import { engineOf, swarmRequirement, testSwarmExecutor } from '../support/swarm/swarm.ts';
import { type Behaviour, behaviours, executorSuite } from './executor.suite.ts';

describeIf(swarmRequirement(), 'with a swarm', () => {
  executorSuite('services of a swarm', async () => {
    const images = testImages(engineOf(1));
    const first = testSwarmExecutor();
    const made: Executor[] = [];
    const known = new Map<Behaviour, Promise<string>>();
    return {
      executor: first.executor,
      // Swarm passes some 10 000 lines a second on.
      manyLines: 20_000,
      alwaysTerminates: true,
      lacksOutputs: true,
      missingImage: 'localhost:1/no/such:image',
      missingImageKind: 'pull',
      engineVariables: ['PATH', 'HOME', 'HOSTNAME', 'SHLVL', 'PWD'],
      image: (behaviour) => {
        const script = behaviours[behaviour];
        const image =
          known.get(behaviour) ?? (script === null ? images.busybox(['/no/such/command']) : images.script(script));
        known.set(behaviour, image);
        return image;
      },
      restart: async () => {
        const { executor } = testSwarmExecutor({ instanceId: first.instanceId });
        made.push(executor);
        return executor;
      },
      cleanup: async () => {
        for (const executor of made) await executor.close({ removeAll: false });
        await first.tidy();
        await images.remove();
      },
    };
  });
});
