// One execution: its status and actions, log, message, result, timings, causes and effects.
import { formatDetail } from '../../../../../src/contract/outcome.ts';
import { ask } from '../../api/call.ts';
import { usePolled } from '../../api/poll.ts';
import { serviceNow } from '../../api/service-time.ts';
import { Ago, Took } from '../../parts/ago.tsx';
import { formatBytes } from '../../parts/bytes.ts';
import { commandLine } from '../../parts/command.ts';
import { nameOf } from '../../parts/names.ts';
import { hasFailed } from '../../parts/outcome.ts';
import { Problem } from '../../parts/problem.tsx';
import { ExecutionStatus } from '../../parts/status.tsx';
import { Command } from '../../parts/terminal-line.tsx';
import { safe, safeLines } from '../../parts/text.ts';
import { formatDuration, formatMoment } from '../../parts/time.ts';
import { hashOf } from '../../shell/place.ts';
import { place } from '../../shell/router.ts';
import { WaitingPlace } from '../actors/waiting.tsx';
import { ExecutionActions } from './execution-actions.tsx';
import { LogView } from './log/log-view.tsx';
import { Results } from './results.tsx';
import { timingsOf } from './timings.ts';
import type { Execution } from './why.ts';
import { WhyTree } from './why-tree.tsx';

const EVERY_MS = 2_000;
const AFTER_EVENT_MS = 300;

const isOver = ({ status }: Execution): boolean => status !== 'SUBMITTED' && status !== 'RUNNING';

const Timings = ({ execution }: { readonly execution: Execution }) => {
  const timings = timingsOf(execution, serviceNow());
  return (
    <figure class="timings">
      <div class="timing-bar" aria-hidden="true">
        {timings.map(({ name, percent }) => (
          <span key={name} class={`is-${name}`} style={{ width: `${percent}%` }} />
        ))}
      </div>
      <figcaption>
        {timings.map(({ name, ms }) => (
          <span key={name} class={`timing is-${name}`}>
            {name} {formatDuration(ms)}
          </span>
        ))}
      </figcaption>
    </figure>
  );
};

const Facts = ({ execution }: { readonly execution: Execution }) => {
  const {
    actorId,
    executor,
    trigger,
    messageReceivedTime,
    startTime,
    finishTime,
    workerId,
    node,
    cpu,
    io,
    logLeftOut,
    rerunOf,
    warnings,
  } = execution;
  return (
    <section class="panel" aria-labelledby="facts-title">
      <header>
        <h2 id="facts-title">Execution</h2>
      </header>
      <div class="body">
        <Timings execution={execution} />
        <dl class="facts">
          <dt>actor</dt>
          <dd>
            <a class="link" href={hashOf(['actors', actorId])}>
              {nameOf(actorId)}
            </a>
          </dd>
          <dt>sent by</dt>
          <dd>
            {safe(executor)}
            {trigger === 'message' || trigger === executor ? '' : `, by ${trigger}`}
          </dd>
          {rerunOf === undefined ? null : (
            <>
              <dt>rerun of</dt>
              <dd>
                <a class="link mono" href={hashOf(['executions', rerunOf])}>
                  {rerunOf}
                </a>
              </dd>
            </>
          )}
          <dt>received</dt>
          <dd>{formatMoment(Date.parse(messageReceivedTime))}</dd>
          <dt>started</dt>
          <dd>{startTime === undefined ? '–' : formatMoment(Date.parse(startTime))}</dd>
          <dt>finished</dt>
          <dd>{finishTime === undefined ? '–' : formatMoment(Date.parse(finishTime))}</dd>
          {workerId === undefined ? null : (
            <>
              <dt>worker</dt>
              <dd>
                <code>{workerId}</code>
                {node === undefined ? '' : ` on ${safe(node)}`}
              </dd>
            </>
          )}
          {cpu === undefined ? null : (
            <>
              <dt>processor</dt>
              <dd>{formatDuration(cpu / 1_000_000)}</dd>
            </>
          )}
          {io === undefined ? null : (
            <>
              <dt>received data</dt>
              <dd>{formatBytes(io)}</dd>
            </>
          )}
          {logLeftOut === undefined || logLeftOut === 0 ? null : (
            <>
              <dt>log</dt>
              <dd>{logLeftOut === null ? 'cut' : `cut in the middle: at least ${formatBytes(logLeftOut)} left out`}</dd>
            </>
          )}
          {warnings === undefined ? null : (
            <>
              <dt>engine</dt>
              <dd class="soft">{warnings.map(safe).join('; ')}</dd>
            </>
          )}
        </dl>
        <Command line={commandLine('executions', 'show', execution.id)} />
      </div>
    </section>
  );
};

const Message = ({ execution: { message, variables } }: { readonly execution: Execution }) => (
  <section class="panel" aria-labelledby="message-title">
    <header>
      <h2 id="message-title">Message</h2>
      <span class="soft">{message?.type ?? ''}</span>
    </header>
    <div class="body">
      {message === undefined ? (
        <p class="soft">The message is not stored in full, or you may not send it again.</p>
      ) : message.type === 'binary' ? (
        <p class="soft">{formatBytes(Math.floor((message.text.length * 3) / 4))} of binary data.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a person scrolls it by keyboard
        <pre class="plain" tabIndex={0}>
          {safeLines(message.text)}
        </pre>
      )}
      {variables === undefined || variables.length === 0 ? null : (
        <p class="soft">with {variables.map(safe).join(', ')}</p>
      )}
    </div>
  </section>
);

/** What happened at the run that the overview of an empty platform started. */
const FirstRun = ({ actorId }: { readonly actorId: string }) => (
  <section class="panel" aria-labelledby="first-run-title">
    <header>
      <h2 id="first-run-title">Your first run</h2>
    </header>
    <div class="body">
      <ol>
        <li>An actor was created. Its program is the shell script wordcount.sh.</li>
        <li>A message was sent to it: “to be or not to be”.</li>
        <li>The platform started the program for this message. This is one execution.</li>
        <li>The log has what the program wrote. The word “complete” at the top means success.</li>
      </ol>
      <div class="actions">
        <a class="button" href={hashOf(['actors', actorId])}>
          Send another message
        </a>
        <a class="button" href={hashOf(['actors', actorId], { tab: 'about' })}>
          Where its program is
        </a>
      </div>
    </div>
  </section>
);

export const Detail = ({ id }: { readonly id: string }) => {
  const { value, problem, again } = usePolled(
    id,
    (signal) => ask('GET /actors/v2/executions/:executionId', { params: { executionId: id }, signal }),
    { every: EVERY_MS, afterEvents: AFTER_EVENT_MS, concerns: (event) => event.execution_id === id, isOver },
  );
  const execution = value.value;
  return (
    <>
      <div class="head">
        <h1>
          <a class="crumb" href={hashOf(['executions'])}>
            Executions /
          </a>{' '}
          <span class="mono">{safe(id)}</span>
        </h1>
        {execution === undefined ? null : <ExecutionActions execution={execution} onDone={again} />}
      </div>
      <Problem text={problem.value} />
      {execution === undefined ? null : (
        <>
          <p class="summary">
            <ExecutionStatus execution={execution} />
            <span class={hasFailed(execution) ? 'bad' : ''}>{safe(formatDetail(execution))}</span>
            <span class="soft">
              {execution.startTime === undefined ? null : <Took from={execution.startTime} to={execution.finishTime} />}
              {execution.finishTime === undefined ? null : (
                <>
                  {execution.startTime === undefined ? '' : ', '}ended <Ago time={execution.finishTime} /> ago
                </>
              )}
            </span>
          </p>
          {execution.status === 'SUBMITTED' ? (
            <WaitingPlace actorId={execution.actorId} executionId={id} onCancelled={again} />
          ) : null}
          {place.value.query['started'] === 'example' ? <FirstRun actorId={execution.actorId} /> : null}
          <div class="split">
            <LogView
              actorId={execution.actorId}
              executionId={id}
              isCut={execution.logLeftOut !== undefined && execution.logLeftOut !== 0}
              line={Number(place.value.query['line']) || undefined}
            />
            <div class="side">
              <Facts execution={execution} />
              <Message execution={execution} />
              <Results execution={execution} />
              <WhyTree id={execution.id} />
            </div>
          </div>
        </>
      )}
    </>
  );
};
