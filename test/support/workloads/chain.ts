// A chain of linked actors: one message runs through all of them, and `why` finds the way back.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { type Row, rowsOf } from '../crash/crash-test.ts';
import { type BuiltDaemon, logsOf, reaches, register, send, show, until } from '../daemon/daemon.ts';
import { program } from '../daemon/home.ts';

/** Actors that are registered at once. */
const AT_ONCE = 5;

/** An execution and its actor. */
export interface Ran {
  readonly actor: string;
  readonly execution: string;
}

/** The script of each actor: prints the event that it received, and its source. */
export const CHAIN_LINK =
  'echo "$_svc_actor_id got ${event_type:-$MSG} of ${actor_id:-nobody}, execution ${execution_id:-none}"';

/** The parts of the output of `why` that are read here. */
interface Chain {
  readonly kind: string;
  readonly id: string;
  readonly led_to: readonly Chain[];
}

/**
 * Registers a chain of so many actors, sends one message to the first, and checks that each ran once and that the causes
 * lead back to the beginning. Returns the executions in the order of the chain.
 * @param token of a person, for the command line
 */
export const runChain = async (
  daemon: BuiltDaemon,
  token: string,
  image: string,
  actors: number,
): Promise<readonly Ran[]> => {
  const chain: string[] = [];
  for (let from = 0; from < actors; from += AT_ONCE)
    chain.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => register(daemon, { image })))));
  for (const actor of chain) await until(async () => (await show(daemon, actor))['status'] === 'READY', 100);
  // The links are set after all actors are READY, so that no ACTOR_READY event starts an execution.
  for (const [at, actor] of chain.slice(0, -1).entries()) {
    const { status, text } = await daemon.ask('PUT', `/actors/v2/${actor}`, {
      json: { image, link: chain[at + 1] },
    });
    expect([status, text]).toEqual([200, expect.any(String)]);
  }
  const [first = ''] = chain;
  const last = chain.at(-1) ?? '';
  for (const actor of chain) await until(async () => (await show(daemon, actor))['status'] === 'READY', 100);

  const sent = await send(daemon, first, { body: 'go' });
  await until(async () => (await rowsOf(daemon, last)).length > 0, 200);
  const [arrived] = await rowsOf(daemon, last);
  await reaches(daemon, last, arrived?.id ?? '');

  // Each ran once.
  const ran: Row[][] = [];
  for (const actor of chain) ran.push([...(await rowsOf(daemon, actor))]);
  expect(ran.map((rows) => rows.map(({ status }) => status))).toEqual(chain.map(() => ['COMPLETE']));

  // Back from the last one: execution → event → the execution whose end it was.
  const back: string[] = [];
  let actor = last;
  let execution = arrived?.id ?? '';
  for (;;) {
    back.unshift(execution);
    const { causedBy } = (await show(daemon, actor, execution)) as { causedBy?: { event?: string } };
    if (causedBy?.event === undefined) break;
    const { result } = await daemon.ask('GET', `/actors/v2/events/${causedBy.event}`);
    expect(result).toMatchObject({
      event_type: 'EXECUTION_COMPLETE',
      _svc_link: actor,
      exit_code: 0,
      deliveries: { link: execution, webhook: null },
    });
    actor = String(result['actor_id']);
    execution = String(result['execution_id']);
  }
  expect(back).toHaveLength(actors);
  expect(back).toEqual(ran.map(([row]) => row?.id));
  expect(back[0]).toBe(sent);
  for (const [at, each] of chain.entries()) {
    const came =
      at === 0 ? 'go of nobody, execution none' : `EXECUTION_COMPLETE of ${chain[at - 1]}, execution ${back[at - 1]}`;
    expect(await logsOf(daemon, each, back[at] ?? '')).toBe(`${each} got ${came}\n`);
  }
  // The command prints the same chain, from the message down.
  const home = { ACTORCTL_HOME: daemon.folder, ACTORCTL_TOKEN: token, NO_COLOR: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'why', back.at(-1) ?? '', '--json'], {
    env: { ...process.env, ...home },
  });
  const ids: string[] = [];
  for (let at: Chain | undefined = JSON.parse(stdout) as Chain; at !== undefined; at = at.led_to[0])
    if (at.kind === 'execution') ids.push(at.id);
  expect(ids).toEqual(back);
  return chain.map((actor, at) => ({ actor, execution: back[at] ?? '' }));
};
