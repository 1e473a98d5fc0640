// Which part of a program used how much of its processor time, from a profile of V8.

/** What V8 writes with `--cpu-prof`. Times are microseconds of the monotonic clock. */
export interface Profile {
  readonly startTime: number;
  readonly nodes: readonly ProfileNode[];
  /** The node of each sample, and the time since the sample before. */
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: CallFrame;
  readonly children?: readonly number[];
}

interface CallFrame {
  readonly functionName: string;
  /** Empty for a function of V8 or of Node's native code. */
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/** Which time counts. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** Returns the source file of a function of the built program, or its address. */
export type SourceOf = (frame: CallFrame) => string;

const GARBAGE = 'garbage collection';
const NATIVE = 'native code and system calls outside of functions';
const OTHER = 'other';

/** The parts by source, the first match counts. */
const parts: readonly (readonly [part: string, source: RegExp])[] = [
  [
    'Express',
    /(?:^|\/)node_modules\/(?:express|router|path-to-regexp|parseurl|qs|on-finished|accepts|negotiator|vary)\//,
  ],
  ['checks of input: zod and the contract', /(?:^|\/)node_modules\/zod\/|(?:^|\/)src\/contract\//],
  ['log of requests: pino', /(?:^|\/)node_modules\/(?:pino|sonic-boom|thread-stream)|(?:^|\/)daemon\/process\//],
  ['other libraries', /(?:^|\/)node_modules\//],
  ['store, journal and logs', /(?:^|\/)daemon\/store\//],
  ['HTTP layer of the daemon', /(?:^|\/)daemon\/http\//],
  ['engine, executors and deliveries', /(?:^|\/)daemon\/(?:engine|executor|delivery)\//],
  ['services and rules', /(?:^|\/)(?:daemon|src)\//],
  ['node:fs', /^node:(?:internal\/)?fs/],
  ['node:http, sockets and streams', /^node:(?:_http|http|net|stream|events|internal\/(?:http|streams?|stream_base))/],
  ['other modules of Node', /^node:/],
];

/** The parts that are code of the daemon itself. */
const own: ReadonlySet<string> = new Set([
  'checks of input: zod and the contract',
  'store, journal and logs',
  'HTTP layer of the daemon',
  'engine, executors and deliveries',
  'services and rules',
]);

/** The part that a source file belongs to. */
export const partOf = (source: string): string => parts.find(([, pattern]) => pattern.test(source))?.[0] ?? OTHER;

/**
 * Milliseconds of processor time for each part, the largest first. What a native function takes belongs to the function
 * that calls it. Idle time is left out.
 * @param nameOf names the part of a source file
 */
export const sharesOf = (
  { startTime, nodes, samples, timeDeltas }: Profile,
  { from, to }: Window,
  sourceOf: SourceOf,
  nameOf: (source: string) => string = partOf,
): readonly (readonly [part: string, ms: number])[] => {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const partOfNode = (id: number): string | undefined => {
    const frame = byId.get(id)?.callFrame;
    if (frame === undefined) return NATIVE;
    const { functionName, url } = frame;
    if (functionName === '(idle)') return undefined;
    if (functionName === '(garbage collector)') return GARBAGE;
    if (functionName === '(program)' || functionName === '(root)') return NATIVE;
    const parent = parents.get(id);
    return url === '' && parent !== undefined ? partOfNode(parent) : nameOf(sourceOf(frame));
  };
  const known = new Map<number, string | undefined>();
  const sums = new Map<string, number>();
  let at = startTime;
  for (const [index, id] of samples.entries()) {
    const took = timeDeltas[index] ?? 0;
    at += took;
    if (at < from || at > to) continue;
    if (!known.has(id)) known.set(id, partOfNode(id));
    const part = known.get(id);
    if (part !== undefined) sums.set(part, (sums.get(part) ?? 0) + took / 1_000);
  }
  return [...sums].sort(([, a], [, b]) => b - a);
};

/** The shares of several profiles together. */
export const sumOf = (profiles: readonly ReturnType<typeof sharesOf>[]): ReturnType<typeof sharesOf> => {
  const sums = new Map<string, number>();
  for (const [part, ms] of profiles.flat()) sums.set(part, (sums.get(part) ?? 0) + ms);
  return [...sums].sort(([, a], [, b]) => b - a);
};

/** Percentage of idle time above which the processor does not limit the number in a second. */
const IDLE = 20;

/**
 * What the code of the daemon itself takes of one of `count`, and what would be won without it.
 * @param idle percentage of time in which the daemon waited
 */
export const ownSentence = (shares: ReturnType<typeof sharesOf>, count: number, idle: number): string => {
  const busy = shares.reduce((sum, [, ms]) => sum + ms, 0);
  const ours = shares.reduce((sum, [part, ms]) => (own.has(part) ? sum + ms : sum), 0);
  const each = (ms: number): string => ((1_000 * ms) / count).toFixed(1);
  const said = `The code of the daemon itself takes ${each(ours)} of ${each(busy)} µs.`;
  if (idle > IDLE) return said;
  return `${said} Without all of it, and with the same garbage, there would be ${(busy / (busy - ours)).toFixed(2)} times as many in a second.`;
};

/** Shares below this percentage would be 0.0 in the table. */
const LEAST = 0.05;

/** The shares as a table in Markdown, each also in microseconds for one of `count`. */
export const sharesTable = (shares: ReturnType<typeof sharesOf>, count: number): string => {
  const busy = shares.reduce((sum, [, ms]) => sum + ms, 0);
  const lines = shares
    .filter(([, ms]) => (100 * ms) / busy >= LEAST)
    .map(([part, ms]) => `| ${part} | ${((100 * ms) / busy).toFixed(1)} % | ${((1_000 * ms) / count).toFixed(1)} µs |`);
  return ['| part | share | for each |', '|---|---|---|', ...lines].join('\n');
};
