// The command line that does the same as an action or view, ready to copy.
import { copy } from './actions/copy.ts';

export const TerminalLine = ({ line }: { readonly line: string }) => (
  <div class="terminal-line">
    <code title={line}>{line}</code>
    <button type="button" class="quiet" aria-label={`Copy the command: ${line}`} onClick={() => copy(line)}>
      Copy
    </button>
  </div>
);

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
