// Benchmark: how long the deletion of many records holds up another client.
import { type BenchDaemon, startDaemon } from './daemon.ts';
import { type Outcome, type Sample, sampleOf } from './figures.ts';
import { load, longestAnswer, type Shot } from './load.ts';

const MESSAGES = 10_000;
const CLIENTS = 50;
const ROUNDS = 5;

const fill = async (daemon: BenchDaemon, path: string): Promise<void> => {
  const shot: Shot = {
    method: 'POST',
    path,
    headers: { authorization: `Bearer ${daemon.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ message: 'hello' }),
  };
  let sent = 0;
  // The load is given by time, so it comes in small portions that stay below the limit of the mailbox.
  while (sent < MESSAGES - 1_000) sent += (await load(daemon.baseUrl, shot, CLIENTS, 50)).count;
};

/** Purging a mailbox, and deleting an actor with as many executions. */
export const stalls = async (): Promise<Outcome> => {
  const daemon = await startDaemon();
  const longest = { idle: [] as number[], purge: [] as number[], deletion: [] as number[] };
  try {
    for (let round = -1; round < ROUNDS; round += 1) {
      const { id = '' } = await daemon.call('POST', '/actors/v2', { image: 'nowhere.invalid/nothing:1' });
      const path = `/actors/v2/${id}/messages`;
      await fill(daemon, path);
      const idle = await longestAnswer(daemon.baseUrl, () =>
        load(daemon.baseUrl, { method: 'GET', path: '/healthz' }, 1, 300),
      );
      const purge = await longestAnswer(daemon.baseUrl, () => daemon.call('DELETE', path));
      const deletion = await longestAnswer(daemon.baseUrl, () => daemon.call('DELETE', `/actors/v2/${id}`));
      if (round < 0) continue;
      longest.idle.push(idle);
      longest.purge.push(purge);
      longest.deletion.push(deletion);
    }
  } finally {
    await daemon.stop();
  }
  const idle = sampleOf(longest.idle);
  const row = (what: string, ours: Sample) =>
    ({
      what,
      unit: 'ms',
      ours,
      against: 'without it',
      floor: idle,
      goal: { of: 'figure', atMost: 20 },
    }) as const;
  return [
    row(`longest wait during a purge, ${MESSAGES} messages`, sampleOf(longest.purge)),
    row(`longest wait during a deletion, ${MESSAGES} executions`, sampleOf(longest.deletion)),
  ];
};
