// One version of a state: its text, or what it changed since the version before or any other.
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

/** In the address: the version before the shown one. */
export const BEFORE = 'before';

const marks = { same: ' ', added: '+', removed: '-' } as const;

interface DiffTextProps {
  readonly lines: readonly DiffLine[];
  /** True for a text that is compared with nothing. */
  readonly isPlain?: boolean;
}

export const DiffText = ({ lines, isPlain = false }: DiffTextProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a person scrolls it by keyboard
  <pre class="plain diff" tabIndex={0}>
    {lines.map(({ kind, text }, at) => (
      <span key={at} class={`is-${kind}`}>{`${isPlain ? '' : `${marks[kind]} `}${safeLines(text)}\n`}</span>
    ))}
  </pre>
);

interface ComparedProps {
  readonly actorId: string;
  readonly version: number;
  /** The version to compare with: its number, or `before`. Empty: none. */
  readonly against: string;
  /** The stored versions, newest first. */
  readonly versions: readonly number[];
}

export const Compared = ({ actorId, version, against, versions }: ComparedProps) => {
  const changes = useSignal<(Changes & { readonly asked: string }) | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  useEffect(() => {
    let gone = false;
    const other = against === '' ? undefined : against === BEFORE ? version - 1 : Number(against);
    changesOf((each) => textOf(actorId, each), version, other).then(
      (found) => {
        if (!gone) changes.value = { ...found, asked: against };
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
  const isCompared = found !== undefined && found.asked !== '';
  return (
    <section class="panel" aria-labelledby="state-title">
      <header>
        <h2 id="state-title">Version {version}</h2>
        <span class="soft">{isCompared ? formatCompared(version, found) : ''}</span>
      </header>
      <div class="body">
        <label>
          Compare with{' '}
          <select value={against} onChange={(event) => filter({ against: event.currentTarget.value })}>
            <option value="">nothing</option>
            <option value={BEFORE}>the version before</option>
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
      <DiffText lines={found?.lines ?? []} isPlain={!isCompared} />
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
