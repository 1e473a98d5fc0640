// Reads single key presses from the terminal while a command runs.
import type { PromptRule } from './prompt.ts';
import { mayPrompt } from './prompt.ts';

export interface Keys {
  readonly available: boolean;
  /**
   * Calls back for every key until the returned function is called. Ctrl-C arrives as the key `\u0003`, not as a
   * signal. Does nothing if stdin is not a terminal.
   */
  readonly listen: (onKey: (key: string) => void) => () => void;
}

/** Creates the key input. Accesses stdin only when it listens. */
export const createKeys = (rule: PromptRule): Keys => {
  const available = mayPrompt(rule);
  return {
    available,
    listen: (onKey) => {
      if (!available) return () => undefined;
      const { stdin } = process;
      const hear = (text: string): void => {
        for (const key of text) onKey(key);
      };
      // A terminal that was closed cannot be read or reset. SIGHUP ends the command then.
      stdin.on('error', () => undefined);
      stdin.setRawMode(true).setEncoding('utf8').on('data', hear).resume();
      return () => {
        stdin.off('data', hear).pause().setRawMode(false);
      };
    },
  };
};
