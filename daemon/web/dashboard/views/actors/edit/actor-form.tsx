// Creates an actor, or changes the fields of one.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask } from '../../../api/call.ts';
import { ApiFailure } from '../../../api/failure.ts';
import { ActionButton } from '../../../parts/actions/action-button.tsx';
import { FieldNote, otherProblems, useFocusOnWrong, wrongIf } from '../../../parts/actions/field-problem.tsx';
import { type FieldProblem, fieldProblems } from '../../../parts/actions/field-problems.ts';
import { useOngoing } from '../../../parts/actions/ongoing.ts';
import { announce } from '../../../parts/announce.tsx';
import { wordOf } from '../../../parts/names.ts';
import { Problem } from '../../../parts/problem.tsx';
import { Command } from '../../../parts/terminal-line.tsx';
import { safe } from '../../../parts/text.ts';
import { hashOf } from '../../../shell/place.ts';
import { go } from '../../../shell/router.ts';
import type { Actor } from '../rows.ts';
import { ConfigVariables } from './config-variables.tsx';
import { commandOf, creationOf, type Draft, fieldWords, updateOf } from './draft.ts';
import { folderOf } from './folder-draft.ts';
import { ImageField } from './image-field.tsx';
import { useDraft } from './use-draft.ts';

type TextField = Exclude<keyof Draft, 'image' | 'isStateful' | 'isLegacy' | 'configs' | 'unseen'>;

const limits: readonly (readonly [field: TextField, label: string, placeholder: string])[] = [
  ['memory', 'Memory', '512m'],
  ['cpus', 'Processors', '0.5'],
  ['workers', 'Maximum workers', '4'],
  ['seconds', 'Time limit in seconds', '900'],
];

const NO_PROBLEMS: readonly FieldProblem[] = [];

/** The ids of the user's own actors with this name. */
const ownIds = async (name: string): Promise<readonly string[]> => {
  if (name === '') return [];
  const [actors, { username }] = await Promise.all([ask('GET /actors/v2', {}), ask('GET /profiles/v2/me', {})]);
  return Array.isArray(actors)
    ? actors.filter((actor) => actor.name === name && actor.owner === username).map(({ id }) => id)
    : [];
};

/** The problems of a failed request. A failure that names the image, such as a missing folder, is one of its field. */
const problemsOf = (error: unknown, image: string): readonly FieldProblem[] =>
  fieldProblems(error, fieldWords).map((problem) =>
    problem.field === undefined && image !== '' && problem.text.includes(folderOf(image) ?? image)
      ? { ...problem, field: 'image' }
      : problem,
  );

interface ActorFormProps {
  /** Absent for a new actor. */
  readonly actor?: Actor;
  /** Why nothing can be saved. */
  readonly refusal?: string | undefined;
  /** Called when the actor is no longer as given, because it was saved, changed elsewhere or deleted. */
  readonly onChanged?: () => void;
}

export const ActorForm = ({ actor, refusal, onChanged }: ActorFormProps) => {
  const { draft, take, elsewhere, replaced, load, drop } = useDraft(actor);
  const problems = useSignal(NO_PROBLEMS);
  /** Own actors that have the name already. */
  const namesakes = useSignal<readonly string[]>([]);
  const ongoing = useOngoing();
  const form = useFocusOnWrong(problems.value);
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  const set = (change: Partial<Draft>): void => {
    draft.value = { ...draft.value, ...change };
  };
  const isNew = actor === undefined;

  /** Refuses a name that the user gave to another actor, in the words of the command. */
  const isTaken = async (): Promise<boolean> => {
    const name = draft.value.name.trim();
    const ids = name === actor?.name ? [] : await ownIds(name);
    if (ids.length === 0) return false;
    const text = `You already own an actor named "${name}": ${ids.join(', ')}.${isNew ? '' : ' Choose another name.'}`;
    problems.value = [{ field: 'name', text }];
    namesakes.value = ids;
    return true;
  };
  const save = async (isDuplicate: boolean): Promise<void> => {
    problems.value = NO_PROBLEMS;
    namesakes.value = [];
    try {
      // An update replaces all fields, so it starts from the newest ones: a change elsewhere of other fields remains.
      const newest = isNew ? undefined : await ask('GET /actors/v2/:actorId', { params: { actorId: actor.id } });
      if (newest !== undefined && take(newest)) {
        problems.value = [
          { field: undefined, text: 'A field was changed elsewhere meanwhile. Check it and save again.' },
        ];
        onChanged?.();
        return;
      }
      const json = newest === undefined ? creationOf(draft.value) : updateOf(newest, draft.value);
      if (!isDuplicate && (await isTaken())) return;
      const saved =
        newest === undefined
          ? await ask('POST /actors/v2', { json })
          : await ask('PUT /actors/v2/:actorId', {
              params: { actorId: newest.id },
              headers: { 'if-match': `"${newest.version}"` },
              json,
            });
      drop();
      onChanged?.();
      const done = isNew ? `Created actor ${saved.name || saved.id}.` : 'The changes are saved.';
      const warnings = saved.warnings ?? [];
      announce([done, ...warnings].join(' '), warnings.length > 0);
      go(['actors', saved.id]);
    } catch (error) {
      problems.value = problemsOf(error, draft.value.image.trim());
      if (error instanceof ApiFailure && error.status === 404) onChanged?.();
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
        {...wrongIf(problems.value, field, `actor-${field}`)}
        {...more}
      />
      <FieldNote problems={problems.value} field={field} id={`actor-${field}`} />
    </div>
  );
  return (
    <section class="panel" aria-labelledby="actor-form-title">
      <header>
        <h2 id="actor-form-title">{isNew ? 'New actor' : 'Edit actor'}</h2>
      </header>
      <form
        class="body form"
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          void ongoing.run(() => save(false));
        }}
      >
        <ImageField draft={draft} isNew={isNew} problems={problems.value} />
        {input('name', 'Name', { placeholder: 'wordcount' })}
        {!isNew || namesakes.value.length === 0 ? null : (
          <div class="actions">
            {namesakes.value.map((id) => (
              <a class="button" key={id} href={hashOf(['actors', id], { tab: 'edit' })}>
                {namesakes.value.length === 1 ? 'Edit it' : `Edit ${safe(id)}`}
              </a>
            ))}
            <button type="button" onClick={() => void ongoing.run(() => save(true))}>
              Create another one
            </button>
          </div>
        )}
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
            {...wrongIf(problems.value, 'variables', 'actor-variables')}
          />
          <FieldNote problems={problems.value} field="variables" id="actor-variables" />
        </div>
        <ConfigVariables
          actorId={actor?.id}
          variables={draft.value.configs}
          problems={problems.value}
          onChange={(configs) => set({ configs })}
        />
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
              Legacy dialect: for programs written for the hosted platform
            </label>
            <p class="soft">Neither can be changed later.</p>
          </fieldset>
        ) : null}
        <div role="status">
          {elsewhere === '' ? null : (
            <div class="actions">
              <span>
                Changed meanwhile elsewhere: {elsewhere}.
                {replaced === '' ? null : ` Saving replaces the new value of ${replaced} with yours.`}
              </span>
              <button type="button" onClick={load}>
                Load the new values
              </button>
            </div>
          )}
        </div>
        <Problem text={refusal === undefined ? otherProblems(problems.value) : undefined} />
        <div class="actions">
          <ActionButton
            type="submit"
            class={replaced === '' ? 'primary' : 'danger'}
            refusal={refusal}
            isOff={ongoing.has()}
          >
            {isNew ? 'Create' : replaced === '' ? 'Save' : 'Save mine over it'}
          </ActionButton>
          <a class="button" href={hashOf(isNew ? ['actors'] : ['actors', actor.id])} onClick={drop}>
            Cancel
          </a>
          <Command
            line={commandOf(draft.value, actor, {
              word: actor && wordOf(actor.id),
              isDuplicate: namesakes.value.length > 0,
            })}
          />
        </div>
      </form>
    </section>
  );
};
