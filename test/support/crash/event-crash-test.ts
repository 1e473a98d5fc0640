// A crash test of events: a hundred actors, each with a link and a webhook, emit many events while the daemon is killed
// repeatedly.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BuiltDaemon, register, scriptImage } from '../daemon/daemon.ts';
import type { Answer } from '../service/call.ts';

/** One request that a webhook received. */
export interface Arrival {
  readonly path: string;
  /** From its headers. */
  readonly event: number;
  readonly delivery: string;
  /** From its body. */
  readonly actor: string;
  /** Number of concurrent requests to this path, including this one. */
  readonly atOnce: number;
}

export interface EventActors {
  /**
   * Actors whose events the test emits. The webhook of the first one holds its responses until the test releases them.
   */
  readonly emitters: readonly string[];
  /** Actors whose events come from executions that end. */
  readonly runners: readonly string[];
  /**
   * Actors that the emitters link to. They never become ready, so that each message of an event stays in the mailbox
   * and can be counted.
   */
  readonly shelves: readonly string[];
  /** The actor that the runners link to. Each of its executions runs and writes a line into `recorded`. */
  readonly recorder: string;
  readonly recorded: string;
}

const EMITTERS = 90;
const RUNNERS = 10;
const SHELVES = 10;

/** Registers several actors at the same time, because one after the other would take most of the time of a test. */
const registerAll = (daemon: BuiltDaemon, count: number, actor: (at: number) => object): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => register(daemon, { ...actor(at) })));

const hookOf = (at: number): string => ['/held', '/refuse', '/cut', '/slow'][at] ?? '/quick';

/**
 * Registers all actors of the crash test.
 * @param webhook origin of the receiver
 */
export const eventActors = async (daemon: BuiltDaemon, webhook: string): Promise<EventActors> => {
  const recorded = join(daemon.folder, 'recorded');
  const nothing = scriptImage(daemon, 'exit 0');
  // The executions of a stateful actor run one after the other.
  const recorder = await register(daemon, {
    image: scriptImage(daemon, `echo "$_svc_execution_id $actor_id $event_type $execution_id" >> '${recorded}'`),
    stateless: false,
  });
  const shelves = await registerAll(daemon, SHELVES, () => ({ image: 'nowhere.invalid/nothing:1' }));
  const emitters = await registerAll(daemon, EMITTERS, (at) => ({
    image: nothing,
    link: shelves[at % SHELVES],
    webhook: `${webhook}${hookOf(at)}/${at}`,
  }));
  const runners = await registerAll(daemon, RUNNERS, (at) => ({
    image: nothing,
    link: recorder,
    webhook: `${webhook}/quick/${EMITTERS + at}`,
    stateless: false,
  }));
  return { emitters, runners, shelves, recorder, recorded };
};

/** The knowledge of the clients after the crash test. */
export interface Happened {
  /** Event id → its actor and text, for acknowledged events. */
  readonly emitted: ReadonlyMap<string, { readonly actor: string; readonly text: string }>;
  /** Events whose request failed, so that their outcome is unknown. */
  readonly unknown: ReadonlySet<string>;
  /** Execution id → its runner, for acknowledged executions. */
  readonly executions: ReadonlyMap<string, string>;
}

export interface Plan {
  /** Events that the test emits for each emitter except the first. */
  readonly events: number;
  /** Events that the test emits for the first emitter. */
  readonly eventsOfFirst: number;
  /** Messages to each runner. */
  readonly messages: number;
  readonly kills: number;
  readonly random: () => number;
}

const CLIENTS = 16;

/** Kills the daemon and restarts it on another port. */
export const killOnce = async (daemon: BuiltDaemon): Promise<void> => {
  await daemon.kill();
  await daemon.start();
};

/** Repeats a request until its status is 200. Calls `unanswered` for each attempt with an unknown outcome. */
const insist = async (ask: () => Promise<Answer>, unanswered: () => void): Promise<Answer['result']> => {
  for (;;) {
    try {
      const { status, text, result } = await ask();
      if (status === 200) return result;
      if (status !== 503) throw new Error(`answered ${status}: ${text}`);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
      // The connection was refused, so the daemon cannot have accepted the request.
      if (error.code !== 'ECONNREFUSED') unanswered();
    }
    await sleep(20);
  }
};

/**
 * Emits all events and kills the daemon the planned number of times meanwhile. The daemon runs when the promise
 * resolves.
 */
export const runEventCrashTest = async (daemon: BuiltDaemon, actors: EventActors, plan: Plan): Promise<Happened> => {
  const emitted = new Map<string, { actor: string; text: string }>();
  const unknown = new Set<string>();
  const executions = new Map<string, string>();
  const [first = '', ...others] = actors.emitters;
  const total = plan.eventsOfFirst + others.length * plan.events;
  /** The last number used in an event of each emitter. Every attempt uses a new number. */
  const numbers = new Map<string, number>();

  const emitOne = async (actor: string): Promise<void> => {
    let text = '';
    const attempt = (): Promise<Answer> => {
      const number = (numbers.get(actor) ?? 0) + 1;
      numbers.set(actor, number);
      text = `${actor} ${number}`;
      return daemon.ask('POST', `/actors/v2/${actor}/events`, {
        json: { event_type: 'EXECUTION_COMPLETE', status_message: text, exit_code: 0 },
      });
    };
    const { id } = await insist(attempt, () => unknown.add(text));
    emitted.set(String(id), { actor, text });
  };

  const emitter = async (mine: readonly string[], each: number): Promise<void> => {
    for (let n = 0; n < each; n += 1) for (const actor of mine) await emitOne(actor);
  };

  const runner = async (actor: string): Promise<void> => {
    for (let n = 0; n < plan.messages; n += 1) {
      const ask = () =>
        daemon.ask('POST', `/actors/v2/${actor}/messages`, { body: 'go', headers: { 'content-type': 'text/plain' } });
      const { executionId } = await insist(ask, () => undefined);
      executions.set(String(executionId), actor);
    }
  };

  const killer = async (): Promise<void> => {
    for (let kill = 1; kill <= plan.kills; kill += 1) {
      const enough = (total * (kill - 0.5)) / plan.kills;
      while (emitted.size < enough) await sleep(5);
      await sleep(plan.random() * 50);
      await killOnce(daemon);
    }
  };

  await Promise.all([
    killer(),
    emitter([first], plan.eventsOfFirst),
    ...Array.from({ length: CLIENTS }, (_, client) =>
      emitter(
        others.filter((_, at) => at % CLIENTS === client),
        plan.events,
      ),
    ),
    ...actors.runners.map(runner),
  ]);
  return { emitted, unknown, executions };
};
