// The results of an execution. Reading a result removes it, so nothing is read before the user asks.

import { useSignal } from '@preact/signals';
import { send } from '../../api/call.ts';
import { ApiFailure, formatFailure, messageIn } from '../../api/failure.ts';
import { addressOf } from '../../api/routes.ts';
import { ActionButton } from '../../parts/actions/action-button.tsx';
import { download } from '../../parts/actions/download.ts';
import { useOngoing } from '../../parts/actions/ongoing.ts';
import { announce } from '../../parts/announce.tsx';
import { formatBytes } from '../../parts/bytes.ts';
import { commandLine } from '../../parts/command.ts';
import { Command } from '../../parts/terminal-line.tsx';
import { safeLines } from '../../parts/text.ts';
import { type Taken, takenOf } from './taken.ts';
import type { Execution } from './why.ts';

const Shown = ({ taken: { bytes, text }, name }: { readonly taken: Taken; readonly name: string }) => (
  <>
    {text === undefined ? (
      <p class="soft">{formatBytes(bytes.byteLength)} of binary data.</p>
    ) : (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a person scrolls it by keyboard
      <pre class="plain" tabIndex={0}>
        {safeLines(text)}
      </pre>
    )}
    <button
      type="button"
      aria-label={`Download ${name}`}
      onClick={() => download(bytes, name, 'application/octet-stream')}
    >
      Download
    </button>
  </>
);

export const Results = ({ execution: { id, actorId } }: { readonly execution: Execution }) => {
  const all = useSignal<readonly Taken[]>([]);
  const ongoing = useOngoing();
  const take = async (): Promise<void> => {
    try {
      const address = addressOf('GET /actors/v2/:actorId/executions/:executionId/results', {
        actorId,
        executionId: id,
      });
      const response = await send(address, {});
      if (!response.ok) throw new ApiFailure(response.status, messageIn(await response.json(), response.status));
      const taken = takenOf(await response.arrayBuffer());
      if (taken === undefined) announce('There is no result to read.');
      else all.value = [...all.value, taken];
    } catch (error) {
      announce(formatFailure(error), true);
    }
  };
  return (
    <section class="panel" aria-labelledby="result-title">
      <header>
        <h2 id="result-title">Results</h2>
        <ActionButton isOff={ongoing.has()} onClick={() => void ongoing.run(take)}>
          Take the oldest
        </ActionButton>
      </header>
      <div class="body">
        {all.value.length === 0 ? <p class="soft">A result is read once: taking it removes it.</p> : null}
        {all.value.map((taken, at) => (
          <Shown key={at} taken={taken} name={`${id}.result-${at + 1}.${taken.text === undefined ? 'bin' : 'txt'}`} />
        ))}
        <Command line={commandLine('executions', 'result', id)} />
      </div>
    </section>
  );
};
