// Progress of a command with several steps, for programs.
import type { Output } from './output.ts';

/** With `--ndjson`: prints one line for a completed step. The result of the command is the last line. */
export const tellStep = async (
  output: Pick<Output, 'format' | 'enveloped' | 'event'>,
  value: { readonly type: string } & Readonly<Record<string, unknown>>,
): Promise<void> => {
  if (output.format === 'ndjson' && !output.enveloped) await output.event('', value);
};
