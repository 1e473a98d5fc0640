// What a check of `doctor` has found.

export interface Finding {
  /** What was checked, in one or two words. */
  readonly name: string;
  /** `warning`: it works, with a limitation. `error`: it does not work. */
  readonly level: 'ok' | 'warning' | 'error';
  readonly text: string;
  /** The command or the sentence that fixes it; null if there is nothing to fix. */
  readonly fix: string | null;
}

export const ok = (name: string, text: string): Finding => ({ name, level: 'ok', text, fix: null });
export const warning = (name: string, text: string, fix: string): Finding => ({ name, level: 'warning', text, fix });
export const failed = (name: string, text: string, fix: string): Finding => ({ name, level: 'error', text, fix });
