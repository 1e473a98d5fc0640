// Tries a flow against a client of the caller, request by request.

import { type Signal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { ask } from '../../../api/call.ts';
import { usePolled } from '../../../api/poll.ts';
import { ActionButton } from '../../../parts/actions/action-button.tsx';
import { Problem } from '../../../parts/problem.tsx';
import { TerminalLine } from '../../../parts/terminal-line.tsx';
import { safe } from '../../../parts/text.ts';
import { hashOf } from '../../../shell/place.ts';
import { filter } from '../../../shell/router.ts';
import { secretOf } from '../new-secrets.ts';
import type { Client } from '../rows.ts';
import { ExchangeView } from './exchange-view.tsx';
import { RedirectFlow } from './redirect-flow.tsx';
import { type Flow, type FlowClient, flows } from './requests.ts';
import { clientStep, inspectStep, passwordStep, profileStep, refreshStep, revokeStep, type Step } from './steps.ts';
import type { Trial } from './trial.ts';
import { createTrial } from './trial.ts';

interface TokenActionsProps {
  readonly trial: Trial;
  readonly authenticated: () => FlowClient;
}

const TokenActions = ({ trial, authenticated }: TokenActionsProps) => {
  const tokens = trial.tokens.value;
  const revoked = useSignal<string | undefined>(undefined);
  if (tokens === undefined) return null;
  const { access, refresh } = tokens;
  const actions: readonly (readonly [word: string, step: (client: FlowClient) => Step])[] = [
    ['Call the API', ({ id }) => profileStep(id, access)],
    ...(refresh === undefined ? [] : [['Refresh', (client: FlowClient) => refreshStep(client, refresh)] as const]),
    // A public client cannot inspect tokens.
    ...(authenticated().secret === undefined
      ? []
      : [['Inspect', (client: FlowClient) => inspectStep(client, access)] as const]),
    ['Revoke', (client) => revokeStep(client, refresh ?? access)],
  ];
  return (
    <section class="body tokens" aria-label="Tokens">
      <p>
        {revoked.value === access
          ? 'The tokens are revoked. The service refuses them now: try "Call the API".'
          : refresh === undefined
            ? 'The client has an access token. It stays valid when you leave this page.'
            : 'The client has an access token and a refresh token. They stay valid when you leave this page.'}
      </p>
      <div class="actions">
        {actions.map(([word, step]) => (
          <ActionButton
            key={word}
            isOff={trial.busy.value}
            onClick={() =>
              void trial.run(step(authenticated())).then((answer) => {
                if (word === 'Revoke' && answer?.ok) revoked.value = access;
              })
            }
          >
            {word}
          </ActionButton>
        ))}
      </div>
    </section>
  );
};

const EVERY_MS = 30_000;

const explained: Readonly<Record<Flow, string>> = {
  code: 'The user approves in the browser, and the client exchanges a code for tokens. For all clients with users.',
  implicit: 'The user approves in the browser, and the redirect brings the token. For old clients only.',
  password: 'The user gives name and password to the client. For clients that the user trusts fully.',
  client: 'The client acts for the user who registered it. For programs without a user.',
};

interface SecretFieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: Signal<string>;
}

const SecretField = ({ id, label, value }: SecretFieldProps) => (
  <div class="field">
    <label for={id}>{label}</label>
    <input
      id={id}
      type="password"
      required
      autocomplete="off"
      value={value.value}
      onInput={(event) => {
        value.value = event.currentTarget.value;
      }}
    />
  </div>
);

/** Everything typed here stays in the memory of the page until another client or flow is chosen. */
const Run = ({ client, flow }: { readonly client: Client; readonly flow: Flow }) => {
  const trial = useMemo(createTrial, []);
  const secret = useSignal(secretOf(client.consumerKey));
  const username = useSignal('');
  const password = useSignal('');
  const { title, grant } = flows.find((each) => each.flow === flow) ?? flows[0];
  const authenticated = (): FlowClient => ({
    id: client.consumerKey,
    secret: client.public ? undefined : secret.value,
  });
  const send = (): Promise<unknown> =>
    trial.run(
      flow === 'password' ? passwordStep(authenticated(), username.value, password.value) : clientStep(authenticated()),
    );
  const clientSecret =
    client.public || flow === 'implicit' ? null : (
      <SecretField id="client-secret" label="Secret of the client" value={secret} />
    );
  const exchanges = trial.exchanges.value;
  return (
    <div class="trial">
      <section class="panel" aria-labelledby="flow-title">
        <header>
          <h2 id="flow-title">{title}</h2>
        </header>
        <div class="body">
          <p class="soft">{explained[flow]}</p>
          {client.grants.includes(grant) ? null : (
            <p class="warn">The client is not registered for this flow, so the service refuses it.</p>
          )}
        </div>
        {flow === 'code' || flow === 'implicit' ? (
          <RedirectFlow client={client} flow={flow} trial={trial} authenticated={authenticated}>
            {clientSecret}
          </RedirectFlow>
        ) : (
          <form
            class="body form"
            autocomplete="off"
            onSubmit={(event) => {
              event.preventDefault();
              void send();
            }}
          >
            {clientSecret}
            {flow === 'password' ? (
              <>
                <div class="field">
                  <label for="flow-username">Username</label>
                  <input
                    id="flow-username"
                    required
                    autocomplete="off"
                    spellcheck={false}
                    value={username.value}
                    onInput={(event) => {
                      username.value = event.currentTarget.value;
                    }}
                  />
                </div>
                <SecretField id="flow-password" label="Password" value={password} />
              </>
            ) : null}
            <div class="actions">
              <ActionButton type="submit" class="primary" isOff={trial.busy.value}>
                Send
              </ActionButton>
            </div>
          </form>
        )}
        <TokenActions trial={trial} authenticated={authenticated} />
      </section>
      <section class="exchanges" aria-label="Requests and responses">
        {exchanges.length === 0 ? (
          <p class="soft">Each request and its response appear here.</p>
        ) : (
          exchanges.toReversed().map((exchange) => <ExchangeView key={exchange.number} exchange={exchange} />)
        )}
      </section>
    </div>
  );
};

interface TryFlowProps {
  readonly wanted: string;
  readonly flow: string;
}

export const TryFlow = ({ wanted, flow: named }: TryFlowProps) => {
  const { value, problem } = usePolled('clients', (signal) => ask('GET /clients/v2', { signal }), { every: EVERY_MS });
  const clients = value.value;
  const client = wanted === '' ? clients?.at(-1) : clients?.find(({ name }) => name === wanted);
  const flow = flows.find((each) => each.flow === named)?.flow ?? 'code';
  if (clients === undefined) return <Problem text={problem.value} />;
  if (clients.length === 0) {
    return (
      <div class="panel empty">
        <p>
          You have no client to try a flow with. <a href={hashOf(['access'], { form: 'new' })}>Register one</a>, or:
        </p>
        <TerminalLine line={`actorctl clients create web-app --redirect-uri ${location.origin}/`} />
      </div>
    );
  }
  return (
    <>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <select
          aria-label="Client"
          data-search
          value={client?.name ?? ''}
          onChange={(event) => filter({ client: event.currentTarget.value })}
        >
          {client === undefined ? <option value="">Choose a client</option> : null}
          {clients.map(({ name }) => (
            <option key={name} value={name}>
              {safe(name)}
            </option>
          ))}
        </select>
        <select aria-label="Flow" value={flow} onChange={(event) => filter({ flow: event.currentTarget.value })}>
          {flows.map((each) => (
            <option key={each.flow} value={each.flow}>
              {each.title}
            </option>
          ))}
        </select>
      </form>
      <Problem text={problem.value} />
      {client === undefined ? (
        <Problem text={`You have no client named "${wanted}".`} />
      ) : (
        <Run key={`${client.consumerKey} ${flow}`} client={client} flow={flow} />
      )}
    </>
  );
};
