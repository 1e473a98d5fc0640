// Describes what the found engine cannot do, for `status`.
import type { EngineMeans } from '../../ports/executor.ts';
import type { EngineFacts } from './engine-facts.ts';
import type { ProductFacts } from './products.ts';

/** Facts that have not been read yet are left out. @see docs/engines.md */
export const limitationsOf = (facts: ProductFacts & Partial<EngineFacts>): readonly string[] => {
  const { sameHost, rootless, cgroupDriver } = facts;
  const hasOwnGroups = sameHost === true && rootless !== true && cgroupDriver === 'cgroupfs';
  const limitations: readonly (readonly [boolean, string])[] = [
    [
      !facts.separatesContainers && facts.isolatesPorts === false,
      'actors of an instance reach each other over the network',
    ],
    [facts.limitsResources === false, 'limits of memory and processes have no effect'],
    [facts.reachesBack === false, 'actors do not reach the API of the daemon'],
    [
      facts.withoutFiles !== undefined,
      `results are ${facts.reachesBack === false ? 'not sent' : 'sent over HTTP only'}: ${facts.withoutFiles}`,
    ],
    [
      !facts.reportsOutOfMemory && cgroupDriver !== undefined && !hasOwnGroups,
      'a container that ran out of memory has the reason "exited" and the exit code 137',
    ],
    [facts.init === false, 'containers have no init process, so a halt of a shell waits for its grace period'],
  ];
  return limitations.flatMap(([isSo, text]) => (isSo ? [text] : []));
};

export const SWARM_MEANS: EngineMeans = {
  limitsResources: true,
  limitsProcessors: true,
  reachesApi: true,
  hasResultSocket: false,
  secretsAreFiles: true,
};

/** What no swarm can do. @see docs/engines.md#docker-swarm */
export const SWARM_LIMITATIONS: readonly string[] = [
  'results are sent over HTTP only',
  'the disk use of executions is not limited',
  'a halt waits 10 seconds before SIGKILL, whatever its grace period',
  'privileged actors are refused',
];
