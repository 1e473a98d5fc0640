// Shows progress on stderr: a spinner on a terminal, one plain line per phase elsewhere.

import type { Sink } from './sink.ts';
import { stripControl } from './text.ts';

export interface Progress {
  readonly update: (text: string) => void;
  /** Shows the completed fraction of the current phase, from 0 to 1, as a bar. Only a terminal shows it. */
  readonly advance: (part: number) => void;
  /** Ends the display. On a terminal the line disappears. */
  readonly stop: () => void;
}

export interface ProgressInput {
  readonly stderr: Sink;
  /** True for a spinner: stderr is a terminal that moves its cursor, without `--quiet` and `CI`. */
  readonly animated: boolean;
  /** True if stderr gets colour. */
  readonly colored: boolean;
  readonly silent: boolean;
}

const BAR = 24;

/** A bar with the percentage: `████░░░░  50 %`. */
const bar = (part: number): string => {
  const full = Math.round(Math.min(1, Math.max(0, part)) * BAR);
  return `${'█'.repeat(full)}${'░'.repeat(BAR - full)} ${String(Math.floor(part * 100)).padStart(3)} %`;
};

const SILENT: Progress = { update: () => undefined, advance: () => undefined, stop: () => undefined };

/** Starts a progress display. @param options.terminalOnly true to show only later phases if stderr is no terminal */
export type StartProgress = (text: string, options?: { readonly terminalOnly?: boolean }) => Promise<Progress>;

/** Creates the function that starts a progress display. Loads ora only for a spinner. */
export const createProgress =
  ({ stderr, animated, colored, silent }: ProgressInput): StartProgress =>
  async (text: string, { terminalOnly = false } = {}): Promise<Progress> => {
    if (silent) return SILENT;
    // Some terminals report no width. ora divides by the width and would clear lines endlessly.
    if (animated && stderr.columns !== 0) {
      const { default: ora } = await import('ora');
      stderr.startLine?.();
      // ora must not touch stdin and signals: only main.ts handles signals.
      const spinner = ora({
        text: stripControl(text),
        stream: process.stderr,
        color: colored ? 'cyan' : false,
        // ora counts an empty variable CI as set.
        isEnabled: true,
        discardStdin: false,
        hideCursor: false,
      }).start();
      let phase = stripControl(text);
      return {
        update: (next) => {
          phase = stripControl(next);
          spinner.text = phase;
        },
        advance: (part) => {
          spinner.text = `${phase}  ${bar(part)}`;
        },
        stop: () => {
          spinner.stop();
        },
      };
    }
    let last = '';
    const say = (phase: string): void => {
      const line = stripControl(phase);
      if (line !== last) {
        stderr.startLine?.();
        stderr.write(`${line}\n`);
      }
      last = line;
    };
    if (!terminalOnly) say(text);
    return { ...SILENT, update: say };
  };
