// Benchmark: requests that run nothing (sending messages, reading actors, issuing tokens), compared with express alone
// and the journal alone.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type BenchDaemon, plainEnvironment, startDaemon } from './daemon.ts';
import { inTurn, type Outcome, perSecond, type Row, sampleOf } from './figures.ts';
import { MESSAGE_LINE, openBareJournal } from './floors/bare-journal.ts';
import { load, type Shot } from './load.ts';

const ROUNDS = 15;
const ROUND_MS = 300;
const MANY = 64;
/** The same number as in the measurements that set the goals. */
const CONNECTIONS = 50;

const EXPRESS = fileURLToPath(new URL('./floors/bare-express.ts', import.meta.url));

interface BareExpress {
  readonly baseUrl: string;
  stop(): Promise<void>;
}

/** Starts express alone in its own process, with the same responses. */
const startExpress = async ({ token, client }: BenchDaemon, answer: unknown): Promise<BareExpress> => {
  const child = spawn(process.execPath, ['--import', 'tsx', EXPRESS], {
    env: plainEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(createInterface(child.stdout), 'line')) as [string];
  const baseUrl = `http://127.0.0.1:${port}`;
  const response = await fetch(`${baseUrl}/floor`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ answer, token, secret: client.secret }),
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

/** Messages per second that are durable and answered. */
export const acknowledged = (): Promise<Outcome> =>
  withBench(async ({ daemon, express, actorId }) => {
    const path = `/actors/v2/${actorId}/messages`;
    const shot: Shot = {
      method: 'POST',
      path,
      headers: { ...bearer(daemon), 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'hello' }),
    };
    const durable: Shot = { ...shot, path: `/durable${path}` };
    const journal = await openBareJournal();
    const rows: Row[] = [];
    // Warms up both sides. The mailbox is emptied in between, because its size is limited.
    for (let round = 0; round < 4; round += 1) {
      await load(daemon.baseUrl, shot, MANY, ROUND_MS);
      await daemon.call('DELETE', path);
    }
    for (const each of [shot, durable]) await load(express, each, MANY, 1_500);
    for (const clients of [1, MANY]) {
      const of = await inTurn(
        {
          ours: async () => {
            const { perSecond: rate } = await load(daemon.baseUrl, shot, clients, ROUND_MS);
            // The mailbox is emptied because its size is limited.
            await daemon.call('DELETE', path);
            return rate;
          },
          express: async () => (await load(express, shot, clients, ROUND_MS)).perSecond,
          both: async () => (await load(express, durable, clients, ROUND_MS)).perSecond,
          journal: () => perSecond(clients, ROUND_MS, () => journal.append(MESSAGE_LINE)),
        },
        ROUNDS,
      );
      const row = { what: `messages acknowledged, ${clients} clients`, unit: '/s', ours: of.ours } as const;
      rows.push({
        ...row,
        against: 'express POST JSON, not durable',
        floor: of.express,
        ...(clients > 1 && { goal: { of: 'ratio', atLeast: 1 } as const }),
      });
      rows.push({
        ...row,
        against: 'journal alone',
        floor: of.journal,
        ...(clients === 1 && { goal: { of: 'ratio', atLeast: 0.6 } as const }),
      });
      // What Express and one sync cost together, so that the rest of the gap is the daemon's own work.
      rows.push({ ...row, against: 'express POST JSON and a journal', floor: of.both });
    }
    await journal.close();
    return rows;
  });

/** Rate and latency of a load, measured alternately on both sides. */
const compare = async (bench: Bench, what: string, shot: Shot, goals: readonly [least: number, most: number]) => {
  const { daemon, express } = bench;
  const latencies = { ours: [] as number[], floor: [] as number[] };
  const side = (baseUrl: string, kept: number[]) => async () => {
    const { perSecond: rate, p99Ms } = await load(baseUrl, shot, CONNECTIONS, ROUND_MS);
    kept.push(p99Ms);
    return rate;
  };
  const of = await inTurn(
    { ours: side(daemon.baseUrl, latencies.ours), floor: side(express, latencies.floor) },
    ROUNDS,
    3,
  );
  const rows: Row[] = [
    {
      what,
      unit: '/s',
      ours: of.ours,
      against: 'express alone',
      floor: of.floor,
      goal: { of: 'ratio', atLeast: goals[0] },
    },
    {
      what: `${what}, p99`,
      unit: 'ms',
      ours: sampleOf(latencies.ours.slice(-ROUNDS)),
      against: 'express alone',
      floor: sampleOf(latencies.floor.slice(-ROUNDS)),
      goal: { of: 'ratio', atMost: goals[1] },
    },
  ];
  return rows;
};

/** Repeated reads of one actor, and tokens by client_credentials. */
export const reads = (): Promise<Outcome> =>
  withBench(async (bench) => {
    const { daemon, actorId } = bench;
    const show: Shot = { method: 'GET', path: `/actors/v2/${actorId}`, headers: bearer(daemon) };
    const { id, secret } = daemon.client;
    const grant: Shot = {
      method: 'POST',
      path: '/token',
      headers: {
        authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials&scope=PRODUCTION',
    };
    return [
      ...(await compare(bench, 'GET of an actor', show, [0.9, 1.3])),
      // The result of oidc-provider compared with express and a journal, in a measurement of both.
      ...(await compare(bench, 'tokens, client_credentials', grant, [0.97, 1.3])),
    ];
  });
