// What is wrong with a field of a form.
import { useEffect, useRef } from 'preact/hooks';
import { safe } from '../text.ts';
import { type FieldProblem, formatProblems } from './field-problems.ts';

/** Attributes of the input whose problem is shown by `FieldNote` with the same id. */
export const wrongIf = (problems: readonly FieldProblem[], field: string, id: string, note?: string) => {
  const isWrong = problems.some((problem) => problem.field === field);
  const described = [...(isWrong ? [`${id}-problem`] : []), ...(note === undefined ? [] : [note])].join(' ');
  return {
    ...(isWrong && { 'aria-invalid': true as const }),
    ...(described !== '' && { 'aria-describedby': described }),
  };
};

interface FieldNoteProps {
  readonly problems: readonly FieldProblem[];
  readonly field: string;
  readonly id: string;
}

export const FieldNote = ({ problems, field, id }: FieldNoteProps) => {
  const own = problems.filter((problem) => problem.field === field);
  return own.length === 0 ? null : (
    <p class="bad" id={`${id}-problem`}>
      {safe(formatProblems(own))}
    </p>
  );
};

/** Returns the form, whose first wrong field gets the focus after each failure. */
export const useFocusOnWrong = (problems: readonly FieldProblem[]) => {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (problems.length > 0) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [problems]);
  return form;
};

/** The problems of the whole form, in one text. */
export const otherProblems = (problems: readonly FieldProblem[]): string | undefined =>
  formatProblems(problems.filter(({ field }) => field === undefined)) || undefined;
