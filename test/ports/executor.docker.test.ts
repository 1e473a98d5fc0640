// Runs the executor suite on the Docker executor and a real engine.
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Executor } from '../../daemon/ports/executor.ts';
import { dockerRequirement, limitsResources, testDockerExecutor, testImages } from '../support/engine/docker.ts';
import { describeIf } from '../support/runner/requirements.ts';
import { type Behaviour, behaviours, executorSuite } from './executor.suite.ts';

describeIf(await dockerRequirement(), 'with a container engine', () => {
  executorSuite('containers', async () => {
    const images = testImages();
    const outputsFolder = mkdtempSync(join(tmpdir(), 'actorctl-outputs-'));
    const first = testDockerExecutor({ outputsFolder });
    const made: Executor[] = [];
    const known = new Map<Behaviour, Promise<string>>();
    return {
      executor: first.executor,
      missingImage: 'localhost:1/no/such:image',
      missingImageKind: 'pull',
      reportsByEvents: true,
      hasNoLimits: !limitsResources,
      engineVariables: ['PATH', 'HOME', 'HOSTNAME', 'SHLVL', 'PWD', 'TERM', 'container'],
      image: (behaviour) => {
        const script = behaviours[behaviour];
        const image =
          known.get(behaviour) ?? (script === null ? images.busybox(['/no/such/command']) : images.script(script));
        known.set(behaviour, image);
        return image;
      },
      restart: async () => {
        const { executor } = testDockerExecutor({ instanceId: first.instanceId, outputsFolder });
        made.push(executor);
        return executor;
      },
      cleanup: async () => {
        for (const executor of made) await executor.close({ removeAll: false });
        await first.tidy();
        await images.remove();
        // Every run was removed, so none has left its files.
        rmdirSync(outputsFolder);
      },
    };
  });
});
