// The command line that does the same as an action or view, ready to copy.
import { useId } from 'preact/hooks';
import { copy } from './actions/copy.ts';

export const TerminalLine = ({ line }: { readonly line: string }) => (
  <div class="terminal-line">
    <code title={line}>{line}</code>
    <button type="button" class="quiet" aria-label={`Copy the command: ${line}`} onClick={() => copy(line)}>
      Copy
    </button>
  </div>
);

/** A button that shows the line. */
export const Command = ({ line }: { readonly line: string }) => {
  const id = `line${useId()}`;
  return (
    <>
      <button type="button" class="quiet mono" popovertarget={id} title={line} aria-label="Show the command line">
        &gt;_
      </button>
      <div id={id} popover="auto" class="command">
        <TerminalLine line={line} />
      </div>
    </>
  );
};

/** Only a button, for rows of a table. */
export const CommandButton = ({ line }: { readonly line: string }) => (
  <button
    type="button"
    class="quiet mono"
    title={line}
    aria-label={`Copy the command: ${line}`}
    onClick={() => copy(line)}
  >
    &gt;_
  </button>
);
