// Chooses a folder of the daemon's machine as the image of an actor.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ask } from '../../../api/call.ts';
import { formatFailure } from '../../../api/failure.ts';
import { Problem } from '../../../parts/problem.tsx';
import { safe } from '../../../parts/text.ts';
import type { Listing } from './folder-draft.ts';

interface FolderPickerProps {
  /** The folder to begin with. Absent: the home folder of the daemon's user. */
  readonly from: string | undefined;
  readonly onChoose: (listing: Listing) => void;
  readonly onClose: () => void;
}

const joined = (folder: string, name: string): string => `${folder === '/' ? '' : folder}/${name}`;

/** Moves the focus within the list of folders. */
const moveFocus = (list: HTMLElement, key: string): boolean => {
  const buttons = [...list.querySelectorAll('button')];
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[key];
  if (to === undefined) return false;
  buttons[Math.min(Math.max(to, 0), buttons.length - 1)]?.focus();
  return true;
};

export const FolderPicker = ({ from, onChoose, onClose }: FolderPickerProps) => {
  const listing = useSignal<Listing | undefined>(undefined);
  const typed = useSignal(from ?? '');
  const problem = useSignal<string | undefined>(undefined);
  const list = useRef<HTMLUListElement>(null);
  const latest = useRef<AbortController | undefined>(undefined);

  const open = async (path: string, movesFocus: boolean): Promise<void> => {
    latest.current?.abort();
    const controller = new AbortController();
    latest.current = controller;
    const before = typed.value;
    try {
      const query = path === '' ? {} : { path };
      const found = await ask('GET /actors/v2/admin/folders', { query, signal: controller.signal });
      listing.value = found;
      // What was typed meanwhile stays.
      if (typed.value === before) typed.value = found.path;
      problem.value = undefined;
      // The list is drawn first.
      if (movesFocus) requestAnimationFrame(() => list.current?.querySelector('button')?.focus());
    } catch (error) {
      if (!controller.signal.aborted) problem.value = formatFailure(error);
    }
  };
  useEffect(() => {
    void open(typed.value, true);
    return () => latest.current?.abort();
  }, []);

  const found = listing.value;
  const up = found?.parent;
  return (
    <fieldset class="field folders">
      <legend>Folder of the daemon's machine</legend>
      <div class="actions">
        <input
          aria-label="Path of the folder"
          spellcheck={false}
          autocomplete="off"
          placeholder="/home/ana/wc"
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            // The form around it is not submitted.
            event.preventDefault();
            void open(typed.value.trim(), true);
          }}
        />
        <button type="button" onClick={() => void open(typed.value.trim(), true)}>
          Open
        </button>
      </div>
      <Problem text={problem.value} />
      {found === undefined ? null : (
        <>
          <ul
            ref={list}
            aria-label={`Folders in ${safe(found.path)}`}
            onKeyDown={(event) => {
              if (moveFocus(event.currentTarget, event.key)) event.preventDefault();
              else if ((event.key === 'Backspace' || event.key === 'ArrowLeft') && up !== undefined) {
                event.preventDefault();
                void open(up, true);
              }
            }}
          >
            {up === undefined ? null : (
              <li>
                <button type="button" class="quiet" onClick={() => void open(up, true)}>
                  Up to {safe(up)}
                </button>
              </li>
            )}
            {found.folders.map(({ name, isActor }) => (
              <li key={name}>
                <button type="button" class="quiet" onClick={() => void open(joined(found.path, name), true)}>
                  {`${safe(name)}${isActor ? ', an actor' : ''}`}
                </button>
              </li>
            ))}
          </ul>
          {found.more ? <p class="soft">There are more folders. Type the path of another one.</p> : null}
          <p class={found.problem === undefined ? 'soft' : 'bad'} role="status">
            {problem.value !== undefined
              ? null
              : found.problem !== undefined
                ? safe(found.problem)
                : found.actor !== undefined
                  ? `${safe(found.path)} is an actor.`
                  : `${safe(found.path)} has no actor.json, so it is not an actor. Open a folder that has one.`}
          </p>
        </>
      )}
      <div class="actions">
        <button
          type="button"
          class="primary"
          disabled={found?.actor === undefined || problem.value !== undefined}
          onClick={() => found !== undefined && onChoose(found)}
        >
          Use this folder
        </button>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </fieldset>
  );
};
