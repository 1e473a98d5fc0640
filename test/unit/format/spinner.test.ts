// Progress on a terminal that does not know its width, as under `script` without a terminal.
import { expect, it } from 'vitest';
import { createProgress } from '../../../src/ui/spinner.ts';

it('a terminal without a width gets a line per phase instead of a spinner', async () => {
  let shown = '';
  const write = (chunk: string | Uint8Array) => {
    shown += String(chunk);
    return true;
  };
  const start = createProgress({
    stderr: { isTTY: true, columns: 0, write },
    animated: true,
    colored: false,
    silent: false,
  });
  const progress = await start('starting');
  progress.update('waiting');
  progress.stop();
  expect(shown).toBe('starting\nwaiting\n');
});
