// `daemon logs`: prints the log of the daemon as text or JSON.
import type { CommandContext } from '../../context.ts';
import { linesOf, readFrom, tail } from '../../local/log-file.ts';
import { parseTime } from '../../ui/format/time.ts';
import { choice, flag, integer, text, type ValuesOf } from '../framework/option.ts';
import { followTimeout, refuseLimitWithout, withTimeout } from '../framework/time-limit.ts';

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
type Level = (typeof levels)[number];

export const daemonLogOptions = {
  follow: flag('-f, --follow', 'keep printing new lines'),
  lines: integer('-n, --lines <n>', 'show this many lines from the end (default 200)'),
  since: text('--since <time>', 'show lines since this time: 10m, or a timestamp'),
  level: choice('--level <level>', 'show lines of this severity and above', levels),
  timeout: followTimeout,
};

interface Entry {
  /** Milliseconds since the epoch; 0 if the line has no time. */
  readonly time: number;
  readonly level: Level;
  readonly message: string;
  readonly rest: Readonly<Record<string, unknown>>;
}

const levelOf = (value: unknown): Level => {
  if (typeof value === 'string') return levels.find((level) => level === value.toLowerCase()) ?? 'info';
  // pino levels are multiples of ten: 10 is trace, 60 is fatal.
  return levels[Math.min(Math.max(Math.floor(Number(value) / 10) - 1, 0), levels.length - 1)] ?? 'info';
};

const timeOf = (value: unknown): number => (typeof value === 'number' ? value : Date.parse(String(value)) || 0);

const entryOf = (line: string): Entry => {
  try {
    const { time, level, msg, pid: _pid, hostname: _host, ...rest }: Record<string, unknown> = JSON.parse(line);
    return { time: timeOf(time), level: levelOf(level ?? 30), message: String(msg ?? ''), rest };
  } catch {
    // A line that is not JSON does not come from the logger. It is shown unchanged.
    return { time: 0, level: 'info', message: line, rest: {} };
  }
};

const worded = ({ time, level, message, rest }: Entry): string => {
  const clock = time === 0 ? '' : `${new Date(time).toISOString().slice(11, 23)} `;
  const facts = Object.entries(rest).map(
    ([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return `${clock}${level.toUpperCase().padEnd(5)} ${message}${facts.join('')}\n`;
};

const documented = ({ time, level, message, rest }: Entry) => ({
  time: time === 0 ? null : new Date(time).toISOString(),
  level,
  msg: message,
  ...rest,
});

const FOLLOW_MS = 250;

/** Prints the log. With `follow`, continues until the signal aborts. */
const printLogs = async (
  { paths, output, now, sleep, signal }: CommandContext,
  given: ValuesOf<typeof daemonLogOptions>,
): Promise<void> => {
  const since = given.since === undefined ? 0 : parseTime(given.since, now());
  const least = levels.indexOf(given.level ?? 'trace');
  const print = async (lines: readonly Entry[]): Promise<void> => {
    for (const entry of lines) await output.event(worded(entry), documented(entry));
  };
  const wanted = ({ time, level }: Entry): boolean => time >= since && levels.indexOf(level) >= least;
  // The end position is read before the lines, so that a line written in between is shown twice rather than lost.
  let { end } = await readFrom(paths.daemonLog, -1);
  const before = (await tail(paths.daemonLog, Number.POSITIVE_INFINITY)).map(entryOf).filter(wanted);
  await print(before.slice(-(given.lines ?? 200) || before.length));
  while (given.follow && !signal.aborted) {
    const added = await readFrom(paths.daemonLog, end);
    ({ end } = added);
    await print(linesOf(added.text).map(entryOf).filter(wanted));
    if (added.text === '') await sleep(FOLLOW_MS);
  }
};

export const showDaemonLogs = async (
  context: CommandContext,
  given: ValuesOf<typeof daemonLogOptions>,
): Promise<number> => {
  const { timeout, follow } = given;
  refuseLimitWithout('--follow', follow, timeout);
  if (follow) context.output.watchReader();
  await withTimeout(context, { timeout, goesOn: 'the daemon runs on' }, (within) => printLogs(within, given));
  return 0;
};
