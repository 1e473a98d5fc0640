// `test`: runs the tests of a project, each in a temporary instance. @see docs/testing-actors.md#actorctl-test
import path from 'node:path';
import type { CommandContext } from '../../context.ts';
import { failureCodes } from '../../contract/failure-codes.ts';
import { messageOf, usage } from '../../failure.ts';
import { formatDuration } from '../../ui/format/time.ts';
import { plural } from '../../ui/text.ts';
import { action } from '../framework/command.ts';
import { flag, several, text } from '../framework/option.ts';
import { orWait, repeatOnChange } from '../project/dev-loop.ts';
import { fileOptions } from '../project/project-file.ts';
import { leftOver, startTemporaryHome, type TemporaryHome } from '../temporary/temporary-home.ts';
import { hasPassed, junitOf, resultLines, resultValue } from './report.ts';
import { runTest, type TestResult } from './run-test.ts';
import { readTestFiles, type Test, type TestFile } from './test-files.ts';
import { type Receiver, startReceiver } from './webhook-posts.ts';

interface Wish {
  readonly isWanted: (test: Test) => boolean;
  readonly shared: boolean;
}

const patternOf = (name: string | undefined): RegExp | undefined => {
  try {
    return name === undefined ? undefined : new RegExp(name, 'i');
  } catch (error) {
    throw usage(`--name is not a regular expression: ${messageOf(error)}`);
  }
};

const resultFields = ['type', 'file', 'name', 'at', 'status', 'duration_ms', 'error', 'differences', 'logs'];
const sumFields = ['ok', 'passed', 'failed', 'tests'];

/** Removes all actors, aliases and configs, and with them executions, logs, states and events. */
const empty = async ({ call }: CommandContext): Promise<void> => {
  for (const { alias } of await call('aliases.list')) await call('aliases.delete', { params: { alias } });
  for (const { id } of (await call('actors.list')) as readonly { readonly id: string }[]) {
    await call('actors.delete', { params: { actorId: id }, query: { force: true } });
  }
  for (const { name } of await call('configs.list')) await call('configs.delete', { params: { configName: name } });
};

const closed = async ({ output }: CommandContext, home: TemporaryHome): Promise<void> =>
  home.close().catch((error: unknown) => output.warn(leftOver(home, error)));

/** Runs the tests of one file, and tells each result as soon as it is there. */
const runFile = async (
  outer: CommandContext,
  { project, tests: all }: TestFile,
  { isWanted, shared }: Wish,
  receiver: Receiver,
  tell: (result: TestResult) => Promise<void>,
): Promise<void> => {
  const tests = all.filter(isWanted);
  const start = (few: readonly Test[]): Promise<TemporaryHome> =>
    startTemporaryHome(
      // The progress of each start is no output of a test.
      { ...outer, inHome: (folder, until) => outer.inHome(folder, until, true) },
      few.some(({ advance }) => advance !== undefined) ? { clock: 'virtual' } : {},
    );
  const common = shared && tests.length > 0 ? await start(tests) : undefined;
  let isUsed = false;
  try {
    for (const test of tests) {
      outer.signal.throwIfAborted();
      const home = common ?? (await start([test]));
      try {
        if (isUsed && common !== undefined) await empty(common.context);
        const ids = await home.apply(project, { webhook: receiver.url, build: !isUsed || common === undefined });
        isUsed = true;
        const own = new Map(project.wanted.actors.map(({ key }) => [key, ids.get(key) ?? key]));
        await tell(await runTest({ context: home.context, ids: own, receiver }, test));
      } finally {
        if (common === undefined) await closed(outer, home);
      }
    }
  } finally {
    if (common !== undefined) await closed(outer, common);
  }
};

/** Runs all tests once. Returns the exit code. */
const runAll = async (
  context: CommandContext,
  files: readonly TestFile[],
  wish: Wish,
  junit: string | undefined,
): Promise<number> => {
  const { output } = context;
  const results: TestResult[] = [];
  const streams = output.format === 'ndjson' || !output.printsValue;
  const begun = context.now();
  const receiver = await startReceiver();
  try {
    for (const file of files) {
      await runFile(context, file, wish, receiver, async (result) => {
        results.push(result);
        const value = { type: 'result', ...resultValue(result) };
        if (streams) await output.event('', value, `${resultLines(result, output.paint).join('\n')}\n`);
      });
    }
  } finally {
    receiver.close();
  }
  const failed = results.filter((result) => !hasPassed(result)).length;
  const sum = { ok: failed === 0, passed: results.length - failed, failed };
  if (junit !== undefined) await context.write(path.resolve(context.cwd, junit), Buffer.from(junitOf(results)));
  const line = `${plural(results.length, 'test')}: ${sum.passed} passed, ${failed} failed  (${formatDuration(context.now() - begun)})`;
  if (output.format === 'ndjson') await output.event('', { type: 'summary', ...sum });
  else output.report(line, { ...sum, tests: results.map(resultValue) });
  return failed === 0 ? 0 : failureCodes.INTERNAL.exit;
};

export const testCommand = action({
  operations: ['daemon.token'],
  args: { files: { ...several('test files, or folders with them (default: this folder)', 'files'), required: false } },
  options: {
    name: text('--name <pattern>', 'run only the tests whose names match this regular expression'),
    junit: text('--junit <file>', 'write the results as JUnit XML', 'files'),
    watch: flag('--watch', 'run the tests again after each change of the project'),
    shared: flag('--shared', 'use one instance for all tests of a file, and empty it between them'),
    allowOutside: fileOptions.allowOutside,
  },
  details:
    'Reads actorctl.test.yaml, or `tests` in actorctl.yaml. Each test starts a temporary instance, applies the project, sends messages or moves the clock, waits until everything has settled, and compares. Exit code 1 if a test failed, 2 if a file is wrong.',
  examples: ['actorctl test', 'actorctl test --name "counts" --watch', 'actorctl test --junit results.xml --shared'],
  run: async (context, { files: names }, { name, junit, watch, shared, allowOutside }) => {
    const { output, cwd } = context;
    if (!output.allowFields(output.format === 'ndjson' ? [...resultFields, ...sumFields.slice(0, 3)] : sumFields))
      return 0;
    const pattern = patternOf(name);
    const wish = { isWanted: (test: Test) => pattern === undefined || pattern.test(test.name), shared };
    const read = (): Promise<readonly TestFile[]> => readTestFiles(context, names, allowOutside);
    const files = await read();
    if (!files.some(({ tests }) => tests.some(wish.isWanted))) throw usage(`no test matches --name ${name}`);
    if (!watch) return runAll(context, files, wish, junit);
    await repeatOnChange(context, { folder: files[0]?.folder ?? cwd }, ({ until }) => ({
      round: async () => {
        const within = await context.withSignal(until);
        await orWait(within, async () => void (await runAll(within, await read(), wish, junit)));
        output.note('waiting for a change; q ends');
      },
      end: (idle) => idle,
    }));
    return 0;
  },
});
