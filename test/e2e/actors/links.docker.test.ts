// Chains of linked actors: one message runs through all of them, and `why` finds the way back.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type BuiltDaemon,
  builtDaemon,
  logsOf,
  reaches,
  register,
  scriptImage,
  send,
  show,
  until,
} from '../../support/daemon/daemon.ts';
import { program } from '../../support/daemon/home.ts';
import { dockerRequirement, type TestImages, testImages } from '../../support/engine/docker.ts';
import { describeIf } from '../../support/runner/requirements.ts';
import { type Row, rowsOf } from '../../support/storms/kill-storm.ts';

/** Actors that are registered at once. */
const AT_ONCE = 5;
const LONG = { timeout: 300_000 };

/** Each actor prints the event that it received, and its source. */
const SCRIPT = 'echo "$_svc_actor_id got ${event_type:-$MSG} of ${actor_id:-nobody}, execution ${execution_id:-none}"';

/** The parts of the output of `why` that this test reads. */
interface Told {
  readonly kind: string;
  readonly id: string;
  readonly led_to: readonly Told[];
}

describeIf(await dockerRequirement(), 'linked actors', () => {
  let daemon: BuiltDaemon;
  let images: TestImages;
  let token: string;
  beforeAll(async () => {
    images = testImages();
    daemon = builtDaemon({ env: { ACTORCTL_MAX_WORKERS: '1' } });
    await daemon.start();
    token = await daemon.admit();
  });
  afterAll(async () => {
    await daemon.remove();
    await images.remove();
  }, 120_000);

  // A container for each actor, with its own network, costs a hundred times as much as a process.
  it.each([
    [50, 'processes', async () => scriptImage(daemon, SCRIPT)],
    [10, 'containers', () => images.script(SCRIPT)],
  ] as const)(
    'a chain of %i %s carries one message to its end, and the causes lead back to its beginning',
    LONG,
    async (actors, _, made) => {
      const image = await made();
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
          at === 0
            ? 'go of nobody, execution none'
            : `EXECUTION_COMPLETE of ${chain[at - 1]}, execution ${back[at - 1]}`;
        expect(await logsOf(daemon, each, back[at] ?? '')).toBe(`${each} got ${came}\n`);
      }
      // The command tells the same chain, from the message down.
      const home = { ACTORCTL_HOME: daemon.folder, ACTORCTL_TOKEN: token, NO_COLOR: '1' };
      const { stdout } = await promisify(execFile)(process.execPath, [program, 'why', back.at(-1) ?? '', '--json'], {
        env: { ...process.env, ...home },
      });
      const told: string[] = [];
      for (let at: Told | undefined = JSON.parse(stdout) as Told; at !== undefined; at = at.led_to[0])
        if (at.kind === 'execution') told.push(at.id);
      expect(told).toEqual(back);
    },
  );
});
