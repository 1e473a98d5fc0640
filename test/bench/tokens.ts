// Benchmark: tokens by client_credentials from the daemon, which stores them durably, compared with two third-party
// servers that keep them in memory.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { plainEnvironment, startDaemon } from './daemon.ts';
import { inTurn, type Outcome, type Row, type Sample, sampleOf } from './figures.ts';
import { load, type Shot } from './load.ts';

const ROUNDS = 15;
const ROUND_MS = 300;
const WARM_UPS = 3;
/** The same number as in the measurements that set the goal. */
const CONNECTIONS = 50;

const PROCESS = fileURLToPath(new URL('./floors/token-server-process.ts', import.meta.url));
const OTHERS = ['oidc-provider', '@node-oauth/oauth2-server'] as const;

interface TokenServer {
  readonly name: (typeof OTHERS)[number];
  readonly baseUrl: string;
  stop(): Promise<void>;
}

interface Client {
  readonly id: string;
  readonly secret: string;
}

/** Starts the third-party server with the same client, in its own process. */
const startOther = async (name: TokenServer['name'], { id, secret }: Client): Promise<TokenServer> => {
  const child = spawn(process.execPath, ['--import', 'tsx', PROCESS, name, id, secret], {
    env: plainEnvironment(),
    // Hides the start messages of the server, because they would break the table.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const gone = once(child, 'exit');
  const failed = gone.then(([code]) => Promise.reject(new Error(`${name} ended with ${code} and does not listen`)));
  const [port] = (await Promise.race([once(child, 'message'), failed])) as [number];
  // From here on the benchmark itself ends the process, so its exit is expected.
  failed.catch(() => undefined);
  return {
    name,
    baseUrl: `http://127.0.0.1:${port}`,
    stop: async () => {
      child.disconnect();
      await gone;
    },
  };
};

const shotOf = ({ id, secret }: Client): Shot => ({
  method: 'POST',
  path: '/token',
  headers: {
    authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  },
  body: 'grant_type=client_credentials&scope=PRODUCTION',
});

const WHAT = 'tokens, client_credentials, durable';

type Name = 'ours' | (typeof OTHERS)[number];

const rowsOf = (rates: Readonly<Record<Name, Sample>>, p99Of: (name: Name) => Sample): readonly Row[] =>
  OTHERS.flatMap((name): readonly Row[] => {
    const against = `${name}, in memory`;
    const goal = { of: 'ratio', atLeast: 1 } as const;
    return [
      { what: WHAT, unit: '/s', ours: rates.ours, against, floor: rates[name], goal },
      { what: `${WHAT}, p99`, unit: 'ms', ours: p99Of('ours'), against, floor: p99Of(name) },
    ];
  });

/** Tokens per second, and the 99th percentile of their latency. */
export const tokens = async (): Promise<Outcome> => {
  const daemon = await startDaemon();
  const others: TokenServer[] = [];
  try {
    for (const name of OTHERS) others.push(await startOther(name, daemon.client));
    const shot = shotOf(daemon.client);
    const p99s: Record<Name, number[]> = { ours: [], 'oidc-provider': [], '@node-oauth/oauth2-server': [] };
    const side = (name: Name) => async (): Promise<number> => {
      const baseUrl = others.find((other) => other.name === name)?.baseUrl ?? daemon.baseUrl;
      const { perSecond, p99Ms } = await load(baseUrl, shot, CONNECTIONS, ROUND_MS);
      p99s[name].push(p99Ms);
      return perSecond;
    };
    const sides = {
      ours: side('ours'),
      'oidc-provider': side('oidc-provider'),
      '@node-oauth/oauth2-server': side('@node-oauth/oauth2-server'),
    };
    const rates = await inTurn(sides, ROUNDS, WARM_UPS);
    return rowsOf(rates, (name) => sampleOf(p99s[name].slice(WARM_UPS)));
  } finally {
    for (const other of others) await other.stop();
    await daemon.stop();
  }
};
