// `clock`: shows and moves the virtual clock of an instance.
import type { CommandContext } from '../../context.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import type { Moved } from '../../contract/owner/clock.ts';
import { formatInstant } from '../../contract/virtual-clock.ts';
import { CliFailure } from '../../failure.ts';
import { parseInstant, parseStep } from '../../ui/format/time.ts';
import { plural } from '../../ui/text.ts';
import { DEFAULT_WAIT_MS, limitFrom } from '../executions/wait-for-outcome.ts';
import { command, type LeafEntry } from '../framework/command.ts';
import { duration, flag, integer, required, type ValuesOf } from '../framework/option.ts';
import { refuseLimitWithout } from '../framework/time-limit.ts';
import { clockValue, formatClock, interruptedAdvance, isoTime } from './clock-words.ts';

type ClockReport = ResultOf<Operations['clock.show']>;

/** A move: to an instant (ms), or by months and ms. */
type ClockMove = { readonly to: number } | { readonly months: number; readonly ms: number };

/** Number of cron messages up to which a move needs no confirmation. */
const UNASKED = 10_000;

const formatWork = ({ running, queued }: Pick<ClockReport, 'running' | 'queued'>): string =>
  `executions run in real time: ${running} running, ${plural(queued, 'message')} waiting`;

const reportLines = (report: ClockReport): readonly string[] => {
  const { clock, machine, next } = report;
  const coming = next.map(
    ({ at, name, actorId }, index) => `${index === 0 ? 'next' : '    '}      ${formatInstant(at)}  ${name || actorId}`,
  );
  if (clock === undefined) return [`clock     that of the machine  ${formatInstant(machine)}`, ...coming];
  const interrupted = interruptedAdvance(clock);
  return [
    `clock     ${formatClock(clock)}`,
    `made at   ${formatInstant(clock.from)}`,
    `machine   ${formatInstant(machine)}`,
    ...coming,
    ...(interrupted === undefined ? [] : [`note      ${interrupted}`]),
    `note      ${formatWork(report)}`,
  ];
};

const reportValue = ({ clock, machine, next, running, queued }: ClockReport) => ({
  ...(clock === undefined ? { virtual: false, time: isoTime(machine) } : clockValue(clock)),
  machine_time: isoTime(machine),
  next: next.map(({ at, actorId, name }) => ({ time: isoTime(at), actor_id: actorId, actor: name })),
  executions: { running, queued },
});

const show = command({
  name: 'show',
  summary: 'Show the time of the instance',
  operations: ['clock.show'],
  details:
    'An instance has the system clock, or a virtual clock that was created with `actorctl up --virtual-clock`.\nAlso shows which schedules fire next.',
  run: async ({ manage, output }) => {
    const report = await manage('clock.show');
    const text = reportLines(report).map(output.sameTarget).join('\n');
    output.report(text, reportValue(report), isoTime(report.clock?.now ?? report.machine));
    return 0;
  },
});

const moveOnce = async ({ manage, output }: CommandContext, move: ClockMove, most: number): Promise<Moved> => {
  const progress = await output.progress('Moving the clock');
  try {
    const onText = (text: string): void => {
      const { fired, due } = JSON.parse(text) as { readonly fired: number; readonly due: number };
      progress.advance(due === 0 ? 1 : fired / due);
    };
    return await manage('clock.move', { ...move, most }, { onText });
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code !== 'CANCELLED') throw error;
    throw new CliFailure('CANCELLED', 'interrupted: the clock stands where it was then', {
      hint: 'actorctl clock show',
      cause: error,
    });
  } finally {
    progress.stop();
  }
};

const moveOptions = {
  max: integer('--max <n>', `ask for confirmation if more cron messages fall due (default ${UNASKED})`),
  settle: flag('--settle', 'wait until all executions and what they caused have ended'),
  timeout: duration('--timeout <duration>', 'time limit of --settle (default 10m), exit code 8 when it is over'),
};

type MoveOptions = ValuesOf<typeof moveOptions>;

const MOVE_DETAILS =
  'During the move, each schedule fires at each of its times, in order. Tokens, codes, nonces and everything else with a lifetime expire, and expired records are deleted. Afterwards the clock stands still. Executions run in real time. With --settle the command waits until everything in the instance has settled, with exit code 11 if anything failed since it began.';

const moveClock = async (
  context: CommandContext,
  move: ClockMove,
  { max = UNASKED, settle, timeout }: MoveOptions,
): Promise<number> => {
  const { manage, output, prompt } = context;
  refuseLimitWithout('--settle', settle, timeout);
  const settling = settle ? await import('../executions/settle.ts') : undefined;
  const awaited = await settling?.settleFrom(context);
  let moved = await moveOnce(context, move, max);
  while (!moved.moved) {
    const until = `${plural(moved.due, 'cron message')} will be sent until ${formatInstant(moved.to)}`;
    await prompt.confirm(`${until}, more than ${max} (--max). Send all of them?`);
    moved = await moveOnce(context, move, moved.due);
  }
  const settlement =
    awaited && (await settling?.waitUntilSettled(context, awaited, limitFrom(context, timeout ?? DEFAULT_WAIT_MS)));
  const { running, queued } = await manage('clock.show');
  const { from, to, due } = moved;
  output.result(
    `The clock stands still at ${formatInstant(to)} (${plural(due, 'cron message')} sent since ${formatInstant(from)})`,
    {
      ...{ virtual: true, from: isoTime(from), time: isoTime(to), fired: due, executions: { running, queued } },
      ...(settlement && settling?.settlementValue(settlement)),
    },
    isoTime(to),
  );
  if (running + queued > 0) output.note(formatWork({ running, queued }));
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
  run: (context, { instant }, options) => moveClock(context, { to: parseInstant(instant) }, options),
});

const advance = command({
  name: 'advance',
  summary: 'Move the virtual clock forward',
  operations: ['clock.move', 'executions.settleAll'],
  details: `Months (mo) and years (y) are calendar months and years.\n${MOVE_DETAILS}`,
  args: { duration: required('like 90s, 3h, 1d12h, 2w, 1mo or 1y', { like: ['1h', '1d', '1w', '1mo', '1y'] }) },
  options: moveOptions,
  examples: ['actorctl clock advance 1d --settle', 'actorctl clock advance 1y --max 20000'],
  run: (context, { duration: step }, options) => moveClock(context, parseStep(step), options),
});

const change = (name: 'pause' | 'resume', summary: string, details: string): LeafEntry =>
  command({
    name,
    summary,
    operations: [`clock.${name}`],
    details,
    run: async ({ manage, output }) => {
      const { clock } = await manage(`clock.${name}`);
      const sentence = `The clock ${clock.running ? 'runs from' : 'stands still at'} ${formatInstant(clock.now)}`;
      output.result(sentence, clockValue(clock), isoTime(clock.now));
      return 0;
    },
  });

export const clockCommands: readonly LeafEntry[] = [
  show,
  set,
  advance,
  change('pause', 'Stop the virtual clock where it is', 'Does nothing if it stands still.'),
  change(
    'resume',
    'Let the virtual clock run',
    'The virtual clock runs as fast as the system clock, even while the daemon is down. Does nothing if the clock already runs.',
  ),
];
