// The log of an execution: live, with colours, search, following and download.
import { signal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { follow } from '../../api/event-stream.ts';
import { formatFailure } from '../../api/failure.ts';
import { addressOf } from '../../api/routes.ts';
import { download } from '../../parts/actions/download.ts';
import { commandLine, quoted } from '../../parts/command.ts';
import { createLogLines } from '../../parts/log-lines.ts';
import { Problem } from '../../parts/problem.tsx';
import { windowOf } from '../../parts/row-blocks.ts';
import { TerminalLine } from '../../parts/terminal-line.tsx';
import { formatClock } from '../../parts/time.ts';

/** Height of a line in CSS pixels, as in the stylesheet. */
const LINE = 18;

const createLog = (actorId: string, executionId: string) => {
  const log = createLogLines();
  const count = signal(0);
  const ended = signal(false);
  const problem = signal<string | undefined>(undefined);
  let scheduled = false;
  const publish = (): void => {
    scheduled = false;
    count.value = log.lines.length;
    version.value += 1;
  };
  const version = signal(0);
  const controller = new AbortController();
  const run = (): (() => void) => {
    const address = () => addressOf('GET /actors/v2/:actorId/executions/:executionId/logs', { actorId, executionId });
    follow({
      address,
      signal: controller.signal,
      onMessage: ({ name, data }) => {
        if (name === 'end') {
          ended.value = true;
          publish();
          return true;
        }
        if (name === 'log') {
          const { stream, time, text } = JSON.parse(data) as { stream: string; time: string; text: string };
          log.add(stream, time, text);
          if (!scheduled) {
            scheduled = true;
            setTimeout(publish, 50);
          }
        }
        return undefined;
      },
    }).catch((error: unknown) => {
      problem.value = formatFailure(error);
    });
    return () => controller.abort();
  };
  return { lines: log.lines, count, version, ended, problem, run };
};

interface LogViewProps {
  readonly actorId: string;
  readonly executionId: string;
  /** True if the middle of the log is left out. */
  readonly isCut?: boolean;
}

export const LogView = ({ actorId, executionId, isCut = false }: LogViewProps) => {
  const log = useMemo(() => createLog(actorId, executionId), [actorId, executionId]);
  useEffect(() => log.run(), [log]);
  const box = useRef<HTMLDivElement>(null);
  const following = useSignal(true);
  const dated = useSignal(false);
  const query = useSignal('');
  const hit = useSignal(0);
  const drawn = useSignal({ first: 0, last: 40 });
  const count = log.count.value;
  const version = log.version.value;

  const wanted = query.value.toLowerCase();
  const hits = useMemo(
    () => (wanted === '' ? [] : log.lines.flatMap(({ text }, at) => (text.toLowerCase().includes(wanted) ? [at] : []))),
    [wanted, version, log],
  );
  const current = hits[hit.value % Math.max(1, hits.length)];

  const measure = (): void => {
    const element = box.current;
    if (element === null) return;
    const next = windowOf(element.scrollTop, element.clientHeight, LINE, log.count.peek());
    if (next.first !== drawn.peek().first || next.last !== drawn.peek().last) drawn.value = next;
  };
  const scrolled = (): void => {
    const element = box.current;
    if (element === null) return;
    following.value = element.scrollTop + element.clientHeight >= element.scrollHeight - LINE;
    measure();
  };
  useEffect(() => {
    if (following.peek() && !log.ended.peek()) box.current?.scrollTo({ top: box.current.scrollHeight });
    measure();
  }, [version]);
  useEffect(() => {
    if (current !== undefined) box.current?.scrollTo({ top: Math.max(0, current * LINE - 120) });
  }, [current]);

  const step = (by: 1 | -1): void => {
    hit.value += by === 1 ? 1 : Math.max(0, hits.length - 1);
  };
  const hasStderr = useMemo(() => log.lines.some(({ stream }) => stream === 'stderr'), [version, log]);
  const { first, last } = drawn.value;
  const rows = log.lines.slice(first, last + 1);
  return (
    <section class="panel" aria-labelledby="log-title">
      <header>
        <h2 id="log-title">Log</h2>
        <span class="soft" role="status">
          {count.toLocaleString('en')} {count === 1 ? 'line' : 'lines'}
          {log.ended.value ? '' : ', live'}
          {isCut ? ', cut in the middle' : ''}
        </span>
        {hasStderr ? <span class="legend">stderr</span> : null}
        <div class="actions">
          <input
            type="search"
            data-search
            aria-label="Search the log"
            placeholder="Search the log  /"
            value={query.value}
            onInput={(event) => {
              query.value = event.currentTarget.value;
              hit.value = 0;
            }}
            onKeyDown={(event) => {
              if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
            }}
          />
          {wanted === '' ? null : (
            <span class="soft" role="status">
              {hits.length > 0
                ? `${(hit.value % hits.length) + 1} of ${hits.length}`
                : isCut
                  ? 'not found in the parts that are kept'
                  : 'not found'}
            </span>
          )}
          {hits.length < 2 ? null : (
            <>
              <button type="button" class="quiet" aria-label="Previous hit" onClick={() => step(-1)}>
                ↑
              </button>
              <button type="button" class="quiet" aria-label="Next hit" onClick={() => step(1)}>
                ↓
              </button>
            </>
          )}
          {log.ended.value ? null : (
            <label>
              <input
                type="checkbox"
                checked={following.value}
                onChange={(event) => {
                  following.value = event.currentTarget.checked;
                  if (following.value) box.current?.scrollTo({ top: box.current.scrollHeight });
                }}
              />{' '}
              Follow
            </label>
          )}
          <label>
            <input
              type="checkbox"
              checked={dated.value}
              onChange={(event) => {
                dated.value = event.currentTarget.checked;
              }}
            />{' '}
            Times
          </label>
          <button
            type="button"
            onClick={() => download(log.lines.map(({ text }) => `${text}\n`).join(''), `${executionId}.log`)}
          >
            Download
          </button>
        </div>
      </header>
      <Problem text={log.problem.value} />
      {count === 0 ? (
        <p class="empty">{log.ended.value ? 'The log is empty.' : 'No output yet.'}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a person scrolls it by keyboard
        <div class="log" ref={box} onScroll={scrolled} tabIndex={0} role="log" aria-label="Output" aria-live="off">
          <div class="space" style={{ height: `${count * LINE}px` }}>
            {rows.map((line, index) => {
              const at = first + index;
              return (
                <div
                  key={at}
                  class={`line ${line.stream === 'stdout' ? '' : line.stream} ${at === current ? 'is-hit' : ''}`}
                  style={{ top: `${at * LINE}px` }}
                  title={formatClock(Date.parse(line.time))}
                >
                  <span class="number">{at + 1}</span>
                  {dated.value ? <span class="soft">{formatClock(Date.parse(line.time))} </span> : null}
                  {line.spans.map((span, part) => (
                    <span key={part} class={span.style}>
                      {span.text}
                    </span>
                  ))}
                </div>
              );
            })}
          </div>
        </div>
      )}
      <div class="body">
        <TerminalLine line={commandLine('logs', executionId, ...(log.ended.value ? [] : ['-f']))} />
        <TerminalLine line={`${commandLine('logs', executionId)} > ${quoted(`${executionId}.log`)}`} />
      </div>
    </section>
  );
};
