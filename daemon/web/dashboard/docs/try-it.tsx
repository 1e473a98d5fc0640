// The form that sends an operation with the login of this browser, and the response.

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { formatFailure } from '../api/failure.ts';
import { goToLogin, loginState, renew } from '../login/token.ts';
import { ActionButton } from '../parts/actions/action-button.tsx';
import { safe, safeLines } from '../parts/text.ts';
import { type Described, describedBy, type Field } from './described.ts';
import { exchange, type Shown } from './exchange.ts';

const Input = ({
  id,
  field: { name, required, choices },
  value,
  onValue,
}: {
  readonly id: string;
  readonly field: Field;
  readonly value: string;
  readonly onValue: (value: string) => void;
}) => (
  <div class="field">
    <label for={id}>
      <code>{name}</code>
      {required ? '' : ' (optional)'}
    </label>
    {choices.length === 0 ? (
      <input
        id={id}
        required={required}
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    ) : (
      <select id={id} required={required} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
        <option value="" />
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    )}
  </div>
);

const Answer = ({ shown: { status, headers, body, note } }: { readonly shown: Shown }) => (
  <>
    <p role="status">
      <strong>{status}</strong> {note}
    </p>
    <details>
      <summary>Headers of the response</summary>
      <pre>{headers.map(([name, value]) => `${name}: ${safe(value)}`).join('\n')}</pre>
    </details>
    {body === '' ? null : (
      // A person scrolls it with the keys.
      // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
      <section class="answer" aria-label="Body of the response" tabIndex={0}>
        <pre>{safeLines(body)}</pre>
      </section>
    )}
  </>
);

const Form = ({ id, described }: { readonly id: string; readonly described: Described }) => {
  const { fields, types } = described;
  const values = useSignal<Readonly<Record<string, string>>>({});
  const type = useSignal(types[0] ?? '');
  const body = useSignal(types[0] === 'application/json' && described.body !== '{}' ? described.body : '');
  const shown = useSignal<Shown | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const running = useSignal<AbortController | undefined>(undefined);
  useEffect(() => () => running.peek()?.abort(), [running]);

  const submit = async (): Promise<void> => {
    const abort = new AbortController();
    running.value = abort;
    problem.value = undefined;
    shown.value = undefined;
    const show = (answer: Shown): void => {
      shown.value = answer;
    };
    try {
      await exchange(described, { values: values.value, type: type.value, body: body.value }, show, abort.signal);
    } catch (error) {
      if (abort.signal.aborted) {
        const read = shown.peek();
        if (read !== undefined) shown.value = { ...read, note: 'You stopped it here.' };
      } else problem.value = formatFailure(error);
    } finally {
      running.value = undefined;
    }
  };

  return (
    <>
      <form
        autocomplete="off"
        aria-label={`Try ${id}`}
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {fields.map((field) => {
          const key = `${field.place}.${field.name}`;
          return (
            <Input
              key={key}
              id={`${id}.${key}`}
              field={field}
              value={values.value[key] ?? ''}
              onValue={(value) => {
                values.value = { ...values.value, [key]: value };
              }}
            />
          );
        })}
        {types.length === 0 ? null : (
          <div class="field">
            <label for={`${id}.body`}>Body</label>
            <textarea
              id={`${id}.body`}
              rows={4}
              spellcheck={false}
              value={body.value}
              onInput={(event) => {
                body.value = event.currentTarget.value;
              }}
            />
          </div>
        )}
        {types.length < 2 ? null : (
          <div class="field">
            <label for={`${id}.type`}>Type of the body</label>
            <select
              id={`${id}.type`}
              value={type.value}
              onChange={(event) => {
                type.value = event.currentTarget.value;
              }}
            >
              {types.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </div>
        )}
        <div class="actions">
          <ActionButton type="submit" isOff={running.value !== undefined}>
            Send {described.method}
          </ActionButton>
          {running.value === undefined ? null : (
            <button type="button" onClick={() => running.value?.abort()}>
              Stop
            </button>
          )}
        </div>
      </form>
      {problem.value === undefined ? null : <p role="alert">{problem.value}</p>}
      {shown.value === undefined ? null : <Answer shown={shown.value} />}
    </>
  );
};

/** The session of this browser gives the token, as on the dashboard. */
const useLogin = (isNeeded: boolean, fail: (reason: string) => void): void => {
  const failed = useRef(fail);
  useEffect(() => {
    if (isNeeded && loginState.peek() === 'starting') renew().catch((error) => failed.current(formatFailure(error)));
  }, [isNeeded]);
};

export const TryIt = ({ id }: { readonly id: string }) => {
  const described = useSignal<Described | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  useEffect(() => {
    describedBy(id)
      .then((found) => {
        described.value = found;
      })
      .catch((error) => {
        problem.value = formatFailure(error);
      });
  }, [id, described, problem]);
  const needsLogin = described.value?.needsLogin ?? false;
  useLogin(needsLogin, (reason) => {
    problem.value = reason;
  });
  if (described.value === undefined && problem.value === undefined) return null;
  return (
    <section aria-label={`Try ${id}`}>
      <h3>Try it</h3>
      {problem.value === undefined ? null : <p role="alert">{problem.value}</p>}
      {described.value === undefined ? null : needsLogin && loginState.value === 'lost' ? (
        <p>
          This browser is not logged in.{' '}
          <button type="button" onClick={() => void goToLogin()}>
            Log in
          </button>
        </p>
      ) : (
        <Form id={id} described={described.value} />
      )}
    </section>
  );
};
