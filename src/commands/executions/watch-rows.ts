// `--watch` of a list: reads it again and again until a signal, and hands over what has changed.
import type { CommandContext } from '../../context.ts';
import { CliFailure } from '../../failure.ts';
import type { View } from '../../ui/format/view.ts';

/** Time between two reads, in milliseconds. */
const POLL_MS = 1_000;

/**
 * Shows a list until a signal: on a terminal the list is drawn again, elsewhere each new or changed row is a line.
 * @param seen what makes a row changed; without what grows by itself
 * @throws CliFailure the errors of `read`, except CANCELLED after a signal
 */
export const watchRows = async <T>(
  { output, sleep, signal }: Pick<CommandContext, 'output' | 'sleep' | 'signal'>,
  read: () => Promise<readonly T[]>,
  view: View<T>,
  seen: (row: T) => unknown,
): Promise<void> => {
  if (view.fields !== undefined && !output.allowFields(view.fields)) return;
  const show = output.watch(view);
  let before = new Map<string, string>();
  try {
    for (;;) {
      const rows = await read();
      const now = new Map(rows.map((row) => [view.id(row), JSON.stringify(seen(row))]));
      const changed = rows.filter((row) => before.get(view.id(row)) !== now.get(view.id(row)));
      before = now;
      show(rows, [...changed].reverse());
      await sleep(POLL_MS);
    }
  } catch (error) {
    if (!signal.aborted || !(error instanceof CliFailure) || error.code !== 'CANCELLED') throw error;
  }
};
