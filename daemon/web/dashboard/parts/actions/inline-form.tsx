// A small form behind a button, for a change of a few fields.

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { announce } from '../announce.tsx';
import { Problem } from '../problem.tsx';
import { Command } from '../terminal-line.tsx';
import { ActionButton } from './action-button.tsx';
import { FieldNote, otherProblems, useFocusOnWrong, wrongIf } from './field-problem.tsx';
import { type FieldProblem, type FieldWords, fieldProblems } from './field-problems.ts';
import { useOngoing } from './ongoing.ts';

export interface InlineField {
  readonly name: string;
  readonly label: string;
  readonly placeholder?: string;
  readonly required?: boolean;
  /** Id of the suggestions. */
  readonly list?: string;
  /** Lines of the field. Absent: one line. */
  readonly rows?: number;
  /** The values to choose from. The first one is the default. */
  readonly choices?: readonly string[];
  /** The values of which any may be chosen. The value is a comma-separated list. */
  readonly anyOf?: readonly string[];
  readonly isPassword?: boolean;
}

type Values = Readonly<Record<string, string>>;

interface InlineFormProps {
  /** The button that opens the form. */
  readonly title: string;
  /** The words of that button, where its place says the rest of the title. */
  readonly short?: string;
  readonly fields: readonly InlineField[];
  /** The first values of the fields, and values without a field. */
  readonly initial?: Values;
  /** Why the button is disabled. */
  readonly refusal?: string | undefined;
  readonly word?: string;
  readonly line: (values: Values) => string;
  /** What the values mean, before they are sent. It can change them. */
  readonly note?: (values: Values, change: (changes: Values) => void) => ComponentChildren;
  /** The fields by the field of the API that they set, so that an error stands beside its field. */
  readonly apiFields?: FieldWords;
  /** Makes the change. Returns what to announce. */
  readonly onSubmit: (values: Values) => Promise<string>;
}

interface AnyOfProps {
  readonly label: string;
  readonly of: readonly string[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const AnyOf = ({ label, of, value, onChange }: AnyOfProps) => {
  const chosen = value.split(',');
  return (
    <fieldset class="choices">
      <legend>{label}</legend>
      {of.map((each) => (
        <label key={each}>
          <input
            type="checkbox"
            checked={chosen.includes(each)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(of.filter((one) => (one === each ? checked : chosen.includes(one))).join(','))
            }
          />{' '}
          {each}
        </label>
      ))}
    </fieldset>
  );
};

const firstValues = (fields: readonly InlineField[], initial: Values): Values => ({
  ...initial,
  ...Object.fromEntries(fields.map(({ name, choices }) => [name, initial[name] ?? choices?.[0] ?? ''])),
});

const NO_PROBLEMS: readonly FieldProblem[] = [];

export const InlineForm = (props: InlineFormProps) => {
  const { title, short, fields, initial = {}, refusal, word = 'Save', line, note, apiFields = {}, onSubmit } = props;
  const open = useSignal(false);
  const values = useSignal<Values>({});
  const problems = useSignal(NO_PROBLEMS);
  const ongoing = useOngoing();
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const form = useFocusOnWrong(problems.value);
  const wasOpen = useRef(false);
  // The button and the form replace each other, which would leave the focus nowhere.
  useEffect(() => {
    if (open.value) form.current?.querySelector<HTMLElement>('input, textarea, select')?.focus();
    else if (wasOpen.current) button.current?.focus();
    wasOpen.current = open.value;
  }, [open.value]);
  const set = (name: string, value: string): void => {
    values.value = { ...values.value, [name]: value };
  };
  const change = (changes: Values): void => {
    values.value = { ...values.value, ...changes };
    problems.value = NO_PROBLEMS;
  };
  const submit = async (): Promise<void> => {
    problems.value = NO_PROBLEMS;
    try {
      announce(await onSubmit(values.value));
      open.value = false;
    } catch (error) {
      problems.value = fieldProblems(error, apiFields);
    }
  };
  if (!open.value)
    return (
      <div class="actions">
        <button
          ref={button}
          type="button"
          disabled={refusal !== undefined}
          title={refusal}
          aria-label={title}
          onClick={() => {
            values.value = firstValues(fields, initial);
            problems.value = NO_PROBLEMS;
            open.value = true;
          }}
        >
          {short ?? title}
        </button>
      </div>
    );
  return (
    <form
      ref={form}
      class="form inline"
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        void ongoing.run(submit);
      }}
    >
      {fields.map(({ name, label, placeholder, required, list, rows, choices, anyOf, isPassword }) =>
        anyOf !== undefined ? (
          <AnyOf
            key={name}
            label={label}
            of={anyOf}
            value={values.value[name] ?? ''}
            onChange={(to) => set(name, to)}
          />
        ) : (
          <div class="field" key={name}>
            <label for={`${id}-${name}`}>{label}</label>
            {rows !== undefined ? (
              <textarea
                id={`${id}-${name}`}
                rows={rows}
                spellcheck={false}
                placeholder={placeholder}
                value={values.value[name]}
                onInput={(event) => set(name, event.currentTarget.value)}
                {...wrongIf(problems.value, name, `${id}-${name}`)}
              />
            ) : choices === undefined ? (
              <input
                id={`${id}-${name}`}
                {...(isPassword === true ? { type: 'password' as const } : { type: 'text' as const, list })}
                spellcheck={false}
                autocomplete={isPassword === true ? 'new-password' : 'off'}
                placeholder={placeholder}
                required={required}
                value={values.value[name]}
                onInput={(event) => set(name, event.currentTarget.value)}
                {...wrongIf(problems.value, name, `${id}-${name}`)}
              />
            ) : (
              <select
                id={`${id}-${name}`}
                value={values.value[name]}
                onChange={(event) => set(name, event.currentTarget.value)}
              >
                {choices.map((choice) => (
                  <option key={choice}>{choice}</option>
                ))}
              </select>
            )}
            <FieldNote problems={problems.value} field={name} id={`${id}-${name}`} />
          </div>
        ),
      )}
      <Problem text={otherProblems(problems.value)} />
      {note === undefined ? null : <div role="status">{note(values.value, change)}</div>}
      <div class="actions">
        <ActionButton type="submit" class="primary" isOff={ongoing.has()}>
          {word}
        </ActionButton>
        <button
          type="button"
          onClick={() => {
            open.value = false;
          }}
        >
          Cancel
        </button>
        <Command line={line(values.value)} />
      </div>
    </form>
  );
};
