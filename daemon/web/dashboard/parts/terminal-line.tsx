// The command line that does the same as an action or view, ready to copy.
import { announce } from './announce.tsx';

export const TerminalLine = ({ line }: { readonly line: string }) => (
  <div class="terminal-line">
    <code title={line}>{line}</code>
    <button
      type="button"
      class="quiet"
      aria-label={`Copy the command: ${line}`}
      onClick={() =>
        void navigator.clipboard.writeText(line).then(
          () => announce('Copied.'),
          () => announce('The browser does not allow copying. Select the text instead.', true),
        )
      }
    >
      Copy
    </button>
  </div>
);
