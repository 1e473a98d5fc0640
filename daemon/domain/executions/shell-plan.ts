// What a shell in an execution receives: what the execution had, and where that is no longer known, what there is now.

import { isFolderImage } from '../actors/image-reference.ts';
import { EMPTY_STATE, newestState } from '../actors/state.ts';
import type {
  ActorRecord,
  ExecutionRecord,
  KeptMessage,
  MessageExcerpt,
  MessageRecord,
} from '../records/actor-records.ts';
import type { StateRecord } from '../records/resource-records.ts';

type ShellMessage = Pick<
  MessageRecord,
  'executionId' | 'contentType' | 'variables' | 'executor' | 'actorRevision' | 'bodyFile' | 'cron'
>;

export interface ShellPlan {
  readonly message: ShellMessage;
  /** Text, or base64 if the message is binary. */
  readonly text: string;
  readonly state: string;
  /** The engine's id of the image. Undefined if only its name is known. */
  readonly imageId: string | undefined;
  /** What differs from the execution, as sentences for a person. */
  readonly notes: readonly string[];
}

const UNKNOWN: KeptMessage = { contentType: 'str', variables: {}, text: '' };

const messageNote = ({ message, excerpt }: ExecutionRecord): string | undefined => {
  if (message !== undefined) return undefined;
  if (excerpt === undefined) return 'The message of this execution was not stored, so MSG is empty.';
  const { contentType, text, size } = excerpt;
  const stored =
    contentType === 'application/octet-stream'
      ? Math.floor((text.replace(/=+$/, '').length * 3) / 4)
      : new TextEncoder().encode(text).length;
  return stored === size ? undefined : `The message had ${size} bytes. The shell has its first ${stored} bytes.`;
};

const stateOf = (
  { stateVersion }: ExecutionRecord,
  versions: readonly StateRecord[],
): { readonly text: string; readonly note?: string } => {
  if (stateVersion === 0) return { text: EMPTY_STATE };
  const found = versions.find(({ version }) => version === stateVersion);
  if (found !== undefined) return found;
  const now = newestState(versions);
  const which =
    stateVersion === undefined
      ? 'The version of its state was not stored'
      : `Version ${stateVersion} of its state is no longer stored`;
  return { text: now?.text ?? EMPTY_STATE, note: `${which}. The shell has the current version, ${now?.version ?? 0}.` };
};

/** @param versions all stored versions of the state of the actor, oldest first */
export const planShell = (
  execution: ExecutionRecord,
  actor: ActorRecord,
  versions: readonly StateRecord[],
): ShellPlan => {
  const { id, executor, imageId, actorRevision, cause, missed, startedAt } = execution;
  const known: KeptMessage | MessageExcerpt = execution.message ?? execution.excerpt ?? UNKNOWN;
  const state = stateOf(execution, versions);
  const scheduledAt = cause?.scheduledAt;
  const notes = [
    messageNote(execution),
    actor.stateless ? undefined : state.note,
    !isFolderImage(actor.image) && imageId === undefined
      ? `Which image ran was not stored. The shell has ${actor.image} as it is now.`
      : undefined,
    startedAt !== undefined && actor.updatedAt > startedAt
      ? 'The actor was changed since. The shell has its current variables and limits.'
      : undefined,
  ];
  return {
    message: {
      executionId: id,
      contentType: known.contentType,
      variables: known.variables,
      executor,
      actorRevision: actorRevision ?? actor.revision,
      bodyFile: null,
      ...(scheduledAt !== undefined && { cron: { scheduledAt, missed: missed ?? 0 } }),
    },
    text: known.text,
    state: state.text,
    imageId,
    notes: notes.filter((each) => each !== undefined),
  };
};
