// The flows that need the user's approval: the service asks in another tab and redirects to the client with the
// response.

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { formatFailure } from '../../../api/failure.ts';
import { awaitAnswer } from '../../../login/handover.ts';
import { ActionButton } from '../../../parts/actions/action-button.tsx';
import { copy } from '../../../parts/actions/copy.ts';
import { commandLine } from '../../../parts/command.ts';
import { Problem } from '../../../parts/problem.tsx';
import { TerminalLine } from '../../../parts/terminal-line.tsx';
import { safe } from '../../../parts/text.ts';
import { type Client, redirectUris } from '../rows.ts';
import { fieldIn, isOwnPage, redirectFields } from './answers.ts';
import { type Attempt, newAttempt } from './attempt.ts';
import type { FlowClient } from './requests.ts';
import { codeStep } from './steps.ts';
import type { Trial } from './trial.ts';

interface RedirectFlowProps {
  readonly client: Client;
  readonly flow: 'code' | 'implicit';
  readonly trial: Trial;
  readonly authenticated: () => FlowClient;
  readonly children: ComponentChildren;
}

/** The redirect of the service, shown as a response. */
const REDIRECT = '303 See Other';

const AnswerField = ({
  label,
  placeholder,
  onRead,
}: {
  readonly label: string;
  readonly placeholder: string;
  readonly onRead: (address: string) => void;
}) => {
  const pasted = useSignal('');
  return (
    <form
      class="body form"
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        onRead(pasted.value);
      }}
    >
      <div class="field">
        <label for="redirect-answer">{label}</label>
        <input
          id="redirect-answer"
          required
          autocomplete="off"
          spellcheck={false}
          placeholder={placeholder}
          value={pasted.value}
          onInput={(event) => {
            pasted.value = event.currentTarget.value;
          }}
        />
      </div>
      <div class="actions">
        <button type="submit">Read the response</button>
      </div>
    </form>
  );
};

/** The authorization request, and the response that the service redirects to this page or that the user pastes. */
const useRequest = (
  { client, flow, trial, authenticated }: Omit<RedirectFlowProps, 'children'>,
  redirectUri: string,
  askAgain: boolean,
) => {
  const { origin } = location;
  /** Random values are used once: each response starts another attempt. */
  const turn = useSignal(0);
  const attempt = useSignal<Attempt | undefined>(undefined);
  const asked = useSignal<number | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);

  useEffect(() => {
    let gone = false;
    attempt.value = undefined;
    asked.value = undefined;
    if (redirectUri === '') return;
    const wanted = { clientId: client.consumerKey, redirectUri, flow, askAgain, issuer: origin };
    void newAttempt(wanted).then((made) => {
      if (!gone) attempt.value = made;
    });
    return () => {
      gone = true;
    };
  }, [client.consumerKey, redirectUri, flow, origin, askAgain, turn.value, attempt, asked]);

  const begin = (use: (path: string) => void): void => {
    const { step } = attempt.value ?? {};
    if (step === undefined) return;
    asked.value ??= trial.begin(step);
    problem.value = undefined;
    use(step.request.path);
  };

  const take = async (address: string): Promise<void> => {
    const at = attempt.value;
    const number = asked.value;
    if (at === undefined || number === undefined) return;
    try {
      const fields = redirectFields(address, at);
      const code = fieldIn(fields, 'code');
      const ok = fieldIn(fields, 'error') === undefined;
      problem.value = undefined;
      trial.end(number, { status: REDIRECT, ok, headers: [], fields });
      turn.value += 1;
      if (ok && flow === 'code' && code !== undefined) {
        await trial.run(codeStep(authenticated(), { code, redirectUri: at.redirectUri, verifier: at.verifier }));
      }
    } catch (error) {
      problem.value = formatFailure(error);
    }
  };
  const newest = useRef(take);
  newest.current = take;
  const state = attempt.value?.state;
  useEffect(
    () => (state === undefined ? undefined : awaitAnswer(state, (address) => void newest.current(address))),
    [state],
  );
  return { isReady: attempt.value !== undefined, asked: asked.value, problem: problem.value, begin, take };
};

export const RedirectFlow = ({ client, flow, trial, authenticated, children }: RedirectFlowProps) => {
  const { origin } = location;
  const uris = redirectUris(client);
  const chosen = useSignal('');
  const redirectUri = uris.includes(chosen.value)
    ? chosen.value
    : (uris.find((uri) => isOwnPage(uri, origin)) ?? uris[0] ?? '');
  const askAgain = useSignal(false);
  const { isReady, asked, problem, begin, take } = useRequest(
    { client, flow, trial, authenticated },
    redirectUri,
    askAgain.value,
  );

  const addPage = commandLine('clients', 'update', client.name, '--add-redirect-uri', `${origin}/`);
  if (redirectUri === '') {
    return (
      <div class="body">
        <p>This client has no redirect URI, so the service has nowhere to send a response. This adds the dashboard:</p>
        <TerminalLine line={addPage} />
      </div>
    );
  }
  const isOwn = isOwnPage(redirectUri, origin);
  return (
    <>
      <form
        class="body form"
        autocomplete="off"
        onSubmit={(event) => {
          event.preventDefault();
          begin((path) => open(path, '_blank', 'noopener'));
        }}
      >
        {children}
        <div class="field">
          <label for="redirect-uri">Redirect URI</label>
          <select
            id="redirect-uri"
            value={redirectUri}
            onChange={(event) => {
              chosen.value = event.currentTarget.value;
            }}
          >
            {uris.map((uri) => (
              <option key={uri} value={uri}>
                {safe(uri)}
              </option>
            ))}
          </select>
        </div>
        {flow === 'implicit' ? (
          <label>
            <input
              type="checkbox"
              checked={askAgain.value}
              onChange={(event) => {
                askAgain.value = event.currentTarget.checked;
              }}
            />{' '}
            Ask for approval even if it was given before
          </label>
        ) : null}
        <div class="actions">
          <ActionButton type="submit" class="primary" isOff={!isReady || trial.busy.value}>
            Open the approval page
          </ActionButton>
          <button type="button" class="quiet" onClick={() => begin((path) => copy(`${origin}${path}`))}>
            Copy its address
          </button>
        </div>
      </form>
      {asked === undefined ? null : (
        <AnswerField
          key={asked}
          label={
            isOwn
              ? 'The page receives the response automatically. If it does not, paste the address that the browser went to'
              : `Approve in the other tab. The browser then goes to ${safe(redirectUri)}, even if nothing is there. Paste the address of that tab within a minute`
          }
          placeholder={`${redirectUri}${flow === 'code' ? '?code=' : '#access_token='}…`}
          onRead={(address) => void take(address)}
        />
      )}
      <Problem text={problem} />
      {isOwn ? null : (
        <div class="body">
          <p class="soft">With the dashboard as a redirect URI, this page reads the response automatically:</p>
          <TerminalLine line={addPage} />
        </div>
      )}
    </>
  );
};
