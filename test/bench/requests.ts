// Benchmark: requests that run nothing (sending messages, reading actors), compared with Express alone and with a journal.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type BenchDaemon, plainEnvironment, startDaemon } from './daemon.ts';
import { inTurn, type Outcome, type Row } from './figures.ts';
import { load, type Shot } from './load.ts';

const ROUNDS = 15;
const ROUND_MS = 300;
const MANY = 64;
/** The same number as in the measurements that set the goals. */
const CONNECTIONS = 50;

const EXPRESS = fileURLToPath(new URL('./baselines/bare-express.ts', import.meta.url));

interface BareExpress {
  readonly baseUrl: string;
  stop(): Promise<void>;
}

/** Starts Express alone in its own process, with the same responses. */
const startExpress = async ({ token }: BenchDaemon, answer: unknown): Promise<BareExpress> => {
  const child = spawn(process.execPath, ['--import', 'tsx', EXPRESS], {
    env: plainEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(createInterface(child.stdout), 'line')) as [string];
  const baseUrl = `http://127.0.0.1:${port}`;
  const response = await fetch(`${baseUrl}/baseline`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ answer, token }),
  });
  if (!response.ok) throw new Error(`bare express answered ${response.status}`);
  return {
    baseUrl,
    stop: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    },
  };
};

interface Bench {
  readonly daemon: BenchDaemon;
  readonly express: string;
  /** An actor that accepts messages and never runs, because its image does not exist. */
  readonly actorId: string;
}

const withBench = async (work: (bench: Bench) => Promise<readonly Row[]>): Promise<Outcome> => {
  const daemon = await startDaemon();
  try {
    const { id: actorId = '' } = await daemon.call('POST', '/actors/v2', { image: 'nowhere.invalid/nothing:1' });
    const result = await daemon.call('GET', `/actors/v2/${actorId}`);
    const answer = { message: 'Actor retrieved successfully.', result, status: 'success', version: '1.9.1' };
    const express = await startExpress(daemon, answer);
    try {
      return await work({ daemon, express: express.baseUrl, actorId });
    } finally {
      await express.stop();
    }
  } finally {
    await daemon.stop();
  }
};

const bearer = ({ token }: BenchDaemon) => ({ authorization: `Bearer ${token}` });

/** Messages per second that are durable and acknowledged. */
export const acknowledged = (): Promise<Outcome> =>
  withBench(async ({ daemon, express, actorId }) => {
    const path = `/actors/v2/${actorId}/messages`;
    const shot: Shot = {
      method: 'POST',
      path,
      headers: { ...bearer(daemon), 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'hello' }),
    };
    const ours = async (clients: number): Promise<number> => {
      const { perSecond } = await load(daemon.baseUrl, shot, clients, ROUND_MS);
      // The mailbox is emptied because its size is limited.
      await daemon.call('DELETE', path);
      return perSecond;
    };
    const baseline = async (clients: number): Promise<number> =>
      (await load(express, shot, clients, ROUND_MS)).perSecond;
    // Warms up both sides.
    for (let round = 0; round < 4; round += 1) await ours(MANY);
    await load(express, shot, MANY, 1_500);
    const rows: Row[] = [];
    for (const clients of [1, MANY]) {
      rows.push({
        what: `messages acknowledged, ${clients} clients`,
        unit: '/s',
        ...(await inTurn({ ours: () => ours(clients), baseline: () => baseline(clients) }, ROUNDS)),
        against: 'Express with the same journal',
        goal: { of: 'ratio', atLeast: 0.9 },
      });
    }
    return rows;
  });

/** Repeated reads of one actor. */
export const reads = (): Promise<Outcome> =>
  withBench(async ({ daemon, express, actorId }) => {
    const show: Shot = { method: 'GET', path: `/actors/v2/${actorId}`, headers: bearer(daemon) };
    const side = (baseUrl: string) => async () => (await load(baseUrl, show, CONNECTIONS, ROUND_MS)).perSecond;
    const of = await inTurn({ ours: side(daemon.baseUrl), baseline: side(express) }, ROUNDS, 3);
    const what = `GET of an actor, ${CONNECTIONS} connections`;
    return [{ what, unit: '/s', ...of, against: 'Express alone', goal: { of: 'ratio', atLeast: 0.9 } }];
  });
