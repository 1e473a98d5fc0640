// The log of an execution: live, with colours, search, following, wrapping, a table of JSON lines, and download.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Problem } from '../../../parts/problem.tsx';
import { windowOf } from '../../../parts/row-blocks.ts';
import { LogBar } from './log-bar.tsx';
import { Row, TableHead, TableRow } from './log-row.tsx';
import { columnsOf, layOut } from './log-rows.ts';
import { createLog } from './log-source.ts';

/** Height of a row in CSS pixels, as in the stylesheet. */
const ROW = 18;
/** Space above the row that is scrolled to. */
const ABOVE = 120;

interface LogViewProps {
  readonly actorId: string;
  readonly executionId: string;
  /** True if the middle of the log is left out. */
  readonly isCut?: boolean;
  /** Number of the line of the address. */
  readonly line?: number | undefined;
}

export const LogView = ({ actorId, executionId, isCut = false, line }: LogViewProps) => {
  const log = useMemo(() => createLog(actorId, executionId), [actorId, executionId]);
  useEffect(() => log.run(), [log]);
  const panel = useRef<HTMLElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const cell = useRef<HTMLSpanElement>(null);
  const following = useSignal(line === undefined);
  const dated = useSignal(false);
  const wrapped = useSignal(false);
  const tabular = useSignal(false);
  const query = useSignal('');
  const hit = useSignal(0);
  const columns = useSignal(80);
  const drawn = useSignal({ first: 0, last: 40 });
  const count = log.count.value;
  const version = log.version.value;

  const wanted = query.value.toLowerCase();
  const hits = useMemo(
    () => (wanted === '' ? [] : log.lines.flatMap(({ text }, at) => (text.toLowerCase().includes(wanted) ? [at] : []))),
    [wanted, version, log],
  );
  const hitLine = hits[hit.value % Math.max(1, hits.length)];
  const fields = useMemo(() => columnsOf(log.lines), [version, log]);
  const isTable = tabular.value && fields.length > 0;
  const isWrapped = wrapped.value && !isTable;
  const rows = useMemo(
    () => layOut(log.lines, isWrapped ? columns.value : undefined),
    [version, log, isWrapped, columns.value],
  );
  const named = line !== undefined && line <= count ? line - 1 : undefined;

  const measure = (): void => {
    const element = box.current;
    if (element === null) return;
    const next = windowOf(element.scrollTop, element.clientHeight, ROW, rows.total);
    if (next.first !== drawn.peek().first || next.last !== drawn.peek().last) drawn.value = next;
    const [width, prefix] = [cell.current?.getBoundingClientRect().width ?? 0, cell.current?.offsetLeft ?? 0];
    if (width > 0) columns.value = Math.max(20, Math.floor((element.clientWidth - prefix) / width) - 2);
  };
  const show = (at: number): void => box.current?.scrollTo({ top: Math.max(0, rows.rowOf(at) * ROW - ABOVE) });
  useEffect(() => {
    if (following.peek() && !log.ended.peek()) box.current?.scrollTo({ top: box.current.scrollHeight });
    measure();
  }, [version, rows, dated.value]);
  useEffect(() => {
    if (hitLine !== undefined) show(hitLine);
  }, [hitLine, rows]);
  useEffect(() => {
    if (named !== undefined) show(named);
  }, [named]);
  useEffect(() => {
    addEventListener('resize', measure);
    return () => removeEventListener('resize', measure);
  });

  const visible = Array.from({ length: Math.min(drawn.value.last + 1, rows.total) - drawn.value.first }, (_, index) => {
    const row = drawn.value.first + index;
    return { row, ...rows.at(row) };
  });
  return (
    <section class="panel log-panel" aria-labelledby="log-title" ref={panel}>
      <LogBar
        log={log}
        isCut={isCut}
        executionId={executionId}
        search={{ query, hit, hits: hits.length }}
        choices={[
          ...(fields.length > 0 ? [['Table', tabular] as const] : []),
          ...(isTable ? [] : [['Wrap', wrapped] as const]),
          ['Times', dated],
        ]}
        following={following}
        onFollow={() => box.current?.scrollTo({ top: box.current.scrollHeight })}
        onFullScreen={() =>
          void (document.fullscreenElement ? document.exitFullscreen() : panel.current?.requestFullscreen())
        }
      />
      <Problem text={log.problem.value} />
      {count === 0 ? (
        <p class="empty">{log.ended.value ? 'The log is empty.' : 'No output yet.'}</p>
      ) : (
        <div
          class={`log ${isTable ? 'is-table' : ''}`}
          ref={box}
          onScroll={() => {
            const element = box.current;
            if (element !== null)
              following.value = element.scrollTop + element.clientHeight >= element.scrollHeight - ROW;
            measure();
          }}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a person scrolls it by keyboard
          tabIndex={0}
          role="log"
          aria-label="Output"
          aria-live="off"
        >
          {isTable ? <TableHead fields={fields} isDated={dated.value} /> : null}
          <div class="space" style={{ height: `${rows.total * ROW}px`, minWidth: isWrapped ? '0' : undefined }}>
            <div class="line gauge" aria-hidden="true">
              <span class="number">0</span>
              <span ref={cell}>0</span>
            </div>
            {visible.map(({ row, at, part }) => {
              const props = {
                line: log.lines[at],
                at,
                top: row * ROW,
                isHit: at === hitLine || at === named,
                isDated: dated.value,
                executionId,
              };
              return isTable ? (
                <TableRow key={row} {...props} fields={fields} />
              ) : (
                <Row key={row} {...props} part={part} columns={isWrapped ? columns.value : undefined} />
              );
            })}
          </div>
        </div>
      )}
    </section>
  );
};
