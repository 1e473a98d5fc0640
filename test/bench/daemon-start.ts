// Benchmark: the daemon's time to its first response, and its idle memory.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { endDaemon, plainEnvironment, spawnDaemon, temporaryHome } from './daemon.ts';
import { inTurn, type Outcome } from './figures.ts';

const STARTS = 9;
const WEIGHINGS = 3;
/** Time for the garbage collection of what the start allocated. */
const SETTLE_MS = 1_500;

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const HELLO = `
import express from 'express';
const server = express().get('/healthz', (_, response) => response.json({ status: 'ok' })).listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

const startExpress = async (): Promise<{ child: ChildProcess; baseUrl: string }> => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', HELLO], {
    cwd: REPOSITORY,
    env: plainEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, baseUrl: `http://127.0.0.1:${port}` };
};

/** Time from the spawn until the first response, in ms. */
const firstAnswer = async (begin: () => Promise<{ child: ChildProcess; baseUrl: string }>): Promise<number> => {
  const begun = performance.now();
  const { child, baseUrl } = await begin();
  const response = await fetch(`${baseUrl}/healthz`);
  await response.arrayBuffer();
  const ms = performance.now() - begun;
  await endDaemon(child, 'SIGKILL');
  return ms;
};

/** Resident memory in MiB. */
const weigh = async (begin: () => Promise<{ child: ChildProcess; baseUrl: string }>): Promise<number> => {
  const { child, baseUrl } = await begin();
  await (await fetch(`${baseUrl}/healthz`)).arrayBuffer();
  await sleep(SETTLE_MS);
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  await endDaemon(child, 'SIGKILL');
  return Number(/^VmRSS:\s*(\d+)/m.exec(status)?.[1]) / 1024;
};

/** Time from start to first response with an empty store, and resident memory. */
export const daemonStart = async (): Promise<Outcome> => {
  if (process.platform !== 'linux') return { skipped: 'memory is read from /proc' };
  const home = temporaryHome();
  try {
    const ours = () => spawnDaemon(home.folder);
    const starts = await inTurn({ ours: () => firstAnswer(ours), baseline: () => firstAnswer(startExpress) }, STARTS);
    const weights = await inTurn({ ours: () => weigh(ours), baseline: () => weigh(startExpress) }, WEIGHINGS, 0);
    const against = 'Express hello';
    return [
      { what: 'daemon, start to first answer', unit: 'ms', ...starts, against, goal: { of: 'ratio', atMost: 2.2 } },
      { what: 'daemon, idle memory', unit: 'MiB', ...weights, against, goal: { of: 'figure', atMost: 90 } },
    ];
  } finally {
    home.remove();
  }
};
