// A question before an action that cannot be undone.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { TerminalLine } from '../terminal-line.tsx';
import { keepFocus } from './keep-focus.ts';

interface ConfirmProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly word: string;
  /** The button that changes nothing. `Cancel` if absent. */
  readonly keep?: string;
  /** True if the action takes nothing away. */
  readonly isHarmless?: boolean;
  /** Why the action is not possible. */
  readonly refusal?: string | undefined;
  readonly line: string;
  readonly onYes: () => void;
  /** Called after the dialog ends in any way. The focus is then where it was before. */
  readonly onClose: () => void;
}

/** The dialog is open as long as it is rendered. */
export const Confirm = (props: ConfirmProps) => {
  const { title, children, word, keep = 'Cancel', isHarmless, refusal, line, onYes, onClose } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const isOver = useRef(false);
  useEffect(() => dialog.current?.showModal(), []);
  const end = (): void => {
    if (isOver.current) return;
    isOver.current = true;
    onClose();
  };
  // The event of a closed dialog arrives later, when the next question may already be open.
  const close = (act?: () => void): void => {
    dialog.current?.close();
    if (act !== undefined) keepFocus();
    act?.();
    end();
  };
  return (
    <dialog ref={dialog} class="confirm" aria-labelledby="confirm-title" onClose={end}>
      <h2 id="confirm-title">{title}</h2>
      <div>{children}</div>
      <div class="actions">
        <button type="button" onClick={() => close()}>
          {keep}
        </button>
        <button
          type="button"
          class={isHarmless ? 'primary' : 'danger'}
          disabled={refusal !== undefined}
          title={refusal}
          onClick={() => close(onYes)}
        >
          {word}
        </button>
      </div>
      <TerminalLine line={line} />
    </dialog>
  );
};
