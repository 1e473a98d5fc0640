// Benchmark: events per second to all tails, compared with Express that syncs each post in a journal and sends it to all
// readers.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { startBare } from './baselines/bare-process.ts';
import { startDaemon } from './daemon.ts';
import { inTurn, type Outcome, type Row } from './figures.ts';
import { idleActors } from './idle-actors.ts';
import { load, type Shot } from './load.ts';

const TAILS = [1, 10, 100];
/** The number of concurrent emitters. */
const EMITTERS = 64;
const ROUNDS = 9;
const ROUND_MS = 500;

const EVENTS = fileURLToPath(new URL('./baselines/bare-events.ts', import.meta.url));

/** The start of an event's data. Heartbeats have no data. */
const MARK = Buffer.from('\ndata: ');

export interface Tails {
  /** Resolves when each tail got `events` more events since the previous call. */
  more(events: number): Promise<void>;
  close(): void;
}

/** Opens readers that only count the events they get. */
const openTails = async (baseUrl: string, authorization: string, count: number): Promise<Tails> => {
  const { hostname, port, host } = new URL(baseUrl);
  const seen: number[] = Array.from({ length: count }, () => 0);
  let goal = Number.POSITIVE_INFINITY;
  let missing = count;
  let arrived = (): void => undefined;

  const read = async (at: number): Promise<Socket> => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    let rest: Buffer = Buffer.alloc(0);
    const opened = new Promise<void>((resolve) => {
      socket.on('data', (chunk) => {
        const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
        const before = seen[at] ?? 0;
        let now = before;
        let from = bytes.indexOf(MARK);
        let end = 0;
        for (; from !== -1; from = bytes.indexOf(MARK, end)) {
          now += 1;
          end = from + MARK.length;
        }
        rest = bytes.subarray(Math.max(end, bytes.length - MARK.length + 1));
        seen[at] = now;
        // The first event is the notice that the stream is open.
        if (before === 0 && now > 0) resolve();
        if (before < goal && now >= goal) {
          missing -= 1;
          if (missing === 0) arrived();
        }
      });
    });
    const head = ['GET /actors/v2/events HTTP/1.1', `host: ${host}`, 'accept: text/event-stream'];
    socket.write(`${[...head, `authorization: ${authorization}`].join('\r\n')}\r\n\r\n`);
    await opened;
    return socket;
  };

  const sockets = await Promise.all(seen.map((_, at) => read(at)));
  let had = 1;
  return {
    more: (events) =>
      new Promise((resolve) => {
        had += events;
        goal = had;
        missing = seen.filter((each) => each < goal).length;
        arrived = resolve;
        if (missing === 0) resolve();
      }),
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
};

interface Side {
  readonly baseUrl: string;
  readonly shot: Shot;
  readonly authorization: string;
}

/** Events per second, until the last tail has the last event. */
const rateOf = async ({ baseUrl, shot }: Side, tails: Tails): Promise<number> => {
  const begun = performance.now();
  const { count } = await load(baseUrl, shot, EMITTERS, ROUND_MS);
  await tails.more(count);
  return (count * 1_000) / (performance.now() - begun);
};

const rowFor = async (ours: Side, baseline: Side, count: number): Promise<Row> => {
  const open = ({ baseUrl, authorization }: Side) => openTails(baseUrl, authorization, count);
  const of = { ours: await open(ours), baseline: await open(baseline) };
  try {
    const rates = await inTurn(
      { ours: () => rateOf(ours, of.ours), baseline: () => rateOf(baseline, of.baseline) },
      ROUNDS,
      2,
    );
    const what = `events to ${count} tails`;
    return {
      what,
      unit: '/s',
      ...rates,
      against: 'Express with the same journal',
      goal: { of: 'ratio', atLeast: 0.9 },
    };
  } finally {
    of.ours.close();
    of.baseline.close();
  }
};

/** Events to 1, 10 and 100 tails. */
export const tails = async (): Promise<Outcome> => {
  const daemon = await startDaemon();
  const express = await startBare(EVENTS);
  const idle = idleActors(daemon);
  try {
    const authorization = `Bearer ${daemon.token}`;
    const shot: Shot = {
      method: 'POST',
      path: `/actors/v2/${await idle.add()}/events`,
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ event_type: 'EXECUTION_COMPLETE', exit_code: 0 }),
    };
    const side = (baseUrl: string): Side => ({ baseUrl, shot, authorization });
    const rows: Row[] = [];
    for (const count of TAILS)
      rows.push(await rowFor(side(daemon.baseUrl), side(`http://127.0.0.1:${express.port}`), count));
    return rows;
  } finally {
    await express.stop();
    await daemon.stop();
    idle.remove();
  }
};
