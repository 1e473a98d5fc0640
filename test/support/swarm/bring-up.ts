// Brings up a swarm on this machine, for tests and the benchmark, and names it in the variables ACTORCTL_SWARM_*.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('swarm-lab.sh', import.meta.url));
const VARIABLES = ['LAB', 'HOST', 'REGISTRY', 'GATEWAY'].map((name) => `ACTORCTL_SWARM_${name}`);
const PROGRAMS = ['dockerd', 'docker', 'docker-registry', 'ip', 'iptables', 'nsenter'];

/** Why this machine cannot have a swarm of its own; undefined if it can. */
export const whyNoSwarm = (): string | undefined => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'a swarm of our own needs Linux and root';
  const missing = PROGRAMS.filter((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0);
  return missing.length === 0 ? undefined : `a swarm of our own needs ${missing.join(', ')} on the path`;
};

/** Starts this many nodes. Returns a function that removes them and restores the variables. */
export const bringUpSwarm = (nodes: number): (() => void) => {
  const lab = mkdtempSync(path.join(tmpdir(), 'actorctl-swarm-'));
  const before = Object.fromEntries(VARIABLES.map((name) => [name, process.env[name]]));
  const down = () => {
    execFileSync('bash', [SCRIPT, 'down', lab], { stdio: 'ignore' });
    for (const [name, value] of Object.entries(before))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  };
  try {
    const said = execFileSync('bash', [SCRIPT, 'up', lab, String(nodes)], {
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
