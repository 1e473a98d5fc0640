// The button that chooses a folder for the form of an actor, and what the form took from the folder.
import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { announce } from '../../../parts/announce.tsx';
import { commandLine } from '../../../parts/command.ts';
import { TerminalLine } from '../../../parts/terminal-line.tsx';
import { safe } from '../../../parts/text.ts';
import type { Draft } from './draft.ts';
import { draftOfFolder, folderOf, type Listing } from './folder-draft.ts';
import { FolderPicker } from './folder-picker.tsx';

interface FolderChoiceProps {
  readonly draft: Pick<Signal<Draft>, 'value'>;
  /** True for a new actor, whose other fields the folder fills as well. */
  readonly isNew: boolean;
}

export const FolderChoice = ({ draft, isNew }: FolderChoiceProps) => {
  const isOpen = useSignal(false);
  const chosen = useSignal<Listing | undefined>(undefined);
  /** The form before the first folder was chosen: another folder replaces what the first one filled. */
  const typed = useRef<Draft | undefined>(undefined);
  const button = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    isOpen.value = false;
    requestAnimationFrame(() => button.current?.focus());
  };
  const choose = (listing: Listing): void => {
    if (listing.actor === undefined) return;
    typed.current ??= draft.value;
    const filled = draftOfFolder(typed.current, listing.actor);
    draft.value = isNew ? filled : { ...draft.value, image: filled.image };
    chosen.value = isNew ? listing : undefined;
    announce(`Selected folder ${listing.path}.`);
    close();
  };
  const folder = chosen.value;
  const unseen = Object.keys(draft.value.unseen);
  const apart = folder?.apart ?? [];
  return (
    <>
      {isOpen.value ? (
        <FolderPicker from={folderOf(draft.value.image)} onChoose={choose} onClose={close} />
      ) : (
        <div class="actions">
          <button
            type="button"
            ref={button}
            onClick={() => {
              isOpen.value = true;
            }}
          >
            Choose a folder
          </button>
        </div>
      )}
      {unseen.length === 0 ? null : <p class="soft">Also taken from actorctl.json: {unseen.map(safe).join(', ')}.</p>}
      {folder === undefined || apart.length === 0 ? null : (
        <>
          <p class="soft">
            Not taken from actorctl.json: {apart.map(safe).join(', ')}. This command uses the whole file:
          </p>
          <TerminalLine line={commandLine('actors', 'create', folder.path, '--wait')} />
        </>
      )}
    </>
  );
};
