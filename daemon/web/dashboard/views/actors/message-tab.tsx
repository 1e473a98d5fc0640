// Sends a message to an actor, as text, JSON or a file, and shows its execution.

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Level } from '../../../../../src/contract/operation.ts';
import { formatDetail } from '../../../../../src/contract/outcome.ts';
import { ask } from '../../api/call.ts';
import { ApiFailure, formatFailure } from '../../api/failure.ts';
import { usePolled } from '../../api/poll.ts';
import { ActionButton } from '../../parts/actions/action-button.tsx';
import { useOngoing } from '../../parts/actions/ongoing.ts';
import { commandLine } from '../../parts/command.ts';
import { wordOf } from '../../parts/names.ts';
import { hasFailed } from '../../parts/outcome.ts';
import { Problem } from '../../parts/problem.tsx';
import { ExecutionStatus } from '../../parts/status.tsx';
import { Command } from '../../parts/terminal-line.tsx';
import { safe } from '../../parts/text.ts';
import { hashOf } from '../../shell/place.ts';
import { LogView } from '../executions/log/log-view.tsx';
import { refusalOf } from './level.ts';

const kinds = [
  ['text', 'Text', 'text/plain'],
  ['json', 'JSON', 'application/json'],
  ['file', 'File', 'application/octet-stream'],
] as const;
type Kind = (typeof kinds)[number][0];

const EVERY_MS = 1_000;

interface OfActor {
  readonly actorId: string;
}

const Watched = ({ id, actorId }: OfActor & { readonly id: string }) => {
  const { value } = usePolled(
    id,
    (signal) => ask('GET /actors/v2/executions/:executionId', { params: { executionId: id }, signal }),
    {
      every: EVERY_MS,
      afterEvents: 200,
      concerns: (event) => event.execution_id === id,
      isOver: ({ status }) => !['SUBMITTED', 'RUNNING'].includes(status),
    },
  );
  const execution = value.value;
  return (
    <>
      <p class="summary sent">
        <a class="link mono" href={hashOf(['executions', id])}>
          {id}
        </a>
        {execution === undefined ? null : (
          <>
            <ExecutionStatus execution={execution} />
            <span class={hasFailed(execution) ? 'bad' : 'soft'}>{safe(formatDetail(execution))}</span>
          </>
        )}
      </p>
      <LogView actorId={actorId} executionId={id} />
    </>
  );
};

/** The message of an execution, to be edited. */
const readMessage = async (executionId: string) => {
  const { message, variables = [] } = await ask('GET /actors/v2/executions/:executionId', { params: { executionId } });
  if (message === undefined) throw new ApiFailure(404, `The message of execution ${executionId} is not kept.`);
  if (message.type === 'binary') throw new ApiFailure(404, 'A binary message cannot be edited. Send another file.');
  const kept = variables.length === 0 ? '' : ` It is sent with the same variables: ${variables.map(safe).join(', ')}.`;
  return { kind: message.type, text: message.text, note: `The message of ${executionId}.${kept}` };
};

interface MessageTabProps extends OfActor {
  readonly level: Level | undefined;
  /** Execution whose message is edited and run again. A file is a new message. */
  readonly from?: string | undefined;
}

export const MessageTab = ({ actorId, level, from }: MessageTabProps) => {
  const refusal = refusalOf(level, 'EXECUTE');
  const kind = useSignal<Kind>('text');
  const text = useSignal('');
  const file = useSignal<File | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const sent = useSignal<string | undefined>(undefined);
  const note = useSignal('');
  const field = useRef<HTMLTextAreaElement>(null);
  const ongoing = useOngoing();
  useEffect(() => {
    if (from === undefined) return;
    readMessage(from)
      .then((found) => {
        kind.value = found.kind;
        text.value = found.text;
        note.value = found.note;
        field.current?.focus();
      })
      .catch((error: unknown) => {
        problem.value = formatFailure(error);
      });
  }, [from]);

  const edited = from === undefined || kind.value === 'file' ? undefined : { of: from, type: kind.value };
  const submit = async (): Promise<void> => {
    problem.value = undefined;
    try {
      if (kind.value === 'json') JSON.parse(text.value);
      const answer =
        edited === undefined
          ? await ask('POST /actors/v2/:actorId/messages', {
              params: { actorId },
              raw: kind.value === 'file' ? (file.value ?? '') : text.value,
              headers: { 'content-type': kinds.find(([name]) => name === kind.value)?.[2] ?? '' },
            })
          : await ask('POST /actors/v2/:actorId/executions/:executionId/rerun', {
              params: { actorId, executionId: edited.of },
              json: { message: { type: edited.type, text: text.value } },
            });
      sent.value = answer.executionId;
    } catch (error) {
      problem.value = error instanceof SyntaxError ? `This is not JSON: ${error.message}` : formatFailure(error);
    }
  };
  const submitOnce = (): void => void ongoing.run(submit);

  const line =
    kind.value === 'file'
      ? commandLine('send', wordOf(actorId), '--type', 'binary', '-f', file.value?.name ?? 'FILE')
      : commandLine(
          ...(edited === undefined ? ['send', wordOf(actorId)] : ['executions', 'rerun', edited.of]),
          ...['--type', kind.value, '-m', text.value],
        );
  return (
    <>
      <section class="panel" aria-labelledby="send-title">
        <header>
          <h2 id="send-title">Send a message</h2>
        </header>
        <form
          class="body"
          onSubmit={(event) => {
            event.preventDefault();
            submitOnce();
          }}
        >
          <fieldset class="choices">
            <legend class="visually-hidden">Kind of message</legend>
            {kinds.map(([name, word]) => (
              <label key={name}>
                <input
                  type="radio"
                  name="kind"
                  checked={kind.value === name}
                  onChange={() => {
                    kind.value = name;
                    problem.value = undefined;
                  }}
                />{' '}
                {word}
              </label>
            ))}
          </fieldset>
          {kind.value === 'file' ? (
            <div class="field">
              <label for="message-file">File to send</label>
              <input
                id="message-file"
                type="file"
                onChange={(event) => {
                  file.value = event.currentTarget.files?.[0];
                }}
              />
            </div>
          ) : (
            <div class="field">
              <label for="message-text">Message</label>
              <textarea
                id="message-text"
                ref={field}
                rows={5}
                spellcheck={false}
                value={text.value}
                onInput={(event) => {
                  text.value = event.currentTarget.value;
                }}
                onKeyDown={(event) => {
                  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submitOnce();
                }}
              />
            </div>
          )}
          {note.value === '' ? null : <p class="soft">{note.value}</p>}
          <Problem text={problem.value} />
          <div class="actions">
            <ActionButton
              type="submit"
              class="primary"
              refusal={refusal}
              isOff={ongoing.has() || (kind.value === 'file' && file.value === undefined)}
            >
              Send
            </ActionButton>
            <Command line={line} />
          </div>
        </form>
      </section>
      {sent.value === undefined ? null : <Watched key={sent.value} id={sent.value} actorId={actorId} />}
    </>
  );
};
