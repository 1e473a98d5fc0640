// The state of a stateful actor: its stored versions, and what each of them changed.

import { ask } from '../../api/call.ts';
import { formatFailure } from '../../api/failure.ts';
import { usePolled } from '../../api/poll.ts';
import { ActionButton } from '../../parts/actions/action-button.tsx';
import { useOngoing } from '../../parts/actions/ongoing.ts';
import { Ago } from '../../parts/ago.tsx';
import { announce } from '../../parts/announce.tsx';
import { formatBytes } from '../../parts/bytes.ts';
import { commandLine } from '../../parts/command.ts';
import { wordOf } from '../../parts/names.ts';
import { Problem } from '../../parts/problem.tsx';
import { Command } from '../../parts/terminal-line.tsx';
import { safe } from '../../parts/text.ts';
import { filter, place } from '../../shell/router.ts';
import { EditState } from './edit/edit-state.tsx';
import { BEFORE, Compared } from './state-version.tsx';

const EVERY_MS = 5_000;
interface StateTabProps {
  readonly actorId: string;
  /** Why the user may not change the state. */
  readonly refusal: string | undefined;
}

export const StateTab = ({ actorId, refusal }: StateTabProps) => {
  const { value, problem, again } = usePolled(
    actorId,
    (signal) => ask('GET /actors/v2/:actorId/state/versions', { params: { actorId }, signal }),
    { every: EVERY_MS, afterEvents: 1_000, concerns: (event) => event.actor_id === actorId },
  );
  const versions = value.value ?? [];
  const newest = versions[0]?.version;
  const asked = Number(place.value.query['version']);
  const shown = versions.some(({ version }) => version === asked) ? asked : newest;
  const { against = '' } = place.value.query;
  const isComparable =
    against === BEFORE || versions.some(({ version }) => version !== shown && String(version) === against);
  const choose = (version: number | undefined): void =>
    filter({ version: version === undefined ? undefined : String(version) });
  const ongoing = useOngoing();
  const restore = async (version: number): Promise<void> => {
    try {
      await ask('POST /actors/v2/:actorId/state/versions/:version', { params: { actorId, version: String(version) } });
      announce(`Version ${version} is the state again, as a new version.`);
      choose(undefined);
    } catch (error) {
      announce(formatFailure(error), true);
    }
    again();
  };
  return (
    <>
      <Problem text={problem.value} />
      <div class="split">
        {shown === undefined ? null : (
          <Compared
            key={shown}
            actorId={actorId}
            version={shown}
            against={isComparable ? against : ''}
            versions={versions.map(({ version }) => version)}
          />
        )}
        <section class="panel" aria-labelledby="versions-title">
          <header>
            <h2 id="versions-title">Versions</h2>
            {shown === undefined || shown === newest ? null : (
              <ActionButton
                isOff={ongoing.has()}
                refusal={refusal}
                onClick={() => void ongoing.run(() => restore(shown))}
              >
                Restore version {shown}
              </ActionButton>
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
                      data-row
                      aria-label={`Show version ${version}`}
                      aria-pressed={version === shown}
                      onClick={() => choose(version)}
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
            <EditState
              actorId={actorId}
              version={newest}
              refusal={refusal}
              onChanged={() => {
                choose(undefined);
                again();
              }}
            />
            <Command
              line={
                shown === undefined || shown === newest
                  ? commandLine('state', 'history', wordOf(actorId))
                  : commandLine('state', 'restore', wordOf(actorId), `v${shown}`)
              }
            />
          </div>
        </section>
      </div>
    </>
  );
};
