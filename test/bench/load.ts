// A load generator: sends requests over keep-alive connections as fast as responses arrive, with so little work that
// the server is the bottleneck.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { p99 } from './figures.ts';

/** The parts of a request. */
export interface Shot {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Load {
  readonly count: number;
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly longestMs: number;
}

const bytesOf = ({ host }: URL, { method, path, headers = {}, body }: Shot): Buffer => {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `host: ${host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
};

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * Length of the whole response at the start of `received`, or undefined until its headers are complete.
 * @throws Error if the status is not 200
 */
const answerLength = (received: Buffer): number | undefined => {
  const end = received.indexOf(HEAD_END);
  if (end === -1) return undefined;
  const head = received.toString('latin1', 0, end).toLowerCase();
  const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
  if (!head.startsWith('http/1.1 200 ') || length === undefined) throw new Error(`answered: ${received.toString()}`);
  return end + HEAD_END.length + Number(length);
};

const shootOn = async (socket: Socket, bytes: Buffer, until: number, latencies: number[]): Promise<void> => {
  let received = Buffer.alloc(0);
  let sentAt = performance.now();
  await new Promise<void>((resolve, reject) => {
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      try {
        const length = answerLength(received);
        if (length === undefined || received.length < length) return;
      } catch (error) {
        return reject(error);
      }
      received = Buffer.alloc(0);
      const now = performance.now();
      latencies.push(now - sentAt);
      if (now >= until) return resolve();
      sentAt = now;
      socket.write(bytes);
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed the connection')));
    socket.write(bytes);
  });
};

/** Sends `shot` repeatedly on each of `connections` for `ms`. Every response must have status 200. */
export const load = async (baseUrl: string, shot: Shot, connections: number, ms: number): Promise<Load> => {
  const url = new URL(baseUrl);
  const bytes = bytesOf(url, shot);
  const latencies: number[] = [];
  const sockets = Array.from({ length: connections }, () =>
    connect({ host: url.hostname, port: Number(url.port), noDelay: true }),
  );
  try {
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const begun = performance.now();
    await Promise.all(sockets.map((socket) => shootOn(socket, bytes, begun + ms, latencies)));
    const count = latencies.length;
    return {
      count,
      perSecond: (count * 1_000) / (performance.now() - begun),
      p99Ms: p99(latencies),
      longestMs: Math.max(...latencies),
    };
  } finally {
    for (const socket of sockets) socket.removeAllListeners('close').destroy();
  }
};

/** Time (ms) of one portion of requests, so that the last portion ends soon after the work. */
const PORTION_MS = 50;

/** The longest response time (ms) of one client that polls the health route until `work` ends. */
export const longestAnswer = async (baseUrl: string, work: () => Promise<unknown>): Promise<number> => {
  let longest = 0;
  let done = false;
  const ask = async (): Promise<void> => {
    while (!done) {
      longest = Math.max(longest, (await load(baseUrl, { method: 'GET', path: '/healthz' }, 1, PORTION_MS)).longestMs);
    }
  };
  const worked = work().finally(() => {
    done = true;
  });
  await Promise.all([worked, ask()]);
  return longest;
};
