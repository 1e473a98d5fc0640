// Single keys typed at the terminal, while something goes on.
import type { PromptRule } from './prompt.ts';
import { mayPrompt } from './prompt.ts';

/** What commands hear keys through. */
export interface Keys {
  /** Whether anybody can type. */
  readonly available: boolean;
  /**
   * Hears every key until the returned function is called. Ctrl-C is heard as the key `\u0003`, not as a signal.
   * Where nobody can type it hears nothing.
   */
  readonly listen: (onKey: (key: string) => void) => () => void;
}

/** Makes the listener. Touches stdin only once it listens. */
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
      stdin.setRawMode(true).setEncoding('utf8').on('data', hear).resume();
      return () => {
        stdin.off('data', hear).pause().setRawMode(false);
      };
    },
  };
};
