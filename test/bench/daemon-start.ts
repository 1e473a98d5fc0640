// Benchmark: the daemon's time to its first response, its processor time until then, its idle memory, and the memory per stored execution.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { endDaemon, plainEnvironment, spawnDaemon, temporaryHome } from './daemon.ts';
import { inTurn, type Outcome, sampleOf } from './figures.ts';
import { fill, openBenchStore } from './records.ts';

const STARTS = 9;
const WEIGHINGS = 3;
/** The number of executions that the daemon keeps by default. */
const STORED = 100_000;
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

/** Processor time until the first response in ms, of all threads of the process. */
const processorTime = async (begin: () => Promise<{ child: ChildProcess; baseUrl: string }>): Promise<number> => {
  const { child, baseUrl } = await begin();
  await (await fetch(`${baseUrl}/healthz`)).arrayBuffer();
  const threads = `/proc/${child.pid}/task`;
  const figures = (await readdir(threads)).map((thread) => readFile(`${threads}/${thread}/schedstat`, 'utf8'));
  const nanoseconds = (await Promise.all(figures)).map((text) => Number(text.split(' ')[0]));
  await endDaemon(child, 'SIGKILL');
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
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

/** Time from start to first response with an empty store, resident memory, and memory per stored execution. */
export const daemonStart = async (): Promise<Outcome> => {
  const home = temporaryHome();
  const full = temporaryHome();
  const data = path.join(full.folder, 'data', 'default');
  await mkdir(data, { recursive: true, mode: 0o700 });
  const store = await openBenchStore(data);
  await fill(store, STORED);
  await store.close();
  try {
    const ours = () => spawnDaemon(home.folder);
    const starts = await inTurn({ ours: () => firstAnswer(ours), express: () => firstAnswer(startExpress) }, STARTS);
    if (process.platform !== 'linux') return { skipped: 'memory is read from /proc' };
    const times = await inTurn({ ours: () => processorTime(ours), express: () => processorTime(startExpress) }, STARTS);
    const weights = await inTurn(
      {
        ours: () => weigh(ours),
        full: () => weigh(() => spawnDaemon(full.folder)),
        express: () => weigh(startExpress),
      },
      WEIGHINGS,
      0,
    );
    const perExecution = ((weights.full.median - weights.ours.median) * 2 ** 20) / STORED;
    return [
      {
        what: 'daemon, start to first answer',
        unit: 'ms',
        ours: starts.ours,
        against: 'express hello',
        floor: starts.express,
        goal: { of: 'ratio', atMost: 1.4 },
      },
      {
        what: 'daemon, processor time of a start',
        unit: 'ms',
        ours: times.ours,
        against: 'express hello',
        floor: times.express,
        goal: { of: 'ratio', atMost: 1.4 },
      },
      {
        what: 'daemon, idle memory',
        unit: 'MiB',
        ours: weights.ours,
        against: 'express hello',
        floor: weights.express,
        goal: { of: 'figure', atMost: 85 },
      },
      {
        what: `memory per execution, ${STORED} stored`,
        unit: 'bytes',
        ours: sampleOf([perExecution]),
        goal: { of: 'figure', atMost: 600 },
      },
    ];
  } finally {
    home.remove();
    full.remove();
  }
};
