// Sends a message to an actor, as text, JSON or a file, and shows its execution.

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { formatDetail } from '../../../../../src/contract/outcome.ts';
import { ask } from '../../api/call.ts';
import { ApiFailure, formatFailure, isUnanswered } from '../../api/failure.ts';
import { usePolled } from '../../api/poll.ts';
import { randomText } from '../../login/pkce.ts';
import { ActionButton } from '../../parts/actions/action-button.tsx';
import { createDrafts } from '../../parts/actions/kept-drafts.ts';
import { useOngoing } from '../../parts/actions/ongoing.ts';
import { formatBytes } from '../../parts/bytes.ts';
import { commandLine } from '../../parts/command.ts';
import { wordOf } from '../../parts/names.ts';
import { hasFailed } from '../../parts/outcome.ts';
import { Problem } from '../../parts/problem.tsx';
import { ExecutionStatus } from '../../parts/status.tsx';
import { Command } from '../../parts/terminal-line.tsx';
import { safe } from '../../parts/text.ts';
import { hashOf } from '../../shell/place.ts';
import { LogView } from '../executions/log/log-view.tsx';

const kinds = [
  ['text', 'Text', 'text/plain'],
  ['json', 'JSON', 'application/json'],
  ['file', 'File', 'application/octet-stream'],
] as const;
type Kind = (typeof kinds)[number][0];

const EVERY_MS = 1_000;

interface Draft {
  readonly kind: Kind;
  readonly text: string;
  /** Says where the text comes from. */
  readonly note: string;
  /** Idempotency key of a message that was sent without a response. A change of the message removes it. */
  readonly key: string | undefined;
}

const emptyDraft: Draft = { kind: 'text', text: '', note: '', key: undefined };

/** By actor and the execution whose message is edited. */
const drafts = createDrafts<Draft>();

/** @throws Error before the upload, which would be refused after it */
const demandSize = (what: string, bytes: number): void => {
  const limit = Number(document.body.dataset['messageLimit']);
  if (bytes > limit)
    throw new Error(`${what} has ${formatBytes(bytes)}. The limit of a message is ${formatBytes(limit)}. Send less.`);
};

const Watched = ({ id, actorId }: { readonly id: string; readonly actorId: string }) => {
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
  if (message === undefined)
    return {
      kind: 'text' as const,
      text: '',
      note: `The message of ${executionId} is not stored in full. Write the one to send in its place.`,
    };
  if (message.type === 'binary') throw new ApiFailure(404, 'A binary message cannot be edited. Send another file.');
  const kept = variables.length === 0 ? '' : ` It is sent with the same variables: ${variables.map(safe).join(', ')}.`;
  return { kind: message.type, text: message.text, note: `The message of ${executionId}.${kept}` };
};

interface MessageTabProps {
  readonly actorId: string;
  /** Why nothing can be sent. */
  readonly refusal: string | undefined;
  /** Execution whose message is edited and run again. A file is a new message. */
  readonly from?: string | undefined;
}

export const MessageTab = ({ actorId, refusal, from }: MessageTabProps) => {
  const place = `${actorId} ${from ?? ''}`;
  const draft = useSignal(drafts.get(place) ?? emptyDraft);
  const { kind, text, note } = draft.value;
  const file = useSignal<File | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const sent = useSignal<string | undefined>(undefined);
  const field = useRef<HTMLTextAreaElement>(null);
  const ongoing = useOngoing();
  const keep = (next: Draft): void => {
    draft.value = next;
    drafts.set(place, next);
  };
  const change = (part: Partial<Draft>): void => keep({ ...draft.value, ...part, key: undefined });
  useEffect(() => {
    if (from === undefined || drafts.has(place)) return;
    readMessage(from)
      .then((found) => {
        draft.value = { ...found, key: undefined };
        field.current?.focus();
      })
      .catch((error: unknown) => {
        problem.value = formatFailure(error);
      });
  }, [from]);

  const edited = from === undefined || kind === 'file' ? undefined : { of: from, type: kind };
  const submit = async (): Promise<void> => {
    problem.value = undefined;
    sent.value = undefined;
    try {
      if (kind === 'json') JSON.parse(text);
      const raw = kind === 'file' ? (file.value ?? '') : text;
      demandSize(kind === 'file' ? 'The file' : 'The message', new Blob([raw]).size);
      const key = draft.value.key ?? randomText();
      keep({ ...draft.value, key });
      const headers = { 'idempotency-key': key };
      const answer =
        edited === undefined
          ? await ask('POST /actors/v2/:actorId/messages', {
              params: { actorId },
              raw,
              headers: { ...headers, 'content-type': kinds.find(([name]) => name === kind)?.[2] ?? '' },
            })
          : await ask('POST /actors/v2/:actorId/executions/:executionId/rerun', {
              params: { actorId, executionId: edited.of },
              headers,
              json: { message: { type: edited.type, text } },
            });
      sent.value = answer.executionId;
      // What was typed meanwhile is another message. The text that was sent stays in the field until it is left.
      if (drafts.get(place)?.key === key) drafts.delete(place);
      if (draft.value.key === key) draft.value = { ...draft.value, key: undefined };
    } catch (error) {
      problem.value =
        error instanceof SyntaxError
          ? `This is not JSON: ${error.message}`
          : isUnanswered(error)
            ? 'No response arrived. The message may have been sent. Send again: it is not sent twice.'
            : formatFailure(error);
    }
  };
  const submitOnce = (): void => void ongoing.run(submit);

  const line =
    kind === 'file'
      ? commandLine('send', wordOf(actorId), '--type', 'binary', '-f', file.value?.name ?? 'FILE')
      : commandLine(
          ...(edited === undefined ? ['send', wordOf(actorId)] : ['executions', 'rerun', edited.of]),
          ...['--type', kind, '-m', text],
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
                  checked={kind === name}
                  onChange={() => {
                    change({ kind: name });
                    problem.value = undefined;
                  }}
                />{' '}
                {word}
              </label>
            ))}
          </fieldset>
          {kind === 'file' ? (
            <div class="field">
              <label for="message-file">File to send</label>
              <input
                id="message-file"
                type="file"
                onChange={(event) => {
                  file.value = event.currentTarget.files?.[0];
                  change({});
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
                value={text}
                onInput={(event) => change({ text: event.currentTarget.value })}
                onKeyDown={(event) => {
                  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submitOnce();
                }}
              />
            </div>
          )}
          {note === '' ? null : <p class="soft">{note}</p>}
          <Problem text={problem.value} />
          <div class="actions">
            <ActionButton
              type="submit"
              class="primary"
              refusal={refusal}
              isOff={ongoing.has() || (kind === 'file' && file.value === undefined)}
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
