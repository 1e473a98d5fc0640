// Results of a benchmark: samples of both sides, measured alternately, and the goal.

/** Samples of one side, in ms or per second, according to the unit of the row. */
export interface Sample {
  readonly median: number;
  readonly p95: number;
  readonly n: number;
}

/** One measurement: a row of the benchmark table. */
export interface Row {
  readonly what: string;
  readonly unit: string;
  readonly ours: Sample;
  readonly against?: string;
  readonly baseline?: Sample;
  /** The goal, either for the ratio to the baseline or for the figure itself. */
  readonly goal?: { readonly of: 'ratio' | 'figure'; readonly atMost?: number; readonly atLeast?: number };
}

/** The rows of a measurement, or the reason why it cannot run here. */
export type Outcome = readonly Row[] | { readonly skipped: string };

export interface BenchOptions {
  /** Measure growth up to 10⁵ records. */
  readonly large?: boolean;
}

export type Measurement = (options: BenchOptions) => Promise<Outcome>;

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

export const sampleOf = (values: readonly number[]): Sample => {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: quantile(sorted, 0.5), p95: quantile(sorted, 0.95), n: sorted.length };
};

/** The 99th percentile of latencies. */
export const p99 = (values: readonly number[]): number =>
  quantile(
    [...values].sort((a, b) => a - b),
    0.99,
  );

/**
 * Measures one figure of each side alternately (A B A B …), `rounds` times after `warmUps` rounds that do not count, so
 * that a disturbance of the machine affects all sides alike.
 */
export const inTurn = async <S extends string>(
  sides: Readonly<Record<S, () => Promise<number>>>,
  rounds: number,
  warmUps = 1,
): Promise<Readonly<Record<S, Sample>>> => {
  const names = Object.keys(sides) as S[];
  const values = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<S, number[]>;
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const name of names) {
      const value = await sides[name]();
      if (round >= 0) values[name].push(value);
    }
  }
  return Object.fromEntries(names.map((name) => [name, sampleOf(values[name])])) as Record<S, Sample>;
};

/** The duration of `work`, in ms. */
export const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
};

/** How often per second `work` completes with `concurrency` calls always in progress, measured over about `ms`. */
export const perSecond = async (concurrency: number, ms: number, work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  let done = 0;
  const loop = async () => {
    while (performance.now() - begun < ms) {
      await work();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  return (done * 1_000) / (performance.now() - begun);
};
