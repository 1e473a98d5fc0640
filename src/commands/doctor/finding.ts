// What a check of `doctor` has found.

export interface Finding {
  /** What was checked, in one or two words. */
  readonly name: string;
  /** `warning`: works, with a limit. `fault`: something does not work. */
  readonly level: 'ok' | 'warning' | 'fault';
  readonly text: string;
  /** The command or the sentence that mends it; null if there is nothing to mend. */
  readonly mend: string | null;
}

export const ok = (name: string, text: string): Finding => ({ name, level: 'ok', text, mend: null });
export const warning = (name: string, text: string, mend: string): Finding => ({ name, level: 'warning', text, mend });
export const fault = (name: string, text: string, mend: string): Finding => ({ name, level: 'fault', text, mend });
