// What a measurement hands back: samples of both sides, taken in turn, and the goal that was set for them.

/** Samples of one side; ms, or things per second, as the unit of the row says. */
export interface Sample {
  readonly median: number;
  readonly p95: number;
  readonly n: number;
}

/** One line of the table. */
export interface Row {
  readonly what: string;
  readonly unit: string;
  readonly ours: Sample;
  readonly against?: string;
  readonly floor?: Sample;
  /** What is to be reached: of the ratio to the floor, or of the figure itself. */
  readonly goal?: { readonly of: 'ratio' | 'figure'; readonly atMost?: number; readonly atLeast?: number };
}

/** A measurement says what it cannot measure here, and why, instead of its rows. */
export type Outcome = readonly Row[] | { readonly skipped: string };

export type Measurement = () => Promise<Outcome>;

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
 * Takes one figure of each side in turn (A B A B …), `rounds` times, after `warmUps` rounds that do not count: what disturbs
 * the machine for a while disturbs all sides.
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

/** How long `work` takes, in ms. */
export const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
};

/** How many times a second `work` is done when `concurrency` of them are always under way, over about `ms`. */
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
