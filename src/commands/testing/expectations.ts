// Compares what a test expects with what happened. @see docs/testing-actors.md#actorctl-test
import type { Expectation, TestDocument } from '../../local/project/test-document.ts';

export interface Difference {
  /** What differs: `wordcount: exit`. */
  readonly what: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** A run of an actor during a test. */
export interface TestRun {
  readonly id: string;
  readonly status: string;
  readonly exitCode?: number | undefined;
  readonly statusMessage?: string | undefined;
  readonly log: string;
}

export interface Happened {
  /** The runs of each actor of the project, by its name in the file. */
  readonly runs: ReadonlyMap<string, readonly TestRun[]>;
  /** The states that the test expects something of. */
  readonly states: ReadonlyMap<string, unknown>;
  /** The posts to the webhooks of the project: the parsed JSON, or the text. */
  readonly posts: readonly unknown[];
  /** Failures that are no run: deliveries that were given up, and links that lead nowhere. */
  readonly failures: readonly string[];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True if the actual value equals the expected one. An object may have further members, at every level. */
export const contains = (actual: unknown, expected: unknown): boolean => {
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((each, index) => contains(actual[index], each))
    );
  }
  if (isObject(expected)) {
    return (
      isObject(actual) &&
      Object.entries(expected).every(([key, value]) => Object.hasOwn(actual, key) && contains(actual[key], value))
    );
  }
  return actual === expected || (typeof expected === 'number' && Object.is(actual, expected));
};

/** The members of the actual value that the expected value names, so that a difference is short. */
const named = (actual: unknown, expected: unknown): unknown =>
  isObject(actual) && isObject(expected)
    ? Object.fromEntries(
        Object.keys(expected).flatMap((key) =>
          Object.hasOwn(actual, key) ? [[key, named(actual[key], expected[key])]] : [],
        ),
      )
    : actual;

const listOf = (given: string | readonly string[] | undefined): readonly string[] =>
  given === undefined ? [] : typeof given === 'string' ? [given] : given;

const outcomeOf = ({ status, exitCode, statusMessage }: TestRun): unknown =>
  status === 'COMPLETE' ? exitCode : [status, statusMessage].filter(Boolean).join(': ');

const compareActor = (
  actor: string,
  { exit = 0, runs: wantedRuns, state, log }: Expectation,
  happened: Happened,
): readonly Difference[] => {
  const runs = happened.runs.get(actor) ?? [];
  const text = runs.map((run) => run.log).join('');
  const differences: Difference[] = [];
  const differ = (what: string, expected: unknown, actual: unknown): void =>
    void differences.push({ what: `${actor}: ${what}`, expected, actual });
  if (wantedRuns !== undefined && runs.length !== wantedRuns) differ('runs', wantedRuns, runs.length);
  for (const run of runs) {
    if (run.status === 'COMPLETE' && run.exitCode === exit) continue;
    differ(`exit of ${run.id}`, exit, outcomeOf(run));
  }
  // Without a run there is neither an exit code nor a log to compare.
  if (runs.length === 0 && wantedRuns === undefined && state === undefined) differ('runs', 'at least 1', 0);
  for (const part of listOf(log?.contains)) if (!text.includes(part)) differ('log contains', part, text);
  for (const pattern of listOf(log?.matches)) {
    if (!new RegExp(pattern, 'm').test(text)) differ('log matches', pattern, text);
  }
  const actual = happened.states.get(actor);
  if (state !== undefined && !contains(actual, state)) differ('state', state, named(actual, state));
  return differences;
};

const comparePosts = (
  { posts: wanted, json }: NonNullable<TestDocument['webhooks']>,
  posts: readonly unknown[],
): readonly Difference[] => {
  const differences: Difference[] = [];
  if (wanted !== undefined && posts.length !== wanted) {
    differences.push({ what: 'webhooks: posts', expected: wanted, actual: posts.length });
  }
  const left = [...posts];
  for (const each of json === undefined ? [] : Array.isArray(json) ? json : [json]) {
    const found = left.findIndex((post) => contains(post, each));
    if (found === -1) differences.push({ what: 'webhooks: json', expected: each, actual: posts });
    else left.splice(found, 1);
  }
  return differences;
};

/** The differences of a test. A run that nothing is said about must exit with 0. */
export const differencesOf = (test: TestDocument, happened: Happened): readonly Difference[] => {
  const expected = test.expect ?? {};
  const others = [...happened.runs.keys()].filter((actor) => !Object.hasOwn(expected, actor));
  return [
    ...Object.entries(expected).flatMap(([actor, wanted]) => compareActor(actor, wanted, happened)),
    ...others.flatMap((actor) =>
      (happened.runs.get(actor) ?? []).length === 0 ? [] : compareActor(actor, {}, happened),
    ),
    ...(test.webhooks === undefined ? [] : comparePosts(test.webhooks, happened.posts)),
    ...happened.failures.map((failure) => ({ what: 'failed', expected: 'nothing', actual: failure })),
  ];
};
