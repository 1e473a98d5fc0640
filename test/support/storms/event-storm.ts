// A hundred actors to which much happens at once, each with a link and a webhook, while the daemon is killed again and again.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BuiltDaemon, register, scriptImage } from '../daemon/daemon.ts';
import type { Answer } from '../service/call.ts';

/** One request that a webhook received. */
export interface Arrival {
  readonly path: string;
  /** As its headers name them. */
  readonly event: number;
  readonly delivery: string;
  /** As its body names it. */
  readonly actor: string;
  /** Requests of this path under way, itself included. */
  readonly atOnce: number;
}

export interface EventActors {
  /** Their events are emitted by hand; the first has a webhook that answers only when it is let go. */
  readonly emitters: readonly string[];
  /** Their events are the ends of executions that really ran. */
  readonly runners: readonly string[];
  /** Linked by the emitters; they never become ready, so that each message that an event becomes stays where it can be counted. */
  readonly shelves: readonly string[];
  /** Linked by the runners; its executions really run, and each writes a line into `recorded`. */
  readonly recorder: string;
  readonly recorded: string;
}

const EMITTERS = 90;
const RUNNERS = 10;
const SHELVES = 10;

/** Several at once: one after the other is most of the time of a test. */
const registerAll = (daemon: BuiltDaemon, count: number, actor: (at: number) => object): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => register(daemon, { ...actor(at) })));

const hookOf = (at: number): string => ['/held', '/refuse', '/cut', '/slow'][at] ?? '/quick';

/** Registers them all. @param webhook origin of the receiver */
export const eventActors = async (daemon: BuiltDaemon, webhook: string): Promise<EventActors> => {
  const recorded = join(daemon.folder, 'recorded');
  const nothing = scriptImage(daemon, 'exit 0');
  // Stateful ones run one after the other.
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

/** What the clients know when the storm is over. */
export interface Happened {
  /** Event → what was acknowledged with it. */
  readonly emitted: ReadonlyMap<string, { readonly actor: string; readonly text: string }>;
  /** Events whose request failed, so that nobody knows. */
  readonly unknown: ReadonlySet<string>;
  /** Execution of a runner → the runner; those that were acknowledged. */
  readonly executions: ReadonlyMap<string, string>;
}

export interface Plan {
  /** By hand, of each emitter but the first. */
  readonly events: number;
  /** By hand, of the first. */
  readonly eventsOfFirst: number;
  /** Messages to each runner. */
  readonly messages: number;
  readonly kills: number;
  readonly random: () => number;
}

const CLIENTS = 16;

/** Kills it and starts it again, at another port. */
export const killOnce = async (daemon: BuiltDaemon): Promise<void> => {
  await daemon.kill();
  await daemon.start();
};

/** Asks until the answer is 200; `unanswered` hears of each request of which nobody knows whether it was taken. */
const insist = async (ask: () => Promise<Answer>, unanswered: () => void): Promise<Answer['result']> => {
  for (;;) {
    try {
      const { status, text, result } = await ask();
      if (status === 200) return result;
      if (status !== 503) throw new Error(`answered ${status}: ${text}`);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
      // Nobody listened: that one cannot have been taken.
      if (error.code !== 'ECONNREFUSED') unanswered();
    }
    await sleep(20);
  }
};

/** Makes all happen, and kills the daemon as often as planned on the way; it runs when it resolves. */
export const eventStorm = async (daemon: BuiltDaemon, actors: EventActors, plan: Plan): Promise<Happened> => {
  const emitted = new Map<string, { actor: string; text: string }>();
  const unknown = new Set<string>();
  const executions = new Map<string, string>();
  const [first = '', ...others] = actors.emitters;
  const total = plan.eventsOfFirst + others.length * plan.events;
  /** Of each emitter the last number that went into an event; no attempt has that of another. */
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
