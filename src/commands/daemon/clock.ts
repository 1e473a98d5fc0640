// `clock`: shows and moves the virtual clock of an instance.
import type { CommandContext } from '../../context.ts';
import { UNASKED_RUNS } from '../../contract/for-client.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import { formatInstant } from '../../contract/virtual-clock.ts';
import { CliFailure } from '../../failure.ts';
import { parseInstant, parseStep } from '../../ui/format/time.ts';
import { plural } from '../../ui/text.ts';
import { DEFAULT_WAIT_MS, limitFrom } from '../executions/wait-for-outcome.ts';
import { command, type LeafEntry } from '../framework/command.ts';
import { duration, flag, integer, required, type ValuesOf } from '../framework/option.ts';
import { refuseLimitWithout } from '../framework/time-limit.ts';
import { type ClockReport, clockValue, formatClock, interruptedAdvance, isoTime, stateOf } from './clock-words.ts';

/** A move: to a time, or by a duration like `1d12h`. */
type ClockMove = { readonly to: string } | { readonly by: string };

type Moved = ResultOf<Operations['clock.move']>;

/** Time (ms) between two reads of the progress of a move. */
const PROGRESS_EVERY_MS = 500;

const instantOf = (time: string): string => formatInstant(Date.parse(time));

const formatWork = ({ running, queued }: Moved['executions']): string =>
  `executions run in real time: ${running} running, ${plural(queued, 'message')} waiting`;

const reportLines = ({ clock, machineTime, next = [], executions }: ClockReport): readonly string[] => {
  const coming = next.map(
    ({ time, actor, actorId }, index) =>
      `${index === 0 ? 'next' : '    '}      ${instantOf(time)}  ${actor || actorId}`,
  );
  if (clock === undefined) return [`clock     that of the machine  ${instantOf(machineTime)}`, ...coming];
  const interrupted = interruptedAdvance(stateOf(clock));
  return [
    `clock     ${formatClock(stateOf(clock))}`,
    ...(clock.madeTime === undefined ? [] : [`made at   ${instantOf(clock.madeTime)}`]),
    `machine   ${instantOf(machineTime)}`,
    ...coming,
    ...(interrupted === undefined ? [] : [`note      ${interrupted}`]),
    ...(executions === undefined ? [] : [`note      ${formatWork(executions)}`]),
  ];
};

const reportValue = ({ clock, machineTime, next = [], executions }: ClockReport) => ({
  ...(clock === undefined
    ? { virtual: false, time: machineTime }
    : { ...clockValue(stateOf(clock)), made_at: clock.madeTime ?? null }),
  machine_time: machineTime,
  next: next.map(({ time, actorId, actor }) => ({ time, actor_id: actorId, actor })),
  executions: executions ?? null,
});

const show = command({
  name: 'show',
  summary: 'Show the time of the instance',
  operations: ['clock.show'],
  details:
    'An instance has the system clock, or a virtual clock that was created with `actorctl up --virtual-clock`.\nAlso shows which schedules fire next. For the daemon of this machine, `clock` needs no login. For another service, only an admin of the first tenant can change the clock.',
  run: async ({ call, output }) => {
    const report = await call('clock.show');
    const text = reportLines(report).map(output.sameTarget).join('\n');
    output.report(text, reportValue(report), report.clock?.time ?? report.machineTime);
    return 0;
  },
});

/** Shows the progress of a move until `ended` fires. A failed read changes nothing: the move itself reports the failure. */
const followMove = async (
  { call, sleep }: CommandContext,
  advance: (part: number) => void,
  ended: AbortSignal,
): Promise<void> => {
  while (!ended.aborted) {
    await sleep(PROGRESS_EVERY_MS);
    if (ended.aborted) return;
    const { clock } = await call('clock.show', { signal: ended });
    if (clock?.due !== undefined && clock.fired !== undefined) advance(clock.due === 0 ? 1 : clock.fired / clock.due);
  }
};

const moveOnce = async (context: CommandContext, move: ClockMove, most: number): Promise<Moved> => {
  const progress = await context.output.progress('Moving the clock');
  const ended = new AbortController();
  void followMove(context, progress.advance, ended.signal).catch(() => undefined);
  try {
    return await context.call('clock.move', { body: { ...move, most }, timeoutMs: 0 });
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code !== 'CANCELLED') throw error;
    throw new CliFailure('CANCELLED', 'interrupted: the clock stands where it was then', {
      hint: 'actorctl clock show',
      cause: error,
    });
  } finally {
    ended.abort();
    progress.stop();
  }
};

const moveOptions = {
  max: integer('--max <n>', `ask for confirmation if more cron messages fall due (default ${UNASKED_RUNS})`),
  settle: flag('--settle', 'wait until all executions and what they caused have ended'),
  timeout: duration('--timeout <duration>', 'time limit of --settle (default 10m), exit code 8 when it is over'),
};

type MoveOptions = ValuesOf<typeof moveOptions>;

const MOVE_DETAILS =
  'During the move, each schedule fires at each of its times, in order. Tokens, codes, nonces and everything else with a lifetime expire, and expired records are deleted. Afterwards the clock is paused. Executions run in real time. With --settle the command waits until everything in the instance has settled, with exit code 11 if anything failed since it began.';

const moveClock = async (
  context: CommandContext,
  move: ClockMove,
  { max = UNASKED_RUNS, settle, timeout }: MoveOptions,
): Promise<number> => {
  const { output, prompt } = context;
  refuseLimitWithout('--settle', settle, timeout);
  const settling = settle ? await import('../executions/settle.ts') : undefined;
  const awaited = await settling?.settleFrom(context);
  let moved = await moveOnce(context, move, max);
  while (!moved.moved) {
    const until = `${plural(moved.due, 'cron message')} will be sent until ${instantOf(moved.to)}`;
    await prompt.confirm(`${until}, more than ${max} (--max). Send all of them?`);
    moved = await moveOnce(context, move, moved.due);
  }
  const settlement =
    awaited && (await settling?.waitUntilSettled(context, awaited, limitFrom(context, timeout ?? DEFAULT_WAIT_MS)));
  const { from, to, due } = moved;
  const executions =
    awaited === undefined ? moved.executions : ((await context.call('clock.show')).executions ?? moved.executions);
  output.result(
    `The clock is paused at ${instantOf(to)} (${plural(due, 'cron message')} sent since ${instantOf(from)})`,
    {
      ...{ virtual: true, from, time: to, fired: due, executions },
      ...(settlement && settling?.settlementValue(settlement)),
    },
    to,
  );
  if (executions.running + executions.queued > 0) output.note(formatWork(executions));
  if (settling === undefined || settlement === undefined) return 0;
  for (const line of await settling.settlementLines(context, settlement)) output.note(line);
  return settling.exitCodeOfSettlement(settlement);
};

const set = command({
  name: 'set',
  summary: 'Move the virtual clock to an instant',
  operations: ['clock.move', 'executions.settleAll'],
  details: `The instant must not be earlier than the clock.\n${MOVE_DETAILS}`,
  args: { instant: required('RFC 3339, like 2030-01-31T12:00:00Z, or @ and Unix seconds') },
  options: moveOptions,
  examples: ['actorctl clock set 2030-02-01'],
  run: (context, { instant }, options) => moveClock(context, { to: isoTime(parseInstant(instant)) }, options),
});

const advance = command({
  name: 'advance',
  summary: 'Move the virtual clock forward',
  operations: ['clock.move', 'executions.settleAll'],
  details: `Months (mo) and years (y) are calendar months and years.\n${MOVE_DETAILS}`,
  args: { duration: required('like 90s, 3h, 1d12h, 2w, 1mo or 1y', { like: ['1h', '1d', '1w', '1mo', '1y'] }) },
  options: moveOptions,
  examples: ['actorctl clock advance 1d --settle', 'actorctl clock advance 1y --max 20000'],
  run: (context, { duration: step }, options) => moveClock(context, { by: parseStep(step) }, options),
});

const change = (name: 'pause' | 'resume', summary: string, details: string): LeafEntry =>
  command({
    name,
    summary,
    operations: [`clock.${name}`],
    details,
    run: async ({ call, output }) => {
      const clock = stateOf(await call(`clock.${name}`));
      const sentence = `The clock ${clock.running ? 'runs from' : 'is paused at'} ${formatInstant(clock.now)}`;
      output.result(sentence, clockValue(clock), isoTime(clock.now));
      return 0;
    },
  });

export const clockCommands: readonly LeafEntry[] = [
  show,
  set,
  advance,
  change('pause', 'Stop the virtual clock where it is', 'Does nothing if it is paused.'),
  change(
    'resume',
    'Let the virtual clock run',
    'The virtual clock runs as fast as the system clock, even while the daemon is down. Does nothing if the clock already runs.',
  ),
];
