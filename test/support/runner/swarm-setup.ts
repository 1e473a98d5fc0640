// Brings up a swarm of two nodes for the tests that need one, if this machine can, and takes it down afterwards. A swarm
// that the variables ACTORCTL_SWARM_* name already is used as it is.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../swarm/swarm-lab.sh', import.meta.url));
const PROGRAMS = ['dockerd', 'docker', 'docker-registry', 'ip', 'iptables', 'nsenter'];
const NODES = 2;

/** Why this machine cannot have a swarm of its own; undefined if it can. */
const obstacle = (): string | undefined => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'a swarm of our own needs Linux and root';
  const missing = PROGRAMS.filter((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0);
  return missing.length === 0 ? undefined : `a swarm of our own needs ${missing.join(', ')} on the path`;
};

export default (): (() => void) | undefined => {
  if (process.env['ACTORCTL_SWARM_HOST']) return undefined;
  const problem = obstacle();
  if (problem !== undefined) {
    process.env['ACTORCTL_SWARM_PROBLEM'] = problem;
    return undefined;
  }
  const lab = mkdtempSync(path.join(tmpdir(), 'actorctl-swarm-'));
  const down = () => void execFileSync('bash', [SCRIPT, 'down', lab], { stdio: 'ignore' });
  try {
    const said = execFileSync('bash', [SCRIPT, 'up', lab, String(NODES)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    process.env['ACTORCTL_SWARM_LAB'] = lab;
    for (const [, name = '', value = ''] of said.matchAll(/^(\w+)=(.*)$/gm))
      process.env[`ACTORCTL_SWARM_${name.toUpperCase()}`] = value;
    return down;
  } catch (error) {
    down();
    throw error;
  }
};
