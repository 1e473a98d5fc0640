// Sets the state of an actor to edited JSON.

import { useSignal } from '@preact/signals';
import { ask } from '../../../api/call.ts';
import { formatFailure } from '../../../api/failure.ts';
import { ActionButton } from '../../../parts/actions/action-button.tsx';
import { useOngoing } from '../../../parts/actions/ongoing.ts';
import { announce } from '../../../parts/announce.tsx';
import { commandLine } from '../../../parts/command.ts';
import { wordOf } from '../../../parts/names.ts';
import { Problem } from '../../../parts/problem.tsx';
import { Command } from '../../../parts/terminal-line.tsx';
import { textOf } from '../state-version.tsx';

interface EditStateProps {
  readonly actorId: string;
  /** The newest version. Undefined before the state is set for the first time. */
  readonly version: number | undefined;
  /** Why the user may not change the state. */
  readonly refusal: string | undefined;
  readonly onChanged: () => void;
}

export const EditState = ({ actorId, version, refusal, onChanged }: EditStateProps) => {
  const text = useSignal<string | undefined>(undefined);
  /** The version that is edited. Another one, written meanwhile, is not overwritten. */
  const edited = useSignal<number | undefined>(undefined);
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
      edited.value = version;
      text.value = version === undefined ? '{}' : await textOf(actorId, version);
    });
  const save = () =>
    attempt(async () => {
      const raw = text.value ?? '';
      JSON.parse(raw);
      // The text itself is sent: a number that is parsed and written again can lose digits.
      await ask('POST /actors/v2/:actorId/state', {
        params: { actorId },
        raw,
        headers: {
          'content-type': 'application/json',
          ...(edited.value !== undefined && { 'if-match': `"${edited.value}"` }),
        },
      });
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
      <div class="actions">
        <ActionButton type="submit" class="primary" isOff={ongoing.has()}>
          Set the state
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
