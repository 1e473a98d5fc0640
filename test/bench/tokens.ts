// Benchmark: tokens by client credentials from the daemon, which stores them durably, compared with a server that keeps
// them in memory.
import { fileURLToPath } from 'node:url';
import { startBare } from './baselines/bare-process.ts';
import { startDaemon } from './daemon.ts';
import { inTurn, type Outcome } from './figures.ts';
import { load, type Shot } from './load.ts';

const ROUNDS = 15;
const ROUND_MS = 300;
const WARM_UPS = 3;
/** The same number as in the measurements that set the goal. */
const CONNECTIONS = 50;

const PROVIDER = fileURLToPath(new URL('./baselines/oidc-provider.ts', import.meta.url));
interface Client {
  readonly id: string;
  readonly secret: string;
}

const shotOf = ({ id, secret }: Client): Shot => ({
  method: 'POST',
  path: '/token',
  headers: {
    authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  },
  body: 'grant_type=client_credentials&scope=PRODUCTION',
});

/** Tokens per second. */
export const tokens = async (): Promise<Outcome> => {
  const daemon = await startDaemon();
  const { id, secret } = daemon.client;
  try {
    const provider = await startBare(PROVIDER, id, secret);
    try {
      const shot = shotOf(daemon.client);
      const side = (baseUrl: string) => async () => (await load(baseUrl, shot, CONNECTIONS, ROUND_MS)).perSecond;
      const sides = { ours: side(daemon.baseUrl), baseline: side(`http://127.0.0.1:${provider.port}`) };
      const of = await inTurn(sides, ROUNDS, WARM_UPS);
      const what = 'tokens, client credentials, durable';
      return [{ what, unit: '/s', ...of, against: 'oidc-provider, in memory', goal: { of: 'ratio', atLeast: 1 } }];
    } finally {
      await provider.stop();
    }
  } finally {
    await daemon.stop();
  }
};
