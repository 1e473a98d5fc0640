// Starts a swarm of two nodes for the tests that need one, if possible, and removes it after them. A swarm named by the
// variables ACTORCTL_SWARM_* is used instead.
import { bringUpSwarm, whyNoSwarm } from '../swarm/bring-up.ts';

const NODES = 2;

export default (): (() => void) | undefined => {
  if (process.env['ACTORCTL_SWARM_HOST']) return undefined;
  const problem = whyNoSwarm();
  if (problem === undefined) return bringUpSwarm(NODES);
  process.env['ACTORCTL_SWARM_PROBLEM'] = problem;
  return undefined;
};
