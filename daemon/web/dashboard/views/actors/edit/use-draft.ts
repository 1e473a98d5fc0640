// What a person types into the form of an actor. It survives a change of view, and a change of the actor elsewhere.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { createDrafts } from '../../../parts/actions/kept-drafts.ts';
import type { Actor } from '../rows.ts';
import { type Draft, draftOf, emptyDraft, fieldWords } from './draft.ts';

type Field = keyof Draft;

interface Form {
  readonly draft: Draft;
  /** The values of the actor. A field whose draft differs from it was changed by the person. */
  readonly base: Draft;
  /** Fields of the actor that were changed elsewhere while the person typed. */
  readonly elsewhere: readonly Field[];
}

/** By actor id. The form of a new actor has no id. */
const drafts = createDrafts<Form>();

const differing = (one: Draft, other: Draft): readonly Field[] =>
  (Object.keys(emptyDraft) as Field[]).filter((field) => JSON.stringify(one[field]) !== JSON.stringify(other[field]));

/** The form after a change of the actor: it keeps the fields that the person changed, and has new values in the others. */
const rebased = ({ draft, base, elsewhere }: Form, now: Draft): Form => {
  const own = differing(draft, base);
  if (own.length === 0) return { draft: now, base: now, elsewhere: [] };
  const kept = Object.fromEntries(own.map((field) => [field, draft[field]]));
  return {
    draft: { ...now, ...kept },
    base: now,
    elsewhere: [...new Set([...elsewhere, ...differing(base, now)])],
  };
};

const labelsOf = (fields: readonly Field[]): string =>
  Object.values(fieldWords)
    .flatMap(([field, label]) => (fields.includes(field) ? [label] : []))
    .join(', ');

export const useDraft = (actor: Actor | undefined) => {
  const key = actor?.id ?? '';
  const start = actor === undefined ? emptyDraft : draftOf(actor);
  const form = useSignal<Form>(drafts.get(key) ?? { draft: start, base: start, elsewhere: [] });
  const put = (next: Form): void => {
    form.value = next;
    if (differing(next.draft, next.base).length === 0) drafts.delete(key);
    else drafts.set(key, next);
  };
  /** Takes the new values of the actor. Returns true if one of them is of a field that the person changed too. */
  const take = (now: Actor): boolean => {
    const { draft, base } = form.value;
    const [own, theirs] = [differing(draft, base), differing(base, draftOf(now))];
    put(rebased(form.value, draftOf(now)));
    return own.some((field) => theirs.includes(field));
  };
  useEffect(() => {
    if (actor !== undefined) take(actor);
  }, [actor?.version]);
  const own = differing(form.value.draft, form.value.base);
  const replaced = own.filter((field) => form.value.elsewhere.includes(field));
  return {
    draft: {
      get value(): Draft {
        return form.value.draft;
      },
      set value(draft: Draft) {
        put({ ...form.value, draft });
      },
    },
    take,
    /** Labels of the fields that were changed elsewhere. Empty if there are none, or nothing is typed. */
    elsewhere: own.length === 0 ? '' : labelsOf(form.value.elsewhere),
    /** Labels of those that the person changed too. */
    replaced: labelsOf(replaced),
    /** Replaces what was typed by the values of the actor. */
    load: (): void => put({ draft: form.value.base, base: form.value.base, elsewhere: [] }),
    /** Forgets what was typed, when the form is left. */
    drop: (): void => void drafts.delete(key),
  };
};
