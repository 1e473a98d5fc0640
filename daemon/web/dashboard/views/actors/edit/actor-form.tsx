// Creates an actor, or changes the description of one.

import { useSignal } from '@preact/signals';
import { ask } from '../../../api/call.ts';
import { ApiFailure, formatFailure } from '../../../api/failure.ts';
import { usePolled } from '../../../api/poll.ts';
import { ActionButton } from '../../../parts/actions/action-button.tsx';
import { useOngoing } from '../../../parts/actions/ongoing.ts';
import { announce } from '../../../parts/announce.tsx';
import { formatBytes } from '../../../parts/bytes.ts';
import { wordOf } from '../../../parts/names.ts';
import { Problem } from '../../../parts/problem.tsx';
import { Command } from '../../../parts/terminal-line.tsx';
import { safe } from '../../../parts/text.ts';
import { hashOf } from '../../../shell/place.ts';
import { go } from '../../../shell/router.ts';
import type { Actor } from '../rows.ts';
import { ConfigVariables } from './config-variables.tsx';
import { commandOf, creationOf, type Draft, draftOf, emptyDraft, updateOf } from './draft.ts';
import { FolderChoice } from './folder-choice.tsx';

type TextField = Exclude<keyof Draft, 'isStateful' | 'isLegacy' | 'configs' | 'unseen'>;

const limits: readonly (readonly [field: TextField, label: string, placeholder: string])[] = [
  ['memory', 'Memory', '512m'],
  ['cpus', 'Processors', '0.5'],
  ['workers', 'Most workers', '4'],
  ['seconds', 'Time limit in seconds', '900'],
];

interface ImageChoices {
  readonly images: readonly { readonly name: string; readonly about: string }[];
  /** True if the user may list images and folders, and register folders. */
  readonly isAdmin: boolean;
  /** Why images are missing from the list. */
  readonly problem?: string;
}

/** Images that actors use already. */
const readUsed = async (signal: AbortSignal): Promise<readonly string[]> => {
  const actors = await ask('GET /actors/v2', { signal });
  return Array.isArray(actors) ? actors.map(({ image }) => image) : [];
};

/** The images of the engine. Only admins may list them; others get an empty list. */
const readEngine = async (signal: AbortSignal): Promise<ImageChoices> => {
  try {
    const { available, detail, images, more } = await ask('GET /actors/v2/admin/images', { signal });
    const problem = available
      ? more && `The list has only the newest ${images.length} images of the engine.`
      : `The list has no images of the container engine: ${detail}`;
    return {
      isAdmin: true,
      images: images.map(({ name, size }) => ({ name, about: formatBytes(size) })),
      ...(problem !== false && { problem }),
    };
  } catch (error) {
    if (signal.aborted || (error instanceof ApiFailure && error.status === 0)) throw error;
    if (error instanceof ApiFailure && error.status === 403) return { images: [], isAdmin: false };
    return {
      images: [],
      isAdmin: true,
      problem: `The list has no images of the container engine: ${formatFailure(error)}`,
    };
  }
};

const readImageChoices = async (signal: AbortSignal): Promise<ImageChoices> => {
  const [used, engine] = await Promise.all([readUsed(signal), readEngine(signal)]);
  const known = new Set(engine.images.map(({ name }) => name));
  const others = [...new Set(used)].filter((name) => !known.has(name)).toSorted();
  return { ...engine, images: [...others.map((name) => ({ name, about: 'used by an actor' })), ...engine.images] };
};

export const ActorForm = ({ actor }: { readonly actor?: Actor }) => {
  const draft = useSignal<Draft>(actor === undefined ? emptyDraft : draftOf(actor));
  const problem = useSignal<string | undefined>(undefined);
  const ongoing = useOngoing();
  const { value: choices } = usePolled('images', readImageChoices, { every: Number.POSITIVE_INFINITY });
  const set = (change: Partial<Draft>): void => {
    draft.value = { ...draft.value, ...change };
  };
  const isNew = actor === undefined;

  const save = async (): Promise<void> => {
    problem.value = undefined;
    try {
      const saved = isNew
        ? await ask('POST /actors/v2', { json: creationOf(draft.value) })
        : await ask('PUT /actors/v2/:actorId', {
            params: { actorId: actor.id },
            headers: { 'if-match': `"${actor.version}"` },
            json: updateOf(actor, draft.value),
          });
      const done = isNew ? `The actor ${saved.name || saved.id} is created.` : 'The changes are saved.';
      const warnings = saved.warnings ?? [];
      announce([done, ...warnings].join(' '), warnings.length > 0);
      go(['actors', saved.id]);
    } catch (error) {
      problem.value = formatFailure(error);
    }
  };

  const input = (field: TextField, label: string, more: { readonly [name: string]: unknown } = {}) => (
    <div class="field">
      <label for={`actor-${field}`}>{label}</label>
      <input
        id={`actor-${field}`}
        spellcheck={false}
        autocomplete="off"
        value={draft.value[field]}
        onInput={(event) => set({ [field]: event.currentTarget.value })}
        {...more}
      />
    </div>
  );
  return (
    <section class="panel" aria-labelledby="actor-form-title">
      <header>
        <h2 id="actor-form-title">{isNew ? 'New actor' : 'Edit the description'}</h2>
      </header>
      <form
        class="body form"
        onSubmit={(event) => {
          event.preventDefault();
          void ongoing.run(save);
        }}
      >
        {input('image', 'Image, or for admins a folder: file:///home/ana/wc', {
          required: true,
          list: 'actor-images',
          'aria-describedby': choices.value?.problem === undefined ? undefined : 'actor-image-note',
          placeholder: 'abacosamples/wc',
        })}
        <datalist id="actor-images">
          {(choices.value?.images ?? []).map(({ name, about }) => (
            <option key={name} value={name} label={about} />
          ))}
        </datalist>
        {choices.value?.problem === undefined ? null : (
          <p class="soft" id="actor-image-note">
            {safe(choices.value.problem)}
          </p>
        )}
        {choices.value?.isAdmin === true ? <FolderChoice draft={draft} isNew={isNew} /> : null}
        {input('name', 'Name', { placeholder: 'wordcount' })}
        {input('description', 'Description', { spellcheck: true })}
        <div class="field">
          <label for="actor-variables">Variables, one NAME=value on each line</label>
          <textarea
            id="actor-variables"
            rows={3}
            spellcheck={false}
            placeholder="LOG=info"
            value={draft.value.variables}
            onInput={(event) => set({ variables: event.currentTarget.value })}
          />
        </div>
        <ConfigVariables actorId={actor?.id} variables={draft.value.configs} onChange={(configs) => set({ configs })} />
        <div class="columns limits">
          {limits.map(([field, label, placeholder]) => (
            <div key={field}>{input(field, label, { placeholder })}</div>
          ))}
        </div>
        {isNew ? (
          <fieldset class="choices">
            <legend class="visually-hidden">Kind of actor</legend>
            <label>
              <input
                type="checkbox"
                checked={draft.value.isStateful}
                onChange={(event) => set({ isStateful: event.currentTarget.checked })}
              />{' '}
              Stateful: one execution at a time, with a state
            </label>
            <label>
              <input
                type="checkbox"
                checked={draft.value.isLegacy}
                onChange={(event) => set({ isLegacy: event.currentTarget.checked })}
              />{' '}
              Written for the hosted platform
            </label>
          </fieldset>
        ) : null}
        <Problem text={problem.value} />
        <div class="actions">
          <ActionButton type="submit" class="primary" isOff={ongoing.has()}>
            {isNew ? 'Create' : 'Save'}
          </ActionButton>
          <a class="button" href={hashOf(isNew ? ['actors'] : ['actors', actor.id])}>
            Cancel
          </a>
          <Command line={commandOf(draft.value, actor, actor && wordOf(actor.id))} />
        </div>
      </form>
    </section>
  );
};
