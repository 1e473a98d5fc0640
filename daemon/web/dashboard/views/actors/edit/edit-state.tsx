// Sets the state of an actor to edited JSON.

import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { ask } from '../../../api/call.ts';
import { ApiFailure, formatFailure } from '../../../api/failure.ts';
import { ActionButton } from '../../../parts/actions/action-button.tsx';
import { useOngoing } from '../../../parts/actions/ongoing.ts';
import { announce } from '../../../parts/announce.tsx';
import { commandLine } from '../../../parts/command.ts';
import { diffLines } from '../../../parts/line-diff.ts';
import { wordOf } from '../../../parts/names.ts';
import { Problem } from '../../../parts/problem.tsx';
import { Command } from '../../../parts/terminal-line.tsx';
import { layOutJson, SHOWN } from '../state-changes.ts';
import { DiffText, textOf } from '../state-version.tsx';

interface EditStateProps {
  readonly actorId: string;
  /** The newest version. Undefined before the state is set for the first time. */
  readonly version: number | undefined;
  /** Why the user may not change the state. */
  readonly refusal: string | undefined;
  readonly onChanged: () => void;
}

interface Newer {
  readonly version: number;
  readonly text: string;
}

/** Returns the newest version if it is not the edited one. */
const newerThan = async (actorId: string, edited: number): Promise<Newer | undefined> => {
  const versions = await ask('GET /actors/v2/:actorId/state/versions', { params: { actorId } });
  const version = versions[0]?.version ?? 0;
  return version === edited ? undefined : { version, text: await textOf(actorId, version) };
};

/** The difference between the state that was set meanwhile and the draft. */
const Differences = ({ newer, draft }: { readonly newer: Newer; readonly draft: string }) => {
  const theirs = useMemo(() => layOutJson(newer.text, SHOWN), [newer]);
  const mine = useMemo(() => layOutJson(draft, SHOWN), [draft]);
  const lines = useMemo(() => diffLines(theirs.text, mine.text), [theirs, mine]);
  return (
    <section aria-label={`Compared with version ${newer.version}`}>
      <p class="soft">
        Lines with - are only in version {newer.version}, lines with + only in yours.
        {theirs.isCut || mine.isCut ? ` Only the first ${SHOWN.toLocaleString('en')} characters are compared.` : null}
      </p>
      <DiffText lines={lines} />
    </section>
  );
};

interface ConflictProps {
  readonly newer: Newer;
  readonly draft: string;
}

const Conflict = ({ newer, draft }: ConflictProps) => {
  const isCompared = useSignal(false);
  const compare = useRef<HTMLButtonElement>(null);
  // The button that was pressed overwrites from now on. A second press must not do it unread.
  useEffect(() => compare.current?.focus(), [newer]);
  return (
    <>
      <Problem text={`The state was changed meanwhile: it is version ${newer.version} now.`} />
      <div class="actions">
        <button
          ref={compare}
          type="button"
          aria-expanded={isCompared.value}
          onClick={() => {
            isCompared.value = !isCompared.value;
          }}
        >
          Compare with version {newer.version}
        </button>
      </div>
      {isCompared.value ? <Differences newer={newer} draft={draft} /> : null}
    </>
  );
};

export const EditState = ({ actorId, version, refusal, onChanged }: EditStateProps) => {
  const text = useSignal<string | undefined>(undefined);
  /** The version that is edited. Another one, written meanwhile, is not overwritten. */
  const edited = useSignal(0);
  /** The version that was set meanwhile. */
  const newer = useSignal<Newer | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const ongoing = useOngoing();
  const attempt = (work: () => Promise<void>): void =>
    void ongoing.run(async () => {
      problem.value = undefined;
      try {
        await work();
      } catch (error) {
        problem.value = error instanceof SyntaxError ? `This is not JSON: ${error.message}` : formatFailure(error);
      }
    });
  const begin = () =>
    attempt(async () => {
      edited.value = version ?? 0;
      newer.value = undefined;
      text.value = version === undefined ? '{}' : await textOf(actorId, version);
    });
  const save = () =>
    attempt(async () => {
      const raw = text.value ?? '';
      JSON.parse(raw);
      try {
        // The text itself is sent: a number that is parsed and written again can lose digits.
        await ask('POST /actors/v2/:actorId/state', {
          params: { actorId },
          raw,
          headers: { 'content-type': 'application/json', 'if-match': `"${newer.value?.version ?? edited.value}"` },
        });
      } catch (error) {
        const isConflict = error instanceof ApiFailure && error.status === 409;
        const found = isConflict ? await newerThan(actorId, newer.value?.version ?? edited.value) : undefined;
        if (found === undefined) throw error;
        newer.value = found;
        return;
      }
      text.value = undefined;
      announce('The state is set, as a new version.');
      onChanged();
    });
  if (text.value === undefined)
    return (
      <div class="actions">
        <ActionButton isOff={ongoing.has()} refusal={refusal} onClick={begin}>
          Edit the state
        </ActionButton>
        <Problem text={problem.value} />
      </div>
    );
  return (
    <form
      class="form inline"
      aria-label="Edit the state"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <div class="field">
        <label for="state-text">State, as JSON</label>
        <textarea
          id="state-text"
          rows={10}
          spellcheck={false}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
        />
      </div>
      <Problem text={problem.value} />
      {newer.value === undefined ? null : <Conflict newer={newer.value} draft={text.value} />}
      <div class="actions">
        <ActionButton type="submit" class={newer.value === undefined ? 'primary' : 'danger'} isOff={ongoing.has()}>
          {newer.value === undefined ? 'Set the state' : 'Set mine over it'}
        </ActionButton>
        <button
          type="button"
          onClick={() => {
            text.value = undefined;
          }}
        >
          Cancel
        </button>
        <Command line={commandLine('state', 'set', wordOf(actorId), '-f', 'FILE')} />
      </div>
    </form>
  );
};
