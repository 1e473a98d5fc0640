// A line of a log: as text, or as a row of a table.

import { formatClock } from '../../../parts/time.ts';
import { hashOf } from '../../../shell/place.ts';
import type { LogLine } from './log-lines.ts';
import { fieldsOf, piecesOf } from './log-rows.ts';

interface LineProps {
  readonly line: LogLine | undefined;
  readonly at: number;
  /** Position in CSS pixels. */
  readonly top: number;
  readonly isHit: boolean;
  readonly isDated: boolean;
  readonly executionId: string;
}

const clockOf = ({ time }: LogLine): string => formatClock(Date.parse(time));

const classOf = ({ stream }: LogLine, isHit: boolean): string =>
  `line ${stream === 'stdout' ? '' : stream} ${isHit ? 'is-hit' : ''}`;

/** A link to the line. It is not a stop of the Tab key, because a log has as many as it has lines. */
const LineNumber = ({ at, executionId }: Pick<LineProps, 'at' | 'executionId'>) => (
  <a class="number" tabIndex={-1} href={hashOf(['executions', executionId], { line: String(at + 1) })}>
    {at + 1}
  </a>
);

export const Row = ({
  line,
  at,
  part,
  top,
  isHit,
  isDated,
  executionId,
  columns,
}: LineProps & { readonly part: number; readonly columns: number | undefined }) => {
  if (line === undefined) return null;
  const spans = columns === undefined ? line.spans : (piecesOf(line, columns)[part] ?? []);
  return (
    <div class={classOf(line, isHit)} style={{ top: `${top}px` }} title={clockOf(line)}>
      {part === 0 ? <LineNumber at={at} executionId={executionId} /> : <span class="number" />}
      {isDated ? <span class={`soft ${part === 0 ? '' : 'is-blank'}`}>{clockOf(line)} </span> : null}
      {spans.map((span, index) => (
        <span key={index} class={span.style}>
          {span.text}
        </span>
      ))}
    </div>
  );
};

export const TableHead = ({ fields, isDated }: { readonly fields: readonly string[]; readonly isDated: boolean }) => (
  <div class="line table-head soft" style={{ '--fields': fields.length }}>
    <span class="number" />
    {isDated ? <span>time</span> : null}
    {fields.map((name) => (
      <span key={name}>{name}</span>
    ))}
  </div>
);

/** A line that is no JSON object stands across all columns. */
export const TableRow = ({
  line,
  at,
  top,
  isHit,
  isDated,
  executionId,
  fields,
}: LineProps & { readonly fields: readonly string[] }) => {
  if (line === undefined) return null;
  const found = fieldsOf(line.text);
  const others = found === undefined ? [] : [...found].filter(([name]) => !fields.includes(name));
  return (
    <div class={classOf(line, isHit)} style={{ top: `${top}px`, '--fields': fields.length }} title={clockOf(line)}>
      <LineNumber at={at} executionId={executionId} />
      {isDated ? <span class="soft">{clockOf(line)}</span> : null}
      {found === undefined ? (
        <span class="whole">{line.text}</span>
      ) : (
        fields.map((name) => (
          <span key={name} title={found.get(name)}>
            {found.get(name) ?? ''}
          </span>
        ))
      )}
      {others.length === 0 ? null : (
        <span class="soft">{others.map(([name, value]) => `${name}=${value}`).join(' ')}</span>
      )}
    </div>
  );
};
