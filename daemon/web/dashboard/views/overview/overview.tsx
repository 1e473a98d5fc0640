// The overview: the daemon, running executions, the last failures, and the last hour.

import { formatDetail, formatStatus } from '../../../../../src/contract/outcome.ts';
import { ask } from '../../api/call.ts';
import { usePolled } from '../../api/poll.ts';
import type { Answer } from '../../api/routes.ts';
import { outstandingOf } from '../../parts/actions/outstanding.ts';
import { Ago, Took } from '../../parts/ago.tsx';
import { formatBytes } from '../../parts/bytes.ts';
import { commandLine } from '../../parts/command.ts';
import { Problem } from '../../parts/problem.tsx';
import { Command } from '../../parts/terminal-line.tsx';
import { safe } from '../../parts/text.ts';
import { hashOf } from '../../shell/place.ts';
import { MinutesChart } from './minutes-chart.tsx';
import { StartHere } from './start-here.tsx';

type Activity = Answer<'GET /actors/v2/utilization/activity'>;
type Row = Activity['running'][number];

const EVERY_MS = 5_000;
const AFTER_EVENT_MS = 1_000;
/** Maximum rows of each list; the executions view shows all. */
const SHOWN = 10;
/** Number of the latest deliveries among which those are counted that failed. */
const DELIVERIES = 200;
const DELIVERIES_EVERY_MS = 15_000;

const nameOfRow = ({ actorName, actorId }: Row): string => safe(actorName === '' ? actorId : actorName);

const Figures = ({ activity }: { readonly activity: Activity }) => {
  const { actors, running, runningCount, waiting, minutes, disk } = activity;
  const ended = minutes.reduce((sum, minute) => sum + minute.ended, 0);
  const failed = minutes.reduce((sum, minute) => sum + minute.failed, 0);
  const total = actors.reduce((sum, { count }) => sum + count, 0);
  const broken = actors.find(({ status }) => status === 'ERROR')?.count ?? 0;
  // The response contains only the newest executions.
  const oldest = running.length === runningCount ? running.at(-1)?.startTime : undefined;
  return (
    <dl class="figures">
      <div>
        <dt>
          running{oldest === undefined ? '' : ', oldest '}
          {oldest === undefined ? null : <Ago time={oldest} />}
        </dt>
        <dd>{runningCount}</dd>
      </div>
      <div>
        <dt>messages waiting</dt>
        <dd>{waiting}</dd>
      </div>
      <div>
        <dt>ended in the last hour</dt>
        <dd>{ended}</dd>
      </div>
      <div>
        <dt>of them failed</dt>
        <dd class={failed > 0 ? 'bad' : ''}>{failed}</dd>
      </div>
      <div>
        <dt>actors{broken > 0 ? `, ${broken} in error` : ''}</dt>
        <dd>{total}</dd>
      </div>
      {disk === null ? null : (
        <div>
          <dt>disk free of {formatBytes(disk.totalBytes)}</dt>
          <dd>{formatBytes(disk.freeBytes)}</dd>
        </div>
      )}
    </dl>
  );
};

const Running = ({ rows, count }: { readonly rows: readonly Row[]; readonly count: number }) => (
  <section class="panel" aria-labelledby="running-title">
    <header>
      <h2 id="running-title">Running now</h2>
      <a class="soft" href={hashOf(['executions'], { status: 'RUNNING' })}>
        {count > SHOWN ? `all ${count}` : 'all'}
      </a>
    </header>
    {rows.length === 0 ? (
      <p class="empty">Nothing runs.</p>
    ) : (
      <table>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Actor</th>
            <th scope="col">Execution</th>
            <th scope="col">Runs for</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN).map((row) => (
            <tr key={row.id}>
              <td>{nameOfRow(row)}</td>
              <td>
                <a class="mono" data-row href={hashOf(['executions', row.id])}>
                  {row.id}
                </a>
              </td>
              <td class="num">
                <Took from={row.startTime} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </section>
);

const Failures = ({ rows }: { readonly rows: readonly Row[] }) => (
  <section class="panel" aria-labelledby="failures-title">
    <header>
      <h2 id="failures-title">Last failures</h2>
      <span class="soft">
        <a href={hashOf(['executions'], { status: 'failed' })}>exit codes</a>
        {', '}
        <a href={hashOf(['executions'], { status: 'ERROR' })}>errors</a>
      </span>
    </header>
    {rows.length === 0 ? (
      <p class="empty">Nothing failed.</p>
    ) : (
      <table>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Actor and reason</th>
            <th scope="col">Ended</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN).map((row) => (
            <tr key={row.id}>
              <td>
                <a data-row href={hashOf(['executions', row.id])}>
                  {nameOfRow(row)}{' '}
                  <span class="bad">
                    {safe([formatStatus(row), formatDetail(row)].filter((part) => part !== '').join(': '))}
                  </span>
                </a>
              </td>
              <td class="num soft">
                <Ago time={row.finishTime} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </section>
);

/** Events that did not reach their webhook. Nothing is shown if there are none. */
const Undelivered = () => {
  const { value } = usePolled(
    'undelivered',
    async (signal) =>
      outstandingOf((await ask('GET /actors/v2/deliveries', { query: { limit: DELIVERIES }, signal })).deliveries)
        .length,
    { every: DELIVERIES_EVERY_MS },
  );
  const count = value.value ?? 0;
  if (count === 0) return null;
  return (
    <p class="problem">
      {count === 1 ? 'One event' : `${count.toLocaleString('en')} events`} did not reach the webhook.{' '}
      <a class="link" href={hashOf(['events', 'deliveries'], { failed: 'true' })}>
        Failed deliveries
      </a>
    </p>
  );
};

const Machine = ({ activity: { daemon, engines, writable } }: { readonly activity: Activity }) => (
  <section class="panel" aria-labelledby="machine-title">
    <header>
      <h2 id="machine-title">Daemon and engines</h2>
    </header>
    <div class="body">
      <dl class="facts">
        <dt>daemon</dt>
        <dd>
          v{daemon.version}, instance {safe(daemon.instance)}, up <Took from={daemon.startTime} />
        </dd>
        {engines.map(({ name, available, detail }) => (
          <>
            <dt>{name}</dt>
            <dd>
              <span class={`status is-${available ? 'ok' : 'bad'}`}>{available ? 'available' : 'not available'}</span>{' '}
              <span class="soft">{safe(detail)}</span>
            </dd>
          </>
        ))}
        {writable ? null : (
          <>
            <dt>store</dt>
            <dd class="bad">The disk refuses writes.</dd>
          </>
        )}
      </dl>
      <Command line={commandLine('status')} />
    </div>
  </section>
);

/** Why processes of the daemon's machine cannot run. Undefined if they can. */
const processFault = ({ engines }: Activity): string | undefined =>
  engines.find(({ name, available }) => name === 'process' && !available)?.detail;

export const Overview = () => {
  const { value, problem } = usePolled('activity', (signal) => ask('GET /actors/v2/utilization/activity', { signal }), {
    every: EVERY_MS,
    afterEvents: AFTER_EVENT_MS,
  });
  const activity = value.value;
  return (
    <>
      <div class="head">
        <h1>Overview</h1>
        <Command line={commandLine('activity')} />
      </div>
      <Problem text={problem.value} />
      {activity === undefined ? null : (
        <>
          {activity.actors.length === 0 ? <StartHere refusal={processFault(activity)} /> : null}
          <Figures activity={activity} />
          <section class="panel" aria-labelledby="minutes-title">
            <header>
              <h2 id="minutes-title">Executions per minute</h2>
              <span class="soft">last hour</span>
            </header>
            <div class="body">
              <MinutesChart minutes={activity.minutes} />
            </div>
          </section>
          <div class="columns">
            <Running rows={activity.running} count={activity.runningCount} />
            <Failures rows={activity.failures} />
          </div>
          <Undelivered />
          <Machine activity={activity} />
        </>
      )}
    </>
  );
};
