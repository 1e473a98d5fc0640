// The contract of every executor, run against Docker, the process runner and the fake. It is over 250 lines because it
// is one table of requirements over one harness, and each half could be passed without the other.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Executor, ExecutorError, type LogSink, type RunFile, type RunSpec } from '../../daemon/ports/executor.ts';
import type { Output } from '../../daemon/ports/runs/outputs.ts';

/**
 * The actors of the suite, each as a script for `sh` (dash and busybox; the commands used are cat, env, seq, setsid,
 * sleep, head, tr and wget). `null` is an image whose command does not exist, so that a run can be created but not started.
 */
export const behaviours = {
  /** Writes one line to each stream and ends with 0. */
  hello: 'echo hello; echo oops >&2',
  'exit-3': 'echo leaving; exit 3',
  /** Prints its environment as the kernel gave it, NUL-separated, without a shell in between. */
  'echo-env': 'cat /proc/$$/environ 2>/dev/null || env -0',
  /** The file, or what its URL serves where files do not reach the run otherwise. */
  'print-file': 'if [ -n "$MSG_URL" ]; then wget -q -O - "$MSG_URL"; else cat "$MSG_FILE"; fi',
  'read-stdin': 'cat; echo end of input',
  /** Prints bytes that are not valid text: 0xFF NUL 0x01 newline 0xC3. */
  bytes: "printf '\\377\\000\\001\\n\\303'",
  /** Prints `ready`, runs until SIGTERM, then ends with 143. */
  sleep: `trap 'kill $!; exit 143' TERM; sleep 1000 & echo ready; wait`,
  /** Ignores SIGTERM, and so do its children. */
  'ignore-term': `trap '' TERM; sleep 1000 & echo ready; while :; do sleep 1; done`,
  /** Starts a grandchild in its own session that keeps the output open, and waits for it. */
  children: `setsid sh -c 'echo "grandchild $$"; while :; do sleep 1; done' & echo ready; wait`,
  /** Starts such a grandchild and ends with 0 at once. */
  'leaves-child': `setsid sh -c 'while :; do sleep 1; done' & echo "child $!"; exit 0`,
  /** Prints `line 1` to `line $COUNT`, and sleeps `$PAUSE` between two lines if PAUSE is set. */
  count: 'i=0; while [ $i -lt $COUNT ]; do i=$((i+1)); echo "line $i"; [ -z "$PAUSE" ] || sleep $PAUSE; done',
  /** The numbers 1 … 3 000 000, about 23 MB: the first `$LINES` a line each, the others in one line. */
  'big-log': `seq 1 $LINES; seq -s ' ' $((LINES+1)) 3000000`,
  /** Allocates memory in steps of 4 MB without end. */
  oom: `chunk=$(head -c 4194304 /dev/zero | tr '\\0' x); a=; echo eating; while :; do a="$a$chunk"; sleep 0.02; done`,
  /** Starts child processes without end, and each of them stays. */
  'fork-bomb': 'echo forking; while :; do sleep 1000 & done',
  /** Writes the names of its output files, its state, a result and a new state. */
  returns: `cat "\${_svc_state_file:-/dev/null}"; echo " \${_svc_result_file:+result}\${_svc_state_file:+state}"
    printf 'a result' > "$_svc_result_file"; [ -z "$_svc_state_file" ] || printf ' {"n":2}\n' > "$_svc_state_file"`,
  'crash-start': null,
} as const satisfies Record<string, string | null>;

export type Behaviour = keyof typeof behaviours;

export interface ExecutorHarness {
  readonly executor: Executor;
  /** The name of an image that does not exist. */
  readonly missingImage: string;
  /** The kind of the error for it: `pull` if a registry was asked. Default: `image`. */
  readonly missingImageKind?: 'pull';
  /** How many lines a very large output has, besides a long one. Default: 600 000, which are 4 MB. */
  readonly manyLines?: number;
  /** True where runs have no files for a result and a state. */
  readonly lacksOutputs?: boolean;
  /** True where a stop cannot skip SIGTERM. */
  readonly alwaysTerminates?: boolean;
  /** True if the engine reports an end before it lists the run as ended, and start times that differ by some ms. */
  readonly reportsByEvents?: boolean;
  /** True if the engine cannot limit memory and processes. It must say so before a run needs the limits. */
  readonly hasNoLimits?: boolean;
  /** Variables that the engine itself sets, besides those of the run. */
  readonly engineVariables: readonly string[];
  /** Returns the image of a behaviour, and builds it at the first call. */
  image(behaviour: Behaviour): Promise<string>;
  /** Creates another executor over the same engine, as after kill -9 of the daemon: the previous one is not closed. */
  restart(): Promise<Executor>;
  /** Closes every executor and removes all runs from the engine. */
  cleanup(): Promise<void>;
}

export interface Collected {
  readonly sink: LogSink;
  stdout(): string;
  stderr(): string;
  bytes(stream: 'stdout' | 'stderr'): Buffer;
  /** Resolves once stdout contains the text. */
  until(text: string): Promise<void>;
}

/** Creates a sink that stores the output. */
export const collect = (): Collected => {
  const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  let waiting: (() => void)[] = [];
  const bytes = (stream: 'stdout' | 'stderr') => Buffer.concat(chunks[stream]);
  return {
    sink: (stream, data) => {
      chunks[stream].push(Buffer.from(data));
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
    bytes,
    stdout: () => bytes('stdout').toString(),
    stderr: () => bytes('stderr').toString(),
    until: async (text) => {
      while (!bytes('stdout').includes(text)) await new Promise<void>((resolve) => waiting.push(resolve));
    },
  };
};

const numbered = (count: number): string => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('');

const kindOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return 'no error';
  } catch (error) {
    return error instanceof ExecutorError ? error.kind : `not an ExecutorError: ${String(error)}`;
  }
};

let serial = 0;

/**
 * Creates the spec of a run of that image, with a new execution id. All are of one worker by default, because a network of
 * its own costs an engine 0.4 s of processor time.
 */
export const runSpec = (image: string, over: Partial<RunSpec> = {}): RunSpec => {
  serial += 1;
  const executionId = over.executionId ?? `e${process.pid}x${serial}`;
  return {
    executionId,
    actorId: 'a000000000001',
    workerId: `w${process.pid}`,
    image,
    files: [],
    limits: { memoryBytes: 256 * 1024 * 1024, pids: 200 },
    privileged: false,
    ...over,
    environment: { _svc_execution_id: executionId, ...over.environment },
  };
};

/** Declares the tests of the port. `makeHarness` is called once. */
export const executorSuite = (name: string, makeHarness: () => Promise<ExecutorHarness>): void => {
  describe(`an executor: ${name}`, () => {
    let harness: ExecutorHarness;
    const never = new AbortController().signal;

    beforeAll(async () => {
      harness = await makeHarness();
    });
    afterAll(async () => {
      await harness?.cleanup();
    });

    /** Compares two reports of one start. With events, a report may be missing shortly after the start. */
    const expectSameStart = (one: number | undefined, other: number | undefined): void => {
      if (!harness.reportsByEvents) expect([one, one]).toEqual([other, expect.any(Number)]);
      else if (one !== undefined && other !== undefined) expect(Math.abs(one - other)).toBeLessThan(500);
    };

    const create = async (behaviour: Behaviour, over: Partial<RunSpec> = {}) => {
      const spec = runSpec(await harness.image(behaviour), over);
      return { spec, ref: await harness.executor.create(spec, never) };
    };
    const expectNote = async (): Promise<void> => {
      const status = await harness.executor.probe(never);
      expect(status).toMatchObject({ limitations: expect.arrayContaining([expect.stringContaining('no effect')]) });
    };
    /** Creates, starts, waits for and removes a run. */
    const run = async (behaviour: Behaviour, over: Partial<RunSpec> = {}) => {
      const { spec, ref } = await create(behaviour, over);
      const out = collect();
      const running = await harness.executor.start(ref, out.sink);
      const ended = await running.ended;
      await harness.executor.remove(ref);
      return { spec, ref, out, running, ended };
    };
    const stateOf = async (executor: Executor, ref: string) =>
      (await executor.list()).find((found) => found.ref === ref)?.state;

    it('accepts its own images and reports that it is available', async () => {
      expect(harness.executor.takes(await harness.image('hello'))).toBe(true);
      expect(await harness.executor.probe(never)).toMatchObject({ available: true });
    });

    it('prepares an existing image', async () => {
      await harness.executor.prepare(await harness.image('hello'), () => undefined, never);
    });

    it('refuses a missing image', async () => {
      expect(await kindOf(harness.executor.prepare(harness.missingImage, () => undefined, never))).toBe(
        harness.missingImageKind ?? 'image',
      );
    });

    it('returns both streams and the exit code', async () => {
      const { out, ended } = await run('hello');
      expect(out.stdout()).toBe('hello\n');
      expect(out.stderr()).toBe('oops\n');
      expect(ended).toMatchObject({ exitCode: 0, outOfMemory: false });
      expect(ended.finalState).toMatchObject({ ExitCode: 0 });
    });

    it('returns an exit code other than zero', async () => {
      expect((await run('exit-3')).ended.exitCode).toBe(3);
    });

    it('returns the start and end of the run in milliseconds since the epoch', async () => {
      const before = Date.now() - 1000;
      const { running, ended } = await run('hello');
      expect(ended.startedAt).toBeGreaterThanOrEqual(before);
      expect(ended.finishedAt).toBeGreaterThanOrEqual(ended.startedAt);
      expect(ended.finishedAt).toBeLessThanOrEqual(Date.now() + 1000);
      expectSameStart(running.startedAt, ended.startedAt);
    });

    it('returns all output in order', async () => {
      const { out } = await run('count', { environment: { COUNT: '20000' } });
      expect(out.stdout()).toBe(numbered(20_000));
    });

    it('returns output bytes unchanged', async () => {
      const { out } = await run('bytes');
      expect(out.bytes('stdout')).toEqual(Buffer.from([0xff, 0, 1, 0x0a, 0xc3]));
    });

    it('returns at least the first 4 MB of a very large output in order, and its end', async () => {
      const lines = harness.manyLines ?? 600_000;
      const { out, ended } = await run('big-log', { environment: { LINES: String(lines) } });
      const numbers = Array.from({ length: 700_000 }, (_, i) => i + 1);
      const expected = `${numbers.slice(0, lines).join('\n')}\n${numbers.slice(lines).join(' ')}`;
      expect(ended.exitCode).toBe(0);
      expect(out.bytes('stdout').subarray(0, 4_000_000).equals(Buffer.from(expected).subarray(0, 4_000_000))).toBe(
        true,
      );
    });

    it('gives the run an empty input', async () => {
      expect((await run('read-stdin')).out.stdout()).toBe('end of input\n');
    });

    it('gives the run exactly the requested environment, and the variables of the engine', async () => {
      const environment = {
        PLAIN: 'value',
        EMPTY: '',
        SPACES: '  a  b ',
        EQUALS: 'a=b=c',
        LINES: 'one\ntwo\n',
        QUOTES: `'"$HOME\`id\`\\`,
        TEMPLATES: 'Hello {{name}}, {{.Node.Hostname}} {{{x}}} {{- "a" }} {',
        UNICODE: 'žluťoučký 🐎',
        'odd.name-1': 'kept',
        LONG: 'x'.repeat(131_000),
      };
      const { out, spec } = await run('echo-env', { environment });
      const seen = new Map(
        out
          .stdout()
          .split('\0')
          .filter((entry) => entry !== '')
          .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
      );
      for (const own of harness.engineVariables) if (!(own in spec.environment)) seen.delete(own);
      expect(Object.fromEntries(seen)).toEqual(spec.environment);
    });

    it('prefers the variables of the run to those of the engine', async () => {
      const { out } = await run('echo-env', { environment: { PATH: '/bin:/usr/bin:/somewhere' } });
      expect(out.stdout().split('\0')).toContain('PATH=/bin:/usr/bin:/somewhere');
    });

    it('gives the run its files, and a variable with the path of each', async () => {
      // Long lines: a swarm passes some 10 000 lines a second on, however short they are.
      const content = Buffer.alloc(1_200_000, `${'a text '.repeat(500)}\n`);
      const files: RunFile[] = [{ path: '/_svc_msg', source: { bytes: content }, variable: 'MSG_FILE' }];
      const { out } = await run('print-file', { files });
      expect(out.bytes('stdout').equals(content)).toBe(true);
    });

    it('gives the run an empty file', async () => {
      const files: RunFile[] = [{ path: '/_svc_msg', source: { bytes: new Uint8Array() }, variable: 'MSG_FILE' }];
      const { out, ended } = await run('print-file', { files });
      expect(ended.exitCode).toBe(0);
      expect(out.stdout()).toBe('');
    });

    const LIMITS = { resultBytes: 100, stateBytes: 100 };
    const text = (output: Output | undefined) => output && ('bytes' in output ? String(output.bytes) : output);

    it('returns what a run wrote into its files for a result and a state, to a later daemon too', async () => {
      const { ref } = await create('returns', { outputs: { state: '{"n":1}' } });
      const out = collect();
      await (await harness.executor.start(ref, out.sink)).ended;
      const restarted = await harness.restart();
      await restarted.list();
      const given = harness.lacksOutputs ? [] : ['a result', '{"n":2}'];
      for (const executor of [harness.executor, restarted]) {
        const { result, state } = (await executor.outputs?.(ref, LIMITS)) ?? {};
        expect([text(result), text(state)].filter((each) => each !== undefined)).toEqual(given);
      }
      expect(out.stdout()).toBe(harness.lacksOutputs ? ' \n' : '{"n":1} resultstate\n');
      await harness.executor.remove(ref);
      expect(await harness.executor.outputs?.(ref, LIMITS)).toEqual(harness.lacksOutputs ? undefined : {});
    });

    it('gives a stateless run only a file for a result, and refuses a result over the limit', async () => {
      const { ref } = await create('returns', { outputs: {} });
      const out = collect();
      await (await harness.executor.start(ref, out.sink)).ended;
      expect(out.stdout()).toBe(harness.lacksOutputs ? ' \n' : ' result\n');
      const fault = 'the file has more than 7 bytes';
      expect(await harness.executor.outputs?.(ref, { ...LIMITS, resultBytes: 7 })).toEqual(
        harness.lacksOutputs ? undefined : { result: { fault } },
      );
      await harness.executor.remove(ref);
    });

    it('returns nothing of a run that wrote nothing into its files', async () => {
      const { ref } = await create('hello', { outputs: { state: '{"n":1}' } });
      await (await harness.executor.start(ref, () => undefined)).ended;
      expect(await harness.executor.outputs?.(ref, LIMITS)).toEqual(harness.lacksOutputs ? undefined : {});
      await harness.executor.remove(ref);
    });

    it('fails to start a command that does not exist, and can remove that run', async () => {
      const image = await harness.image('crash-start');
      const attempt = async () => {
        const ref = await harness.executor.create(runSpec(image), never);
        try {
          return await harness.executor.start(ref, () => undefined);
        } finally {
          await harness.executor.remove(ref);
        }
      };
      expect(await kindOf(attempt())).toBe('never');
    });

    it('starts a run once when it is started twice at the same time, and gives both callers the whole output', async () => {
      const { ref } = await create('hello');
      const [a, b] = [collect(), collect()];
      const both = await Promise.all([harness.executor.start(ref, a.sink), harness.executor.start(ref, b.sink)]);
      await Promise.all(both.map((running) => running.ended));
      expect([a.stdout(), b.stdout()]).toEqual(['hello\n', 'hello\n']);
      await harness.executor.remove(ref);
    });

    it('does not restart a run that has ended', async () => {
      const { ref } = await create('hello');
      const first = await (await harness.executor.start(ref, () => undefined)).ended;
      const restarted = await harness.restart();
      const out = collect();
      const second = await (await restarted.start(ref, out.sink)).ended;
      expectSameStart(second.startedAt, first.startedAt);
      expect(out.stdout()).toBe('hello\n');
      await harness.executor.remove(ref);
    });

    it('starts a created run after a restart of the daemon', async () => {
      const { ref, spec } = await create('hello');
      const restarted = await harness.restart();
      expect(await restarted.list()).toContainEqual({
        ref,
        kind: 'run',
        executionId: spec.executionId,
        workerId: spec.workerId,
        state: 'created',
      });
      const out = collect();
      expect((await (await restarted.start(ref, out.sink)).ended).exitCode).toBe(0);
      expect(out.stdout()).toBe('hello\n');
      await restarted.remove(ref);
    });

    it('returns the whole output of a running run after a restart of the daemon, each line once', async () => {
      const { ref } = await create('count', { environment: { COUNT: '60', PAUSE: '0.02' } });
      const before = collect();
      const first = await harness.executor.start(ref, before.sink);
      await before.until('line 10\n');
      const restarted = await harness.restart();
      const after = collect();
      const running = await restarted.reattach(ref, after.sink);
      expectSameStart(first.startedAt, running.startedAt);
      expect((await running.ended).exitCode).toBe(0);
      expect(after.stdout()).toBe(numbered(60));
      await restarted.remove(ref);
    });

    it('returns the whole output and the result of an ended run after a restart of the daemon', async () => {
      const { ref } = await create('exit-3');
      const ended = await (await harness.executor.start(ref, () => undefined)).ended;
      const restarted = await harness.restart();
      expect(await stateOf(restarted, ref)).toBe('ended');
      const out = collect();
      // Network traffic is counted only for an executor that watched from the start.
      const { ioBytes: _, ...kept } = ended;
      expect(await (await restarted.reattach(ref, out.sink)).ended).toMatchObject(kept);
      expect(out.stdout()).toBe('leaving\n');
      await restarted.remove(ref);
    });

    it('treats an unknown run as lost', async () => {
      const unknown = 'f'.repeat(64);
      expect(await kindOf(harness.executor.start(unknown, () => undefined))).toBe('lost');
      expect(await kindOf(harness.executor.reattach(unknown, () => undefined))).toBe('lost');
      await harness.executor.stop(unknown, 0);
      await harness.executor.remove(unknown);
    });

    it('stops a run that handles SIGTERM', async () => {
      const { ref } = await create('sleep');
      const out = collect();
      const running = await harness.executor.start(ref, out.sink);
      await out.until('ready');
      await harness.executor.stop(ref, 20_000);
      expect([0, 143]).toContain((await running.ended).exitCode);
      await harness.executor.stop(ref, 0);
      await harness.executor.remove(ref);
    });

    it('kills a run that ignores SIGTERM after its grace period', async () => {
      const { ref } = await create('ignore-term');
      const out = collect();
      const running = await harness.executor.start(ref, out.sink);
      await out.until('ready');
      await harness.executor.stop(ref, 1000);
      expect(await running.ended).toMatchObject({ exitCode: 137, outOfMemory: false });
      await harness.executor.remove(ref);
    });

    it('kills a run at once without a grace period, including children in other sessions', async () => {
      const { ref } = await create('children');
      const out = collect();
      const running = await harness.executor.start(ref, out.sink);
      await out.until('grandchild');
      await harness.executor.stop(ref, 0);
      expect((await running.ended).exitCode).toBe(harness.alwaysTerminates ? 143 : 137);
      await harness.executor.remove(ref);
    });

    it('kills a run at once while a stop with a long grace period waits for it', async () => {
      const { ref } = await create('ignore-term');
      const out = collect();
      const running = await harness.executor.start(ref, out.sink);
      await out.until('ready');
      const slow = harness.executor.stop(ref, 600_000);
      await harness.executor.stop(ref, 0);
      expect((await running.ended).exitCode).toBe(137);
      await slow;
      await harness.executor.remove(ref);
    });

    it('ends a run with its main process, whatever children remain', async () => {
      expect((await run('leaves-child')).ended.exitCode).toBe(0);
    });

    it('kills a run that exceeds its memory limit, and reports the reason', async () => {
      if (harness.hasNoLimits) return expectNote();
      const { ended } = await run('oom', { limits: { memoryBytes: 64 * 1024 * 1024, pids: 50 } });
      expect(ended).toMatchObject({ exitCode: 137, outOfMemory: true });
    });

    it('limits a run that forks without end, so that it can be stopped', async () => {
      if (harness.hasNoLimits) return expectNote();
      const { ref } = await create('fork-bomb', { limits: { memoryBytes: 256 * 1024 * 1024, pids: 30 } });
      const out = collect();
      const running = await harness.executor.start(ref, out.sink);
      await out.until('forking');
      await harness.executor.stop(ref, 500);
      expect((await running.ended).exitCode).not.toBe(0);
      await harness.executor.remove(ref);
    });

    it('lists created, running and ended runs with their ids', async () => {
      const created = await create('sleep');
      const started = await create('sleep');
      const gone = await create('hello');
      const out = collect();
      const running = await harness.executor.start(started.ref, out.sink);
      await out.until('ready');
      await (await harness.executor.start(gone.ref, () => undefined)).ended;
      const stateOf = async ({ ref }: { readonly ref: string }) =>
        (await harness.executor.list()).find((each) => each.ref === ref)?.state;
      if (harness.reportsByEvents) await expect.poll(() => stateOf(gone)).toBe('ended');
      const found = await harness.executor.list();
      for (const [one, state] of [
        [created, 'created'],
        [started, 'running'],
        [gone, 'ended'],
      ] as const) {
        const { executionId, workerId } = one.spec;
        expect(found).toContainEqual({ ref: one.ref, kind: 'run', executionId, workerId, state });
      }
      for (const { ref } of [created, started, gone]) await harness.executor.remove(ref);
      await running.ended.catch(() => undefined);
      const left = (await harness.executor.list()).map((each) => each.ref);
      expect(left.filter((ref) => [created.ref, started.ref, gone.ref].includes(ref))).toEqual([]);
    });

    it('kills the runs that it removes, settles their results, and forgets them', async () => {
      const { ref } = await create('ignore-term');
      const out = collect();
      const running = await harness.executor.start(ref, out.sink);
      await out.until('ready');
      await harness.executor.remove(ref);
      await running.ended.catch(() => undefined);
      expect(await kindOf(harness.executor.reattach(ref, () => undefined))).toBe('lost');
      await harness.executor.remove(ref);
    });

    it('runs several at the same time, each with its own environment and output', async () => {
      const runs = await Promise.all(
        [1, 2, 3, 4].map((n) => run('count', { environment: { COUNT: String(n * 100) } })),
      );
      expect(runs.map(({ out }) => out.stdout())).toEqual([100, 200, 300, 400].map(numbered));
      expect(new Set(runs.map(({ ref }) => ref)).size).toBe(4);
    });

    it('leaves runs running when it closes', async () => {
      const { ref } = await create('count', { environment: { COUNT: '40', PAUSE: '0.02' } });
      const closing = await harness.restart();
      const first = await closing.start(ref, () => undefined);
      first.ended.catch(() => undefined);
      await closing.close({ removeAll: false });
      const restarted = await harness.restart();
      const out = collect();
      expect((await (await restarted.reattach(ref, out.sink)).ended).exitCode).toBe(0);
      expect(out.stdout()).toBe(numbered(40));
      await restarted.remove(ref);
    });

    it('releases the resources of a worker, even of a worker without any', async () => {
      await harness.executor.closeWorker('w000000000000');
    });
  });
};
