// The overview: the daemon, running executions, the last failures, and the last hour.

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
import { Failures, Running } from './run-panels.tsx';
import { StartHere } from './start-here.tsx';

type Activity = Answer<'GET /actors/v2/utilization/activity'>;

const EVERY_MS = 5_000;
const AFTER_EVENT_MS = 1_000;
/** Number of the latest deliveries among which those are counted that failed. */
const DELIVERIES = 200;
const DELIVERIES_EVERY_MS = 15_000;

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
        <dt>
          actors
          {broken > 0 ? (
            <>
              {', '}
              <a class="link" href={hashOf(['actors'], { q: 'error' })}>
                {broken} in error
              </a>
            </>
          ) : null}
        </dt>
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
