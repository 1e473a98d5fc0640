// Checks after a crash test: every acknowledged message has one final execution, none ran twice, and every log is
// complete.
import { type BuiltDaemon, logsOf, until } from '../daemon/daemon.ts';
import { type Actors, LINES, type Row, rowsOf, type Sent, workOf } from './crash-test.ts';

export interface Counted {
  readonly executions: number;
  readonly complete: number;
  readonly cancelled: number;
  /** Executions that a client halted. */
  readonly halted: number;
  /** Executions that the engine ended. */
  readonly interrupted: number;
  /** All violations, as text. */
  readonly faults: readonly string[];
  /** Executions of the stateful actor that ended without a halt, in the order of their messages. */
  readonly inOrder: readonly string[];
}

/** Waits until no execution is pending or running. */
export const idle = (daemon: BuiltDaemon): Promise<void> =>
  until(async () => {
    const { running, queued } = await workOf(daemon);
    return running === 0 && queued === 0;
  }, 200);

/** The ids of all actors of a crash test. */
export const actorIds = ({ plain, stateful, purged }: Actors): readonly string[] => [...plain, stateful, purged];

/** The executions of these actors that ended without a halt, in the order of their messages. */
export const exitedOf = async (daemon: BuiltDaemon, actors: readonly string[]): Promise<readonly string[]> => {
  const rows = await Promise.all(actors.map((actor) => rowsOf(daemon, actor)));
  return rows.flat().flatMap(({ id, reason }) => (reason === 'exited' ? [id] : []));
};

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

/** Takes all results of an execution. */
const resultsOf = async (daemon: BuiltDaemon, actor: string, id: string): Promise<readonly string[]> => {
  const taken: string[] = [];
  for (;;) {
    const { text } = await daemon.ask('GET', `/actors/v2/${actor}/executions/${id}/results`);
    if (text === '') return taken;
    taken.push(text);
  }
};

/** An execution returned its one result, or none if it was halted before. */
const resultFaults = (results: readonly string[], log: string, { id, reason }: Row): readonly string[] => {
  const expected = `${/^begin \S+ (\S+)$/m.exec(log)?.[1]}\n`;
  const isRight = results.every((each) => each === expected) && results.length <= 1;
  const mayMiss = reason === 'halted';
  return isRight && (mayMiss || results.length === 1) ? [] : [`${id} returned ${JSON.stringify(results)}`];
};

/** The stateful actor's executions are in its state once, in order. Those that were halted may be missing. */
const stateFaults = async (
  daemon: BuiltDaemon,
  actor: string,
  inOrder: readonly string[],
): Promise<readonly string[]> => {
  const { result } = await daemon.ask('GET', `/actors/v2/${actor}/state`);
  const state = result['state'];
  const listed = Array.isArray(state) ? state.map(String) : [];
  const halted = (await rowsOf(daemon, actor)).flatMap(({ id, reason }) => (reason === 'halted' ? [id] : []));
  const others = listed.filter((id) => !halted.includes(id));
  const isOnce = new Set(listed).size === listed.length;
  return isOnce && others.join() === inOrder.join()
    ? []
    : [`the state is ${JSON.stringify(state)}, not ${inOrder.join()}`];
};

export interface CountOptions {
  /** False if executions have no files for a result and a state. */
  readonly hasOutputs: boolean;
  /** Matches the status message of an execution in ERROR that the engine may have ended. */
  readonly interrupted?: RegExp;
}

/** Checks the outcome of every message. `startsOf` returns how often an execution started, as observed outside the daemon. */
export const count = async (
  daemon: BuiltDaemon,
  actors: Actors,
  { acknowledged, unknown }: Sent,
  startsOf: (execution: string) => number,
  { hasOutputs, interrupted }: CountOptions = { hasOutputs: true },
): Promise<Counted> => {
  const faults: string[] = [];
  const tally = { complete: 0, cancelled: 0, halted: 0, interrupted: 0 };
  const found = new Map<string, Row>();
  const messages = new Map<string, string>();
  for (const actor of actorIds(actors)) {
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
      if (hasOutputs && status === 'COMPLETE')
        faults.push(...resultFaults(await resultsOf(daemon, actor, id), log, row));
      if (status === 'CANCELLED') {
        tally.cancelled += 1;
        if (actor !== actors.purged) faults.push(`${id} was cancelled, and nobody purged it`);
        if (starts > 0 || log !== '') faults.push(`${id} was cancelled, and yet it ran`);
      } else if (status !== 'COMPLETE') {
        const { result } = await daemon.ask('GET', `/actors/v2/${actor}/executions/${id}`);
        if (status === 'ERROR' && interrupted?.test(String(result['statusMessage']))) tally.interrupted += 1;
        else faults.push(`${id} is ${status}, and began ${starts} times: ${JSON.stringify(result)}`);
      } else if (reason === 'halted') tally.halted += 1;
      else {
        tally.complete += 1;
        if (starts !== 1) faults.push(`${id} is complete and began ${starts} times`);
        faults.push(...logFaults(log, id));
      }
    }
  }
  for (const [id, { actor, message }] of acknowledged)
    if (!found.has(id)) faults.push(`${id} (${message} to ${actor}) was acknowledged and is lost`);
  const inOrder = await exitedOf(daemon, [actors.stateful]);
  if (hasOutputs) faults.push(...(await stateFaults(daemon, actors.stateful, inOrder)));
  return { executions: found.size, ...tally, faults, inOrder };
};

/** Prints the counts of a crash test. */
export const report = (name: string, kills: number, begun: number, sent: Sent, counted: Counted): void =>
  console.log(
    `${name}: ${kills} kills, ${sent.acknowledged.size} acknowledged, ${sent.unknown.size} unanswered, ${sent.halts} halts, ` +
      `${sent.purges} purges, ${sent.updates} updates; ${counted.executions} executions: ${counted.complete} by themselves, ${counted.halted} halted, ` +
      `${counted.interrupted} interrupted, ${counted.cancelled} cancelled; ${Math.round((performance.now() - begun) / 1000)} s`,
  );

/** The starts of the expected executions, in their order. */
export const onceInOrder = (starts: readonly string[], expected: readonly string[]): readonly string[] =>
  starts.filter((id) => expected.includes(id));
