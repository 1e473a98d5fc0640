// Shows progress on stderr: a spinner on a terminal, one plain line per phase elsewhere.

import type { Sink } from './sink.ts';
import { stripControl } from './text.ts';

/** A progress display. */
export interface Progress {
  /** Shows the current phase. */
  readonly update: (text: string) => void;
  /** Ends the display. On a terminal the line disappears. */
  readonly stop: () => void;
}

export interface ProgressInput {
  readonly stderr: Sink;
  /** True for a spinner: stderr is a terminal, without `--quiet` and `CI`. */
  readonly animated: boolean;
  /** True: show nothing. */
  readonly silent: boolean;
}

/** Creates the function that starts a progress display. Loads ora only for a spinner. */
export const createProgress =
  ({ stderr, animated, silent }: ProgressInput) =>
  async (text: string): Promise<Progress> => {
    if (silent) return { update: () => undefined, stop: () => undefined };
    if (animated) {
      const { default: ora } = await (await import('../libraries.ts')).libraries.ora();
      // ora must not touch stdin and signals: only main.ts handles signals.
      const spinner = ora({
        text: stripControl(text),
        stream: process.stderr,
        discardStdin: false,
        hideCursor: false,
      }).start();
      return {
        update: (next) => {
          spinner.text = stripControl(next);
        },
        stop: () => {
          spinner.stop();
        },
      };
    }
    let last = '';
    const say = (phase: string): void => {
      const line = stripControl(phase);
      if (line !== last) stderr.write(`${line}\n`);
      last = line;
    };
    say(text);
    return { update: say, stop: () => undefined };
  };
