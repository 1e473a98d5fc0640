// `activity`: shows running, waiting and failed executions.
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import { formatAgo, formatDuration } from '../../ui/format/time.ts';
import { plural } from '../../ui/text.ts';
import { formatOutcome } from '../executions/wait-for-outcome.ts';
import { action } from '../framework/command.ts';

type Activity = ResultOf<Operations['utilization.activity']>;
type Row = Activity['running'][number];

const GIGABYTE = 1_000_000_000;

const actorOf = ({ actorName, actorId }: Row): string => (actorName === '' ? actorId : actorName);

const failureLine = (row: Row, now: number): string => {
  const when = row.finishTime === undefined ? '' : `  ${formatAgo(Date.parse(row.finishTime), now)}`;
  return `failure   ${row.id}  ${actorOf(row)}  ${formatOutcome(row)}${when}`;
};

const runningLine = (row: Row, now: number): string =>
  `running   ${row.id}  ${actorOf(row)}  ${row.startTime === undefined ? '' : formatDuration(Math.max(0, now - Date.parse(row.startTime)))}`.trimEnd();

const linesOf = (activity: Activity, now: number): readonly string[] => {
  const { daemon, engines, disk, writable, running, runningCount, waiting, failures, minutes } = activity;
  const ended = minutes.reduce((sum, minute) => sum + minute.ended, 0);
  const failed = minutes.reduce((sum, minute) => sum + minute.failed, 0);
  return [
    `daemon    v${daemon.version}  up ${formatDuration(Math.max(0, now - Date.parse(daemon.startTime)))}${writable ? '' : '  the disk refuses writes'}`,
    ...engines.map(
      ({ name, available, detail }) => `${name.padEnd(10)}${available ? 'ok' : 'not available'}  ${detail}`,
    ),
    ...(disk === null
      ? []
      : [
          `disk      ${(disk.freeBytes / GIGABYTE).toFixed(1)} GB of ${(disk.totalBytes / GIGABYTE).toFixed(1)} GB free`,
        ]),
    `now       ${runningCount} running, ${plural(waiting, 'message')} waiting`,
    `1 hour    ${ended} ended, ${failed} of them failed`,
    ...running.map((row) => runningLine(row, now)),
    ...failures.slice(0, 10).map((row) => failureLine(row, now)),
  ];
};

export const activityCommand = action({
  operations: ['utilization.activity'],
  details: 'Covers the actors that you may read. The dashboard shows the same live: actorctl open',
  run: async ({ call, output, serviceClock }) => {
    const activity = await call('utilization.activity');
    output.report(linesOf(activity, serviceClock.now()).join('\n'), activity, String(activity.runningCount));
    return 0;
  },
});
