// Runs the executor suite on the fake executor.
import { setTimeout as sleep } from 'node:timers/promises';
import { createFakeExecutor } from '../support/engine/fake-executor.ts';
import { createFakeWorld, fired, outOfMemory, type Script, scripts } from '../support/engine/fake-world.ts';
import { type Behaviour, executorSuite } from './executor.suite.ts';

const seq = (to: number): string => Array.from({ length: to }, (_, i) => `${i + 1}\n`).join('');

const behaviours: Readonly<Record<Behaviour, Script | null>> = {
  hello: async ({ out, err }) => {
    out('hello\n');
    err('oops\n');
    return 0;
  },
  'exit-3': async ({ out }) => {
    out('leaving\n');
    return 3;
  },
  'echo-env': async ({ out, environment }) => {
    out(
      Object.entries(environment)
        .map(([name, value]) => `${name}=${value}\0`)
        .join(''),
    );
    return 0;
  },
  'print-file': async ({ out, files, environment }) => {
    out(files.get(environment['MSG_FILE'] ?? '') ?? '');
    return 0;
  },
  returns: async ({ out, returned, spec }) => {
    out(`${returned.state ?? ''} ${spec.outputs && 'result'}${returned.state === undefined ? '' : 'state'}\n`);
    returned.result = 'a result';
    if (returned.state !== undefined) returned.state = '{"n":2}';
    return 0;
  },
  'read-stdin': async ({ out }) => {
    out('end of input\n');
    return 0;
  },
  bytes: async ({ out }) => {
    out(Buffer.from([0xff, 0, 1, 0x0a, 0xc3]));
    return 0;
  },
  sleep: scripts.untilTerm,
  'ignore-term': scripts.forever,
  children: async ({ out, terminated }) => {
    out('grandchild 1\nready\n');
    await fired(terminated);
    return 143;
  },
  'leaves-child': async ({ out }) => {
    out('child 1\n');
    return 0;
  },
  count: async ({ out, environment }) => {
    const pause = Number(environment['PAUSE'] ?? 0) * 1000;
    for (let line = 1; line <= Number(environment['COUNT']); line += 1) {
      out(`line ${line}\n`);
      if (pause > 0) await sleep(pause);
    }
    return 0;
  },
  'big-log': async ({ out }) => {
    out(seq(3_000_000));
    return 0;
  },
  oom: async ({ out }) => {
    out('eating\n');
    throw outOfMemory;
  },
  'fork-bomb': async ({ out, terminated }) => {
    out('forking\n');
    await fired(terminated);
    return 143;
  },
  'crash-start': null,
};

executorSuite('in memory', async () => {
  const world = createFakeWorld();
  for (const [name, script] of Object.entries(behaviours)) world.images.set(`fake/${name}`, script);
  return {
    executor: createFakeExecutor(world),
    missingImage: 'fake/none',
    engineVariables: [],
    image: async (behaviour) => `fake/${behaviour}`,
    restart: async () => createFakeExecutor(world),
    cleanup: async () => world.runs.clear(),
  };
});
