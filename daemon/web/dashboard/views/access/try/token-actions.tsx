// What can be done with the tokens of a flow: call the API, renew, inspect, revoke.
import type { FlowClient } from './requests.ts';
import { inspectStep, profileStep, refreshStep, revokeStep, type Step } from './steps.ts';
import type { Trial } from './trial.ts';

interface TokenActionsProps {
  readonly trial: Trial;
  readonly authenticated: () => FlowClient;
}

export const TokenActions = ({ trial, authenticated }: TokenActionsProps) => {
  const tokens = trial.tokens.value;
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
        {refresh === undefined
          ? 'The client has an access token. It stays valid when you leave this page.'
          : 'The client has an access token and a refresh token. They stay valid when you leave this page.'}
      </p>
      <div class="actions">
        {actions.map(([word, step]) => (
          <button
            key={word}
            type="button"
            disabled={trial.busy.value}
            onClick={() => void trial.run(step(authenticated()))}
          >
            {word}
          </button>
        ))}
      </div>
    </section>
  );
};
