// The head of a log: its size, search, choices and download.
import type { Signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { download } from '../../../parts/actions/download.ts';
import { commandLine } from '../../../parts/command.ts';
import { Command } from '../../../parts/terminal-line.tsx';
import type { createLog } from './log-source.ts';

interface LogBarProps {
  readonly log: ReturnType<typeof createLog>;
  readonly isCut: boolean;
  readonly executionId: string;
  readonly search: { readonly query: Signal<string>; readonly hit: Signal<number>; readonly hits: number };
  readonly choices: readonly (readonly [label: string, value: Signal<boolean>])[];
  readonly following: Signal<boolean>;
  readonly onFollow: () => void;
  readonly onFullScreen: () => void;
}

const Choice = ({
  label,
  value,
  onOn,
}: {
  readonly label: string;
  readonly value: Signal<boolean>;
  readonly onOn?: () => void;
}) => (
  <label>
    <input
      type="checkbox"
      checked={value.value}
      onChange={(event) => {
        value.value = event.currentTarget.checked;
        if (value.value) onOn?.();
      }}
    />{' '}
    {label}
  </label>
);

const Search = ({ query, hit, hits, isCut }: LogBarProps['search'] & { readonly isCut: boolean }) => {
  const step = (by: 1 | -1): void => {
    hit.value += by === 1 ? 1 : Math.max(0, hits - 1);
  };
  return (
    <>
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
          // The browser empties the field, but sends no event of input after the field has lost the focus.
          if (event.key === 'Escape') query.value = '';
        }}
      />
      {query.value === '' ? null : (
        <span class="soft" role="status">
          {hits > 0
            ? `${(hit.value % hits) + 1} of ${hits}`
            : isCut
              ? 'not found in the parts that are kept'
              : 'not found'}
        </span>
      )}
      {hits < 2 ? null : (
        <>
          <button type="button" class="quiet" aria-label="Previous hit" onClick={() => step(-1)}>
            ↑
          </button>
          <button type="button" class="quiet" aria-label="Next hit" onClick={() => step(1)}>
            ↓
          </button>
        </>
      )}
    </>
  );
};

export const LogBar = ({
  log,
  isCut,
  executionId,
  search,
  choices,
  following,
  onFollow,
  onFullScreen,
}: LogBarProps) => {
  const [count, version, isEnded] = [log.count.value, log.version.value, log.ended.value];
  const hasStderr = useMemo(() => log.lines.some(({ stream }) => stream === 'stderr'), [version, log]);
  return (
    <header>
      <h2 id="log-title">Log</h2>
      <span class="soft" role="status">
        {count.toLocaleString('en')} {count === 1 ? 'line' : 'lines'}
        {isEnded ? '' : ', live'}
        {isCut ? ', cut in the middle' : ''}
      </span>
      {hasStderr ? <span class="legend">stderr</span> : null}
      <div class="actions">
        <Search {...search} isCut={isCut} />
        {isEnded ? null : <Choice label="Follow" value={following} onOn={onFollow} />}
        {choices.map(([label, value]) => (
          <Choice key={label} label={label} value={value} />
        ))}
        <button type="button" onClick={onFullScreen}>
          Full screen
        </button>
        <button
          type="button"
          onClick={() => download(log.lines.map(({ text }) => `${text}\n`).join(''), `${executionId}.log`)}
        >
          Download
        </button>
        <Command line={commandLine('logs', executionId, ...(isEnded ? [] : ['-f']))} />
      </div>
    </header>
  );
};
