// Brings up a swarm of two nodes for the tests that need one, if this machine can, and takes it down afterwards. A swarm
// that the variables ACTORCTL_SWARM_* name already is used as it is.
import { bringUpSwarm, whyNoSwarm } from '../swarm/bring-up.ts';

const NODES = 2;

export default (): (() => void) | undefined => {
  if (process.env['ACTORCTL_SWARM_HOST']) return undefined;
  const problem = whyNoSwarm();
  if (problem === undefined) return bringUpSwarm(NODES);
  process.env['ACTORCTL_SWARM_PROBLEM'] = problem;
  return undefined;
};
