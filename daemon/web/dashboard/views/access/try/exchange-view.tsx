// One request with its response, and the equivalent command lines.
import { Fragment } from 'preact';
import { TerminalLine } from '../../../parts/terminal-line.tsx';
import { safe } from '../../../parts/text.ts';
import { SecretText } from '../secret-text.tsx';
import { curlOf } from './commands.ts';
import type { Field } from './requests.ts';
import { careOf, masked } from './shown.ts';
import type { Exchange } from './trial.ts';

const Value = ({ field }: { readonly field: Field }) => {
  switch (careOf(field)) {
    case 'plain':
      return <>{safe(field.value)}</>;
    case 'typed':
      return <>{masked(field.value)}</>;
    case 'issued':
      return <SecretText name={field.name} value={field.value} />;
  }
};

const Fields = ({ fields }: { readonly fields: readonly Field[] }) =>
  fields.length === 0 ? null : (
    <dl class="facts mono">
      {fields.map((field, at) => (
        <Fragment key={at}>
          <dt>{field.name === '' ? 'text' : safe(field.name)}</dt>
          <dd>
            <Value field={field} />
          </dd>
        </Fragment>
      ))}
    </dl>
  );

const Headers = ({ headers }: { readonly headers: readonly Field[] }) =>
  headers.length === 0 ? null : (
    <details>
      <summary class="soft">
        {headers.length} {headers.length === 1 ? 'header' : 'headers'}
      </summary>
      <Fields fields={headers} />
    </details>
  );

/** Shows the path and the parameters of an address separately, because the address would be a long line. */
const addressFields = (path: string): readonly [string, readonly Field[]] => {
  const url = new URL(path, location.origin);
  return [url.pathname, [...url.searchParams].map(([name, value]) => ({ name, value }))];
};

export const ExchangeView = ({ exchange }: { readonly exchange: Exchange }) => {
  const { number, title, request, answer, problem, line, clientId } = exchange;
  const [pathname, query] = addressFields(request.path);
  const id = `exchange-${number}`;
  return (
    <article class="panel exchange" aria-labelledby={id}>
      <header>
        <h3 id={id}>
          {number}. {title}
        </h3>
        <span class={answer === undefined ? 'soft' : answer.ok ? 'status is-ok' : 'status is-bad'} role="status">
          {answer === undefined ? (problem === undefined ? 'waiting' : 'no answer') : safe(answer.status)}
        </span>
      </header>
      <div class="body">
        <div class="pair">
          <section aria-label={`Request ${number}`}>
            <h4 class="mono">
              {request.method} {location.origin}
              {pathname}
            </h4>
            <Fields fields={query} />
            <Fields fields={request.form} />
            <Headers headers={request.headers} />
          </section>
          <section aria-label={`Response ${number}`}>
            <h4 class="mono">{answer === undefined ? 'No response yet' : safe(answer.status)}</h4>
            {problem === undefined ? null : <p class="bad">{problem}</p>}
            {answer === undefined ? null : (
              <>
                <Fields fields={answer.fields} />
                <Headers headers={answer.headers} />
              </>
            )}
          </section>
        </div>
        <TerminalLine line={curlOf(request, location.origin, clientId)} />
        <TerminalLine line={line} />
      </div>
    </article>
  );
};
