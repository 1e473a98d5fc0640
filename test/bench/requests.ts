// Requests that run nothing: messages acknowledged, actors read, tokens given; against express alone and the journal alone.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type BenchDaemon, plainEnvironment, startDaemon } from './daemon.ts';
import { inTurn, type Outcome, perSecond, type Row, sampleOf } from './figures.ts';
import { openBareJournal } from './floors/bare-journal.ts';
import { load, type Shot } from './load.ts';

const ROUNDS = 15;
const ROUND_MS = 300;
const MANY = 64;
/** As in the measurements that the goals come from. */
const CONNECTIONS = 50;

const EXPRESS = fileURLToPath(new URL('./floors/bare-express.ts', import.meta.url));

interface BareExpress {
  readonly baseUrl: string;
  stop(): Promise<void>;
}

/** The same answers from express alone, in a process of its own. */
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
  /** Takes messages and never runs: its image cannot be had. */
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

/** About what one message puts into the journal: itself and its execution. */
const JOURNAL_LINE = `${'x'.repeat(760)}\n`;

/** Messages that are durable and answered, per second. */
export const acknowledged = (): Promise<Outcome> =>
  withBench(async ({ daemon, express, actorId }) => {
    const path = `/actors/v2/${actorId}/messages`;
    const shot: Shot = {
      method: 'POST',
      path,
      headers: { ...bearer(daemon), 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'hello' }),
    };
    const journal = await openBareJournal();
    const rows: Row[] = [];
    // Warm before it counts; a mailbox takes no more than its bound in one go.
    for (let round = 0; round < 4; round += 1) {
      await load(daemon.baseUrl, shot, MANY, ROUND_MS);
      await daemon.call('DELETE', path);
    }
    await load(express, shot, MANY, 1_500);
    for (const clients of [1, MANY]) {
      const of = await inTurn(
        {
          ours: async () => {
            const { perSecond: rate } = await load(daemon.baseUrl, shot, clients, ROUND_MS);
            // A mailbox has an end.
            await daemon.call('DELETE', path);
            return rate;
          },
          express: async () => (await load(express, shot, clients, ROUND_MS)).perSecond,
          journal: () => perSecond(clients, ROUND_MS, () => journal.append(JOURNAL_LINE)),
        },
        ROUNDS,
      );
      const row = { what: `messages acknowledged, ${clients} clients`, unit: '/s', ours: of.ours } as const;
      rows.push({
        ...row,
        against: 'express POST JSON, not durable',
        floor: of.express,
        ...(clients > 1 && { goal: { of: 'ratio', atLeast: 0.8 } as const }),
      });
      rows.push({ ...row, against: 'journal alone', floor: of.journal });
    }
    await journal.close();
    return rows;
  });

/** Both figures of a load, of both sides in turn. */
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

/** One actor read over and over, and tokens given by client_credentials. */
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
      // What oidc-provider reached beside express with a journal, where both were measured.
      ...(await compare(bench, 'tokens, client_credentials', grant, [0.97, 1.3])),
    ];
  });
