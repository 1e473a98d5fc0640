// A daemon under load that is killed again and again, and the count afterwards: nothing acknowledged lost, nothing run twice.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BuiltDaemon, logsOf, register, until } from './daemon.ts';

/** Numbers from 0 to 1 that come again with the same seed. */
export const dice = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** From ACTORCTL_TEST_SEED, or a new one; the test prints it. */
export const seedOf = (env: NodeJS.ProcessEnv): number =>
  Number(env['ACTORCTL_TEST_SEED'] ?? randomBytes(4).readUInt32LE());

/** Lines between begin and end: a log that lost any of them is not whole. */
const LINES = 12;

/** What each actor of the storm runs: marks its beginning with a number made inside, says what it got, writes lines, marks its end. */
export const stormScript = (markStart = ''): string =>
  [
    'r=$(cat /proc/sys/kernel/random/uuid)',
    markStart,
    'echo "begin $_svc_execution_id $r"',
    'if [ -n "$MSG_FILE" ]; then m=$(head -n 1 "$MSG_FILE"); else m=$(echo "$MSG" | head -n 1); fi',
    'echo "got $m"',
    `i=0; while [ $i -lt ${LINES} ]; do echo "line $i"; i=$((i+1)); done`,
    `sleep "0.\${m##*-}"`,
    'echo "end $_svc_execution_id $r"',
  ]
    .filter((line) => line !== '')
    .join('\n');

interface Row {
  readonly id: string;
  readonly status: string;
  readonly reason?: string;
}

const rowsOf = async (daemon: BuiltDaemon, actor: string): Promise<readonly Row[]> =>
  (await daemon.ask('GET', `/actors/v2/${actor}/executions`)).result['executions'] as Row[];

export interface Storm {
  readonly kills: number;
  readonly clients: number;
  readonly random: () => number;
  /** Longest life of a daemon, in ms; the shortest ends it during its start. */
  readonly lifeMs: number;
  /** Longest pause of a client between two messages, in ms. */
  readonly pauseMs: number;
}

export interface Actors {
  readonly plain: readonly string[];
  readonly stateful: string;
  /** The only one whose messages are purged. */
  readonly purged: string;
}

/** What the clients know when the storm is over. */
export interface Sent {
  /** Execution → the message that was acknowledged with it. */
  readonly acknowledged: ReadonlyMap<string, { readonly actor: string; readonly message: string }>;
  /** Messages whose request failed, so that nobody knows. */
  readonly unknown: ReadonlySet<string>;
  readonly halts: number;
  readonly purges: number;
}

export const stormActors = async (daemon: BuiltDaemon, image: string): Promise<Actors> => ({
  plain: [
    await register(daemon, { image }),
    await register(daemon, { image, token: true, maxWorkers: 2 }),
    await register(daemon, { image }),
  ],
  stateful: await register(daemon, { image, stateless: false }),
  purged: await register(daemon, { image, maxWorkers: 1 }),
});

/** Drives load and kills until all kills are done; the daemon runs when it resolves. */
export const storm = async (daemon: BuiltDaemon, actors: Actors, plan: Storm): Promise<Sent> => {
  const { random } = plan;
  const all = [...actors.plain, actors.stateful, actors.purged];
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const acknowledged = new Map<string, { actor: string; message: string }>();
  const unknown = new Set<string>();
  let halts = 0;
  let purges = 0;
  let over = false;

  const client = async (name: number): Promise<void> => {
    for (let n = 0; !over; n += 1) {
      const actor = n % 3 === 0 ? actors.stateful : pick(all);
      const tail = random() < 0.1 ? `\n${'x'.repeat(150_000)}` : '';
      for (let attempt = 0, taken = false; !taken && !over; attempt += 1) {
        // The last figure is how long the run sleeps: 50 to 300 ms.
        const message = `m-${name}-${n}-${attempt}-${String(Math.floor(50 + random() * 250)).padStart(3, '0')}`;
        try {
          const answer = await daemon.ask('POST', `/actors/v2/${actor}/messages`, {
            body: message + tail,
            headers: { 'content-type': 'text/plain' },
          });
          if (answer.status === 200) {
            acknowledged.set(String(answer.result['executionId']), { actor, message });
            taken = true;
          } else if (answer.status !== 503) throw new Error(`a message was answered ${answer.status} ${answer.text}`);
        } catch (error) {
          if (!(error instanceof Error && 'code' in error)) throw error;
          unknown.add(message);
          await sleep(20);
        }
      }
      await sleep(random() * plan.pauseMs);
    }
  };

  const meddler = async (): Promise<void> => {
    while (!over) {
      await sleep(100 + random() * 400);
      try {
        if (random() < 0.9) {
          const actor = pick(all);
          const running = (await rowsOf(daemon, actor)).find(({ status }) => status === 'RUNNING');
          if (running === undefined) continue;
          const { status } = await daemon.ask('DELETE', `/actors/v2/${actor}/executions/${running.id}`);
          if (status === 200) halts += 1;
        } else {
          const { status } = await daemon.ask('DELETE', `/actors/v2/${actors.purged}/messages`);
          if (status === 200) purges += 1;
        }
      } catch (error) {
        if (!(error instanceof Error && 'code' in error)) throw error;
      }
    }
  };

  const killer = async (): Promise<void> => {
    for (let kill = 0; kill < plan.kills; kill += 1) {
      await sleep(random() * plan.lifeMs);
      await daemon.kill();
      const starting = daemon.start();
      // One in five dies while it starts: recovery must bear that too.
      if (random() < 0.2) {
        kill += 1;
        await sleep(random() * 400);
        await daemon.kill();
        await starting.catch(() => undefined);
        await daemon.start();
      } else await starting;
    }
    over = true;
  };

  const clients = Array.from({ length: plan.clients }, (_, name) => client(name));
  await Promise.all([killer().finally(() => (over = true)), meddler(), ...clients]);
  return { acknowledged, unknown, halts, purges };
};

export interface Counted {
  readonly executions: number;
  readonly complete: number;
  readonly cancelled: number;
  /** Started, and then lost from the caller's sight. */
  readonly halted: number;
  /** Everything that does not hold, in words. */
  readonly faults: readonly string[];
  /** Executions of the stateful actor that ended by themselves, in the order of their messages. */
  readonly inOrder: readonly string[];
}

/** Waits until nothing waits and nothing runs. */
export const idle = (daemon: BuiltDaemon): Promise<void> =>
  until(async () => {
    const { counts } = (await daemon.manage('GET', '/manage/status')) as {
      counts: { executions: { running: number; queued: number } };
    };
    return counts.executions.running === 0 && counts.executions.queued === 0;
  }, 200);

const logFaults = (log: string, id: string): readonly string[] => {
  const lines = log.split('\n');
  const [begin = ''] = lines;
  const expected = [
    begin,
    lines[1] ?? '',
    ...Array.from({ length: LINES }, (_, n) => `line ${n}`),
    begin.replace('begin', 'end'),
    '',
  ];
  const whole = begin.startsWith(`begin ${id} `) && expected.join('\n') === log;
  return whole ? [] : [`the log of ${id} is not whole: ${JSON.stringify(log)}`];
};

/** Counts what became of every message. `startsOf`: how often a run began, as something outside of the daemon saw it. */
export const count = async (
  daemon: BuiltDaemon,
  actors: Actors,
  { acknowledged, unknown }: Sent,
  startsOf: (execution: string) => number,
): Promise<Counted> => {
  const faults: string[] = [];
  const tally = { complete: 0, cancelled: 0, halted: 0 };
  const found = new Map<string, Row>();
  const messages = new Map<string, string>();
  for (const actor of [...actors.plain, actors.stateful, actors.purged]) {
    for (const row of await rowsOf(daemon, actor)) {
      const { id, status, reason } = row;
      if (found.has(id)) faults.push(`${id} is listed twice`);
      found.set(id, row);
      const starts = startsOf(id);
      if (starts > 1) faults.push(`${id} began ${starts} times`);
      const log = await logsOf(daemon, actor, id);
      const begins = log.split('\n').filter((line) => line.startsWith('begin ')).length;
      if (begins > 1) faults.push(`the log of ${id} has ${begins} beginnings`);
      const [, message] = /^got (.*)$/m.exec(log) ?? [];
      if (message !== undefined) {
        if (messages.has(message)) faults.push(`${message} ran as ${messages.get(message)} and as ${id}`);
        messages.set(message, id);
        const known = acknowledged.get(id);
        if (known === undefined ? !unknown.has(message) : known.message !== message)
          faults.push(`${id} got ${message}, which is not what was sent`);
      }
      if (status === 'CANCELLED') {
        tally.cancelled += 1;
        if (actor !== actors.purged) faults.push(`${id} was cancelled, and nobody purged it`);
        if (starts > 0 || log !== '') faults.push(`${id} was cancelled, and yet it ran`);
      } else if (status !== 'COMPLETE') faults.push(`${id} is ${status}: ${JSON.stringify(row)}`);
      else if (reason === 'halted') tally.halted += 1;
      else {
        tally.complete += 1;
        if (starts !== 1) faults.push(`${id} is complete and began ${starts} times`);
        faults.push(...logFaults(log, id));
      }
    }
  }
  for (const [id, { actor, message }] of acknowledged)
    if (!found.has(id)) faults.push(`${id} (${message} to ${actor}) was acknowledged and is lost`);
  const inOrder = (await rowsOf(daemon, actors.stateful))
    .filter(({ reason }) => reason === 'exited')
    .map(({ id }) => id);
  return { executions: found.size, ...tally, faults, inOrder };
};
