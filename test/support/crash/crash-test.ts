// A daemon under load that is killed repeatedly: actors, clients that send continuously, halts and purges.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BuiltDaemon, register } from '../daemon/daemon.ts';

/** Pseudo-random numbers from 0 to 1, the same for the same seed. */
export const dice = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** The seed in ACTORCTL_TEST_SEED, or a new one. The test prints it. */
export const seedOf = (env: NodeJS.ProcessEnv): number =>
  Number(env['ACTORCTL_TEST_SEED'] ?? randomBytes(4).readUInt32LE());

/** Number of lines between begin and end. A log without all of them is incomplete. */
export const LINES = 12;

/** A command that succeeds as soon as the API responds to the execution. */
export const REACH_API = `until busybox wget -q -O /dev/null --header "Authorization: Bearer $_svc_access_token" \\
  "$_svc_api_server/actors/v2/$_svc_actor_id" 2> /dev/null; do sleep 0.1; done`;

/**
 * The script of each actor in the crash test: it marks its start with a random number, prints its message, writes
 * lines, returns the number as its result and adds itself to the state where it has files for them, and marks its end.
 * Stateful actors, and those with a token, also run `withToken`.
 */
export const crashScript = (markStart = '', withToken = '', markEnd = ''): string =>
  [
    'r=$(cat /proc/sys/kernel/random/uuid)',
    markStart,
    'echo "begin $_svc_execution_id $r"',
    'if [ -n "$MSG_FILE" ]; then m=$(head -n 1 "$MSG_FILE"); else m=$(echo "$MSG" | head -n 1); fi',
    'echo "got $m"',
    `i=0; while [ $i -lt ${LINES} ]; do echo "line $i"; i=$((i+1)); done`,
    `sleep "0.\${m##*-}"`,
    withToken && `if [ -n "$_svc_access_token" ]; then ${withToken}; fi`,
    'if [ -n "$_svc_result_file" ]; then echo "$r" > "$_svc_result_file"; fi',
    // The state is the list of the executions that wrote it.
    'if [ -n "$_svc_state_file" ]; then s=$(cat "$_svc_state_file"); [ "$s" = "{}" ] && s="[" || s="${s%]},"',
    'echo "$s\\"$_svc_execution_id\\"]" > "$_svc_state_file"; fi',
    'echo "end $_svc_execution_id $r"',
    markEnd,
  ]
    .filter((line) => line !== '')
    .join('\n');

export interface Row {
  readonly id: string;
  readonly status: string;
  readonly reason?: string;
}

/** @throws Error with a `code`, as for a broken connection, while the daemon starts */
export const rowsOf = async (daemon: BuiltDaemon, actor: string): Promise<readonly Row[]> => {
  const { status, text, result } = await daemon.ask('GET', `/actors/v2/${actor}/executions`);
  if (status === 503) throw Object.assign(new Error(text), { code: status });
  return result['executions'] as Row[];
};

export const workOf = async (daemon: BuiltDaemon): Promise<{ readonly running: number; readonly queued: number }> => {
  const { counts } = (await daemon.manage('daemon.status')) as {
    counts: { executions: { running: number; queued: number } };
  };
  return counts.executions;
};

/** Maximum number of pending messages. A longer queue proves nothing more, and takes time to process. */
const ENOUGH_QUEUED = 20;

export interface CrashPlan {
  readonly kills: number;
  readonly clients: number;
  readonly random: () => number;
  /** Maximum life of a daemon, in ms. The shortest lives end during its start. */
  readonly lifeMs: number;
  /** Kills something and resolves when it runs again. Default: the daemon. */
  readonly strike?: () => Promise<void>;
  /** Maximum pause of a client between two messages, in ms. */
  readonly pauseMs: number;
}

export interface Actors {
  readonly image: string;
  readonly plain: readonly string[];
  readonly stateful: string;
  /** The only actor whose messages are purged. */
  readonly purged: string;
}

/** The knowledge of the clients after the crash test. */
export interface Sent {
  /** Execution id → its actor and message, for acknowledged messages. */
  readonly acknowledged: ReadonlyMap<string, { readonly actor: string; readonly message: string }>;
  /** Messages whose request failed, so that their outcome is unknown. */
  readonly unknown: ReadonlySet<string>;
  readonly halts: number;
  readonly purges: number;
  readonly updates: number;
}

export const crashActors = async (daemon: BuiltDaemon, image: string): Promise<Actors> => ({
  image,
  plain: [
    await register(daemon, { image }),
    await register(daemon, { image, token: true, maxWorkers: 2 }),
    await register(daemon, { image }),
  ],
  stateful: await register(daemon, { image, stateless: false }),
  purged: await register(daemon, { image, maxWorkers: 1 }),
});

/** Runs the load until all kills are done. The daemon runs when the promise resolves. */
export const runCrashTest = async (daemon: BuiltDaemon, actors: Actors, plan: CrashPlan): Promise<Sent> => {
  const { random } = plan;
  const all = [...actors.plain, actors.stateful, actors.purged];
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const acknowledged = new Map<string, { actor: string; message: string }>();
  const unknown = new Set<string>();
  let halts = 0;
  let purges = 0;
  let updates = 0;
  let over = false;

  const client = async (name: number): Promise<void> => {
    for (let n = 0; !over; n += 1) {
      const { queued } = await workOf(daemon).catch(() => ({ queued: 0 }));
      if (queued > ENOUGH_QUEUED) {
        await sleep(50);
        continue;
      }
      const actor = n % 3 === 0 ? actors.stateful : pick(all);
      const tail = random() < 0.1 ? `\n${'x'.repeat(150_000)}` : '';
      for (let attempt = 0, taken = false; !taken && !over; attempt += 1) {
        // The last number is the sleep time of the run: 50 to 300 ms.
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
          // The connection was refused, so the daemon cannot have accepted the message.
          if (error.code !== 'ECONNREFUSED') unknown.add(message);
          await sleep(50);
        }
      }
      await sleep(random() * plan.pauseMs);
    }
  };

  const meddler = async (): Promise<void> => {
    while (!over) {
      await sleep(100 + random() * 400);
      try {
        const what = random();
        if (what < 0.1) {
          // Creates a new revision: workers end, running executions continue, and pending ones run on the new revision.
          const { status } = await daemon.ask('PUT', `/actors/v2/${actors.plain[0]}`, {
            json: { image: actors.image, force: true },
          });
          if (status === 200) updates += 1;
        } else if (what < 0.9) {
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
    for (let kill = 0; kill < plan.kills && !over; kill += 1) {
      await sleep(random() * plan.lifeMs);
      if (plan.strike !== undefined) {
        await plan.strike();
        continue;
      }
      await daemon.kill();
      const starting = daemon.start();
      // One kill in five happens during the start, because recovery must survive that too.
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
  const parts = [killer(), meddler(), ...clients].map((part) => part.finally(() => (over = true)));
  // The next test may use the same daemon, so all end before one of them fails the test.
  await Promise.allSettled(parts);
  await Promise.all(parts);
  return { acknowledged, unknown, halts, purges, updates };
};
