// The actions of one execution: run again, edit its message, halt.

import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { ask } from '../../api/call.ts';
import { formatFailure, isUnanswered } from '../../api/failure.ts';
import { randomText } from '../../login/pkce.ts';
import { ActionButton } from '../../parts/actions/action-button.tsx';
import { Confirm } from '../../parts/actions/confirm.tsx';
import { useOngoing } from '../../parts/actions/ongoing.ts';
import { announce } from '../../parts/announce.tsx';
import { commandLine } from '../../parts/command.ts';
import { Command } from '../../parts/terminal-line.tsx';
import { hashOf } from '../../shell/place.ts';
import { go } from '../../shell/router.ts';
import { refusalOf, useLevel } from '../actors/level.ts';
import { NOT_STORED } from './stored-message.ts';
import type { Execution } from './why.ts';

export const ExecutionActions = ({
  execution,
  onDone,
}: {
  readonly execution: Execution;
  readonly onDone: () => void;
}) => {
  const { id, actorId, status } = execution;
  const ongoing = useOngoing();
  const level = useLevel(actorId).value;
  const [noRerun, noHalt] = [refusalOf(level, 'EXECUTE'), refusalOf(level, 'UPDATE')];
  const { message } = execution;
  // The message is also absent for users who may not send it.
  const noRepeat = noRerun ?? (message === undefined ? NOT_STORED : undefined);
  const asking = useSignal(false);
  /** Idempotency key of a rerun without a response, so that a second click sends the message only once. */
  const key = useRef<string | undefined>(undefined);
  const act = (work: () => Promise<string>): Promise<void> =>
    ongoing.run(async () => {
      try {
        announce(await work());
      } catch (error) {
        announce(formatFailure(error), true);
      }
      onDone();
    });
  const halt = () =>
    act(async () => {
      await ask('DELETE /actors/v2/:actorId/executions/:executionId', { params: { actorId, executionId: id } });
      return 'The execution is being halted.';
    });
  const rerun = () =>
    act(async () => {
      const params = { actorId, executionId: id };
      key.current ??= randomText();
      const headers = { 'idempotency-key': key.current };
      const { executionId } = await ask('POST /actors/v2/:actorId/executions/:executionId/rerun', {
        params,
        headers,
        json: {},
      }).catch((error: unknown) => {
        if (!isUnanswered(error)) throw error;
        throw new Error('No response arrived. It may have been sent. Run it again: it is not sent twice.');
      });
      key.current = undefined;
      go(['executions', executionId]);
      return 'The message was sent again. This is its new execution.';
    });
  // Both buttons keep their places when the execution ends: a second click on Halt must not run it again.
  return (
    <div class="actions">
      <ActionButton isOff={ongoing.has() || status === 'RUNNING'} refusal={noRepeat} onClick={() => void rerun()}>
        Run again
      </ActionButton>
      {message?.type === 'binary' || noRerun !== undefined ? null : (
        <a class="link" href={hashOf(['actors', actorId], { from: id })}>
          Edit message and run again
        </a>
      )}
      <ActionButton
        class="danger"
        isOff={ongoing.has() || status !== 'RUNNING'}
        refusal={noHalt}
        onClick={() => {
          asking.value = true;
        }}
      >
        Halt
      </ActionButton>
      <Command line={commandLine('executions', status === 'RUNNING' ? 'halt' : 'rerun', id)} />
      {asking.value ? (
        <Confirm
          title={`Halt execution ${id}?`}
          word="Halt"
          line={commandLine('executions', 'halt', id)}
          onYes={() => void halt()}
          onClose={() => {
            asking.value = false;
          }}
        >
          <p>Its program gets SIGTERM, and SIGKILL after ten seconds.</p>
        </Confirm>
      ) : null}
    </div>
  );
};
