// The image of an actor in its form: typed, chosen from the images of the engine, or a folder.
import type { Signal } from '@preact/signals';
import { ask } from '../../../api/call.ts';
import { ApiFailure, formatFailure } from '../../../api/failure.ts';
import { usePolled } from '../../../api/poll.ts';
import { FieldNote, wrongIf } from '../../../parts/actions/field-problem.tsx';
import type { FieldProblem } from '../../../parts/actions/field-problems.ts';
import { formatBytes } from '../../../parts/bytes.ts';
import { safe } from '../../../parts/text.ts';
import type { Draft } from './draft.ts';
import { FolderChoice } from './folder-choice.tsx';

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

interface ImageFieldProps {
  readonly draft: Pick<Signal<Draft>, 'value'>;
  readonly isNew: boolean;
  readonly problems: readonly FieldProblem[];
}

export const ImageField = ({ draft, isNew, problems }: ImageFieldProps) => {
  const { value } = usePolled('images', readImageChoices, { every: Number.POSITIVE_INFINITY });
  const { images = [], isAdmin = false, problem } = value.value ?? {};
  return (
    <>
      <div class="field">
        <label for="actor-image">Image{isAdmin ? ', or a folder: file:///home/ana/wc' : ''}</label>
        <input
          id="actor-image"
          required
          list="actor-images"
          spellcheck={false}
          autocomplete="off"
          placeholder="abacosamples/wc"
          value={draft.value.image}
          onInput={(event) => {
            draft.value = { ...draft.value, image: event.currentTarget.value };
          }}
          {...wrongIf(problems, 'image', 'actor-image', problem === undefined ? undefined : 'actor-image-note')}
        />
        <FieldNote problems={problems} field="image" id="actor-image" />
      </div>
      <datalist id="actor-images">
        {images.map(({ name, about }) => (
          <option key={name} value={name} label={about} />
        ))}
      </datalist>
      {problem === undefined ? null : (
        <p class="soft" id="actor-image-note">
          {safe(problem)}
        </p>
      )}
      {isAdmin ? <FolderChoice draft={draft} isNew={isNew} /> : null}
    </>
  );
};
