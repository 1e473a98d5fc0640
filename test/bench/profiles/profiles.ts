// Benchmark: where the processor time of the daemon goes under load. It has no floor. It shows in which parts of the
// daemon the other rows spend their time.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { dockerRequirement, testImages } from '../../support/engine/docker.ts';
import { type BenchDaemon, startDaemon, temporaryHome } from '../daemon.ts';
import { type Outcome, perSecond } from '../figures.ts';
import { type GrowthHome, growthHome, keepsEverything } from '../growth/home.ts';
import { idleActors } from '../idle-actors.ts';
import { load, type Shot } from '../load.ts';
import { openTails } from '../tails.ts';
import { startSink } from '../webhook-sink.ts';
import { commandProfiles } from './command-profile.ts';
import { loadProfile } from './load-profile.ts';
import { mapDaemon } from './mapped-daemon.ts';
import { profileIn, profiling } from './profile-file.ts';
import { ownSentence, type SourceOf, sharesOf, sharesTable } from './shares.ts';
import { turnsProfile } from './turns-profile.ts';

/** Time (ms) of load before and during the profile. */
const WARM_MS = 2_000;
const MEASURED_MS = 4_000;
const MANY = 64;
const READERS = 100;
/** Messages that always wait for a container. */
const WAITING = 8;
/** Events of each actor whose delivery is measured. */
const EACH = 100;
/** Stored executions of a search, and how many of them really ran. */
const STORED = 20_000;
const REAL = 100;

interface Scenario {
  readonly title: string;
  readonly what: string;
  /** Settings of the daemon. */
  readonly environment?: NodeJS.ProcessEnv;
  /** The data that the daemon starts with. */
  readonly home?: () => Promise<GrowthHome>;
  /** Resolves with undefined if this machine has no container engine. `undo` receives what removes the prepared things, also when the preparation fails. */
  readonly prepare: (daemon: BenchDaemon, undo: (step: () => unknown) => void) => Promise<ScenarioLoad | undefined>;
}

interface ScenarioLoad {
  readonly warm: () => Promise<unknown>;
  /** Resolves with the number of requests, or of what one request goes through. */
  readonly run: () => Promise<number>;
}

const post = ({ token }: BenchDaemon, where: string, body: unknown): Shot => ({
  method: 'POST',
  path: where,
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

const EVENT = { event_type: 'EXECUTION_COMPLETE', exit_code: 0 };

/** Executions of an actor, `most` at a time. */
const executions = (daemon: BenchDaemon, actorId: string, most: number): ScenarioLoad => {
  const run = async (ms: number): Promise<number> => {
    let count = 0;
    await perSecond(most, ms, async () => {
      await daemon.execute(actorId);
      count += 1;
    });
    return count;
  };
  return { warm: () => run(WARM_MS), run: () => run(MEASURED_MS) };
};

const scenarios: readonly Scenario[] = [
  {
    title: 'Events',
    what: `${MANY} clients emit events of one actor; nobody listens`,
    async prepare(daemon, undo) {
      const actors = idleActors(daemon);
      undo(actors.remove);
      const shot = post(daemon, `/actors/v2/${await actors.add()}/events`, EVENT);
      const emit = async (ms: number) => (await load(daemon.baseUrl, shot, MANY, ms)).count;
      return { warm: () => emit(WARM_MS), run: () => emit(MEASURED_MS) };
    },
  },
  {
    title: 'Events with readers',
    what: `as above, with ${READERS} clients that read all events`,
    async prepare(daemon, undo) {
      const actors = idleActors(daemon);
      undo(actors.remove);
      const shot = post(daemon, `/actors/v2/${await actors.add()}/events`, EVENT);
      const tails = await openTails(daemon.baseUrl, `Bearer ${daemon.token}`, READERS);
      undo(tails.close);
      const emit = async (ms: number): Promise<number> => {
        const { count } = await load(daemon.baseUrl, shot, MANY, ms);
        await tails.more(count);
        return count;
      };
      return { warm: () => emit(WARM_MS), run: () => emit(MEASURED_MS) };
    },
  },
  {
    title: 'Messages',
    what: 'one client sends messages to an actor that does not run, one after the other',
    async prepare(daemon) {
      const { id = '' } = await daemon.call('POST', '/actors/v2', { image: 'nowhere.invalid/nothing:1' });
      const shot = post(daemon, `/actors/v2/${id}/messages`, { message: 'hello' });
      const send = async (ms: number) => (await load(daemon.baseUrl, shot, 1, ms)).count;
      return { warm: () => send(WARM_MS), run: () => send(MEASURED_MS) };
    },
  },
  {
    title: 'Webhooks',
    what: `events that wait for ${MANY} webhooks are delivered`,
    async prepare(daemon, undo) {
      const sink = await startSink();
      undo(sink.close);
      const actors = idleActors(daemon);
      undo(actors.remove);
      const ids: string[] = [];
      while (ids.length < MANY) ids.push(await actors.add(sink.url));
      const emit = async (): Promise<() => Promise<number>> => {
        sink.hold();
        const all = sink.more(MANY * EACH);
        for (let round = 0; round < EACH; round += 1)
          await Promise.all(ids.map((id) => daemon.call('POST', `/actors/v2/${id}/events`, EVENT)));
        return async () => {
          sink.flow();
          await all;
          return MANY * EACH;
        };
      };
      let deliver = await emit();
      return {
        warm: async () => {
          await deliver();
          deliver = await emit();
        },
        run: () => deliver(),
      };
    },
  },
  {
    title: 'Searches by text',
    what: `one client searches ${STORED} stored executions for a text, one search after the other; the figures are for each execution`,
    environment: keepsEverything,
    home: () => growthHome(STORED, REAL),
    async prepare(daemon) {
      const search = () => daemon.call('GET', '/actors/v2/search/executions?exactsearch=nowhere&limit=100');
      return {
        warm: search,
        run: async () => {
          let count = 0;
          await perSecond(1, MEASURED_MS, async () => {
            await search();
            count += STORED;
          });
          return count;
        },
      };
    },
  },
  {
    title: 'Executions of processes',
    what: 'one `file:` actor with one line of sh, one execution after the other',
    async prepare(daemon, undo) {
      const home = temporaryHome();
      undo(home.remove);
      writeFileSync(path.join(home.folder, 'actor.json'), JSON.stringify({ command: ['sh', '-c', 'echo got it'] }));
      const { id = '' } = await daemon.call('POST', '/actors/v2', { image: `file://${home.folder}` });
      await daemon.until(id, 'READY');
      return executions(daemon, id, 1);
    },
  },
  {
    title: 'Executions in containers',
    what: `${WAITING} messages of one stateless actor always wait; the container prints one line`,
    environment: { ACTORCTL_MAX_WORKERS: String(WAITING) },
    async prepare(daemon, undo) {
      if (!(await dockerRequirement()).available) return undefined;
      const images = testImages();
      undo(images.remove);
      const image = await images.busybox(['/bin/echo', 'got it']);
      const { id = '' } = await daemon.call('POST', '/actors/v2', { image });
      await daemon.until(id, 'READY');
      return executions(daemon, id, WAITING);
    },
  },
];

const now = (): number => Number(process.hrtime.bigint() / 1_000n);

/** The table of one scenario; undefined if it cannot run here. */
const profileOf = async (
  { title, what, environment = {}, home, prepare }: Scenario,
  sourceOf: SourceOf,
): Promise<string | undefined> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'actorctl-bench-'));
  let filled: GrowthHome | undefined;
  try {
    filled = await home?.();
    const daemon = await startDaemon(environment, {
      nodeFlags: profiling(folder),
      ...(filled && { home: filled, credentials: filled.credentials }),
    });
    let window = { from: 0, to: 0 };
    let count = 0;
    const steps: (() => unknown)[] = [() => daemon.stop()];
    try {
      const prepared = await prepare(daemon, (step) => steps.push(step));
      if (prepared === undefined) return undefined;
      await prepared.warm();
      const from = now();
      count = await prepared.run();
      window = { from, to: now() };
    } finally {
      for (const step of steps.reverse()) await step();
    }
    const shares = sharesOf(profileIn(folder), window, sourceOf);
    const busy = shares.reduce((sum, [, ms]) => sum + ms, 0);
    const seconds = (window.to - window.from) / 1e6;
    const idle = Math.max(0, 100 - busy / (10 * seconds));
    return [
      `**${title}**: ${what}. ${Math.round(count / seconds)} /s; the daemon is idle for ${idle.toFixed(0)} % of the time.`,
      '',
      sharesTable(shares, count),
      '',
      ownSentence(shares, count, idle),
    ].join('\n');
  } finally {
    filled?.remove();
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Where the time of the daemon and of commands goes, as tables of the page. */
export const profiles = async (): Promise<Outcome> => {
  const sourceOf = await mapDaemon();
  const texts: string[] = [];
  for (const scenario of scenarios) {
    const text = await profileOf(scenario, sourceOf);
    if (text !== undefined) texts.push(text);
  }
  texts.push(await loadProfile(), await turnsProfile(), await commandProfiles());
  const intro =
    'Profiles of V8 of the main thread of the daemon, and of commands at the end, with a sample every 0.2 ms, which makes it slower. The parts are by source file. What a native function takes, such as a write or a checksum, belongs to the part that calls it.';
  return { rows: [], section: { title: 'Profiles', text: [intro, ...texts].join('\n\n') } };
};
