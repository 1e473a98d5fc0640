// One version of a state, compared with the version before or with any other.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask } from '../../api/call.ts';
import { formatFailure } from '../../api/failure.ts';
import { commandLine } from '../../parts/command.ts';
import type { DiffLine } from '../../parts/line-diff.ts';
import { wordOf } from '../../parts/names.ts';
import { Problem } from '../../parts/problem.tsx';
import { Command } from '../../parts/terminal-line.tsx';
import { safeLines } from '../../parts/text.ts';
import { filter } from '../../shell/router.ts';
import { type Changes, changesOf, formatCompared, SHOWN } from './state-changes.ts';

/** The JSON as it was sent, because a parser would round numbers. */
export const textOf = async (actorId: string, version: number): Promise<string> => {
  const { state } = await ask('GET /actors/v2/:actorId/state/versions/:version', {
    params: { actorId, version: String(version) },
    query: { as: 'text' },
  });
  return String(state);
};

const marks = { same: ' ', added: '+', removed: '-' } as const;

export const DiffText = ({ lines }: { readonly lines: readonly DiffLine[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a person scrolls it by keyboard
  <pre class="plain diff" tabIndex={0}>
    {lines.map(({ kind, text }, at) => (
      <span key={at} class={`is-${kind}`}>{`${marks[kind]} ${safeLines(text)}\n`}</span>
    ))}
  </pre>
);

interface ComparedProps {
  readonly actorId: string;
  readonly version: number;
  /** The version to compare with. Undefined: the one before. */
  readonly against: number | undefined;
  /** The stored versions, newest first. */
  readonly versions: readonly number[];
}

export const Compared = ({ actorId, version, against, versions }: ComparedProps) => {
  const changes = useSignal<Changes | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  useEffect(() => {
    let gone = false;
    changesOf((each) => textOf(actorId, each), version, against).then(
      (found) => {
        if (!gone) changes.value = found;
      },
      (error: unknown) => {
        if (!gone) problem.value = formatFailure(error);
      },
    );
    return () => {
      gone = true;
    };
  }, [actorId, version, against, changes, problem]);
  const found = changes.value;
  return (
    <section class="panel" aria-labelledby="state-title">
      <header>
        <h2 id="state-title">Version {version}</h2>
        <span class="soft">{found === undefined ? '' : formatCompared(version, found)}</span>
      </header>
      <div class="body">
        <label>
          Compare with{' '}
          <select value={against ?? ''} onChange={(event) => filter({ against: event.currentTarget.value })}>
            <option value="">the version before</option>
            {versions
              .filter((each) => each !== version)
              .map((each) => (
                <option key={each} value={each}>
                  version {each}
                </option>
              ))}
          </select>
        </label>
      </div>
      <Problem text={problem.value} />
      <DiffText lines={found?.lines ?? []} />
      <div class="body">
        {found?.isCut ? (
          <p class="soft">Cut: only the first {SHOWN.toLocaleString('en')} characters. The command shows all.</p>
        ) : null}
        <Command
          line={
            found?.before === undefined
              ? commandLine('state', 'get', wordOf(actorId), '--version', String(version))
              : commandLine('state', 'diff', wordOf(actorId), '--from', `v${found.before}`, '--to', `v${version}`)
          }
        />
      </div>
    </section>
  );
};
