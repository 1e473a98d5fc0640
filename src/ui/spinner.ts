// Shows on stderr that something takes time: turning on a terminal, one plain line per phase elsewhere.

import type { Sink } from './sink.ts';
import { stripControl } from './text.ts';

/** Something under way. */
export interface Progress {
  /** Says what is being done now. */
  readonly update: (text: string) => void;
  /** Ends it; the line disappears from a terminal. */
  readonly stop: () => void;
}

export interface ProgressInput {
  readonly stderr: Sink;
  /** Whether it may turn: stderr is a terminal, not `--quiet`, not `CI`. */
  readonly animated: boolean;
  /** Nothing at all is shown. */
  readonly silent: boolean;
}

/** Makes the function that starts to show progress. Loads ora only where it may turn. */
export const createProgress =
  ({ stderr, animated, silent }: ProgressInput) =>
  async (text: string): Promise<Progress> => {
    if (silent) return { update: () => undefined, stop: () => undefined };
    if (animated) {
      const { default: ora } = await import('ora');
      // ora must leave stdin and signals alone: nobody but main handles signals (cli.md R31).
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
