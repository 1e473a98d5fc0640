// The state of a stateful actor: its stored versions, and what each of them changed.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask } from '../../api/call.ts';
import { formatFailure } from '../../api/failure.ts';
import { usePolled } from '../../api/poll.ts';
import { useOngoing } from '../../parts/actions/ongoing.ts';
import { Ago } from '../../parts/ago.tsx';
import { announce } from '../../parts/announce.tsx';
import { formatBytes } from '../../parts/bytes.ts';
import { commandLine } from '../../parts/command.ts';
import { Problem } from '../../parts/problem.tsx';
import { TerminalLine } from '../../parts/terminal-line.tsx';
import { safe, safeLines } from '../../parts/text.ts';
import { type Changes, changesOf, formatCompared, SHOWN } from './state-changes.ts';

const EVERY_MS = 5_000;
/** The JSON as it was sent, because a parser would round numbers. */
const textOf = async (actorId: string, version: number): Promise<string> => {
  const { state } = await ask('GET /actors/v2/:actorId/state/versions/:version', {
    params: { actorId, version: String(version) },
    query: { as: 'text' },
  });
  return String(state);
};

const marks = { same: ' ', added: '+', removed: '-' } as const;

const Compared = ({ actorId, version }: { readonly actorId: string; readonly version: number }) => {
  const changes = useSignal<Changes | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  useEffect(() => {
    let gone = false;
    changesOf((each) => textOf(actorId, each), version).then(
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
  }, [actorId, version, changes, problem]);
  const found = changes.value;
  return (
    <section class="panel" aria-labelledby="state-title">
      <header>
        <h2 id="state-title">Version {version}</h2>
        <span class="soft">{found === undefined ? '' : formatCompared(version, found)}</span>
      </header>
      <Problem text={problem.value} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a person scrolls it by keyboard */}
      <pre class="plain diff" tabIndex={0}>
        {found?.lines.map(({ kind, text }, at) => (
          <span key={at} class={`is-${kind}`}>{`${marks[kind]} ${safeLines(text)}\n`}</span>
        ))}
      </pre>
      <div class="body">
        {found?.isCut ? (
          <p class="soft">Cut: only the first {SHOWN.toLocaleString('en')} characters. The command shows all.</p>
        ) : null}
        <TerminalLine
          line={
            found?.before === undefined
              ? commandLine('state', 'get', actorId, '--version', String(version))
              : commandLine('state', 'diff', actorId, '--from', `v${found.before}`, '--to', `v${version}`)
          }
        />
      </div>
    </section>
  );
};

export const StateTab = ({ actorId }: { readonly actorId: string }) => {
  const { value, problem, again } = usePolled(
    actorId,
    (signal) => ask('GET /actors/v2/:actorId/state/versions', { params: { actorId }, signal }),
    { every: EVERY_MS, afterEvents: 1_000, concerns: (event) => event.actor_id === actorId },
  );
  const chosen = useSignal<number | undefined>(undefined);
  const versions = value.value ?? [];
  const newest = versions[0]?.version;
  const shown = chosen.value ?? newest;
  const ongoing = useOngoing();
  const restore = async (version: number): Promise<void> => {
    try {
      await ask('POST /actors/v2/:actorId/state/versions/:version', { params: { actorId, version: String(version) } });
      announce(`Version ${version} is the state again, as a new version.`);
      chosen.value = undefined;
    } catch (error) {
      announce(formatFailure(error), true);
    }
    again();
  };
  return (
    <>
      <Problem text={problem.value} />
      <div class="split">
        {shown === undefined ? null : <Compared key={shown} actorId={actorId} version={shown} />}
        <section class="panel" aria-labelledby="versions-title">
          <header>
            <h2 id="versions-title">Versions</h2>
            {shown === undefined || shown === newest ? null : (
              <button type="button" disabled={ongoing.has()} onClick={() => void ongoing.run(() => restore(shown))}>
                Restore version {shown}
              </button>
            )}
          </header>
          <table>
            <thead>
              <tr>
                <th scope="col">Version</th>
                <th scope="col">By</th>
                <th scope="col" class="num">
                  Size
                </th>
                <th scope="col" class="num">
                  Age
                </th>
              </tr>
            </thead>
            <tbody>
              {versions.map(({ version, updatedBy, bytes, updatedAt }) => (
                <tr key={version}>
                  <td>
                    <button
                      type="button"
                      class="quiet"
                      data-row
                      aria-pressed={version === shown}
                      onClick={() => {
                        chosen.value = version;
                      }}
                    >
                      {version}
                    </button>
                  </td>
                  <td>{safe(updatedBy)}</td>
                  <td class="num">{formatBytes(bytes)}</td>
                  <td class="num">
                    <Ago time={updatedAt} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <div class="body">
            <TerminalLine
              line={
                shown === undefined || shown === newest
                  ? commandLine('state', 'history', actorId)
                  : commandLine('state', 'restore', actorId, `v${shown}`)
              }
            />
          </div>
        </section>
      </div>
    </>
  );
};
