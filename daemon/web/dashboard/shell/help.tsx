// The list of keys.
import { useEffect, useRef } from 'preact/hooks';
import { views } from './views.ts';

const keys: readonly (readonly [keys: string, what: string])[] = [
  ['/', 'Search in this view'],
  ['j k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['Esc', 'Leave a field or close a dialog'],
  ['?', 'Show this list'],
];

export const Help = ({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) => {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="help-title">
      <h2 id="help-title">Keys</h2>
      <dl class="keys">
        {[...keys, ...views.map(({ key, title }) => [`g ${key}`, `Go to ${title}`] as const)].map(([key, what]) => (
          <div key={key}>
            <dt>
              {key.split(' ').map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </dialog>
  );
};
