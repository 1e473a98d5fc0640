// Progress on a terminal that does not know its width, as under `script` without a terminal.
import { expect, it } from 'vitest';
import { createProgress } from '../../../src/ui/spinner.ts';

it('shows a line for each phase on a terminal of no width, where a spinner would never end', async () => {
  let shown = '';
  const write = (chunk: string | Uint8Array) => {
    shown += String(chunk);
    return true;
  };
  const start = createProgress({ stderr: { isTTY: true, columns: 0, write }, animated: true, silent: false });
  const progress = await start('starting');
  progress.update('waiting');
  progress.stop();
  expect(shown).toBe('starting\nwaiting\n');
});
