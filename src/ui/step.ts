// Progress of a command with several steps, for programs.
import type { Output } from './output.ts';

export type OnStep = (value: { readonly type: string } & Readonly<Record<string, unknown>>) => Promise<void>;

/** For a command whose result is not that of its steps. */
export const noSteps: OnStep = async () => undefined;

/** With `--ndjson`: prints one line for each completed step. The result of the command is the last line. */
export const stepsOf =
  (output: Pick<Output, 'format' | 'enveloped' | 'event'>): OnStep =>
  async (value) => {
    if (output.format === 'ndjson' && !output.enveloped) await output.event('', value);
  };
