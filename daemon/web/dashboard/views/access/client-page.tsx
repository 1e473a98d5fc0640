// One client: its permissions, its valid tokens, a new secret, and its deletion.
import { useSignal } from '@preact/signals';
import { ask } from '../../api/call.ts';
import { formatFailure } from '../../api/failure.ts';
import { usePolled } from '../../api/poll.ts';
import { Confirm } from '../../parts/actions/confirm.tsx';
import { InlineForm } from '../../parts/actions/inline-form.tsx';
import { announce } from '../../parts/announce.tsx';
import { commandLine } from '../../parts/command.ts';
import { Problem } from '../../parts/problem.tsx';
import { Command } from '../../parts/terminal-line.tsx';
import { safe, safeLines } from '../../parts/text.ts';
import { formatMoment } from '../../parts/time.ts';
import { hashOf } from '../../shell/place.ts';
import { go } from '../../shell/router.ts';
import { keepSecret } from './new-secrets.ts';
import { redirectUris } from './rows.ts';
import { ShownOnce } from './shown-once.tsx';
import { flows } from './try/requests.ts';

const EVERY_MS = 5_000;

const COMMAND_LINE = 'actorctl-cli';

const formatTokens = ({ access, refresh }: { readonly access: number; readonly refresh: number }): string =>
  `${access} access, ${refresh} refresh`;

const urisIn = (text = ''): readonly string[] => text.split(/\s+/).filter((uri) => uri !== '');

/** The flags of `clients update` that change one list into the other. */
const changeFlags = (old: readonly string[], now: readonly string[]): readonly string[] => [
  ...now.filter((uri) => !old.includes(uri)).flatMap((uri) => ['--add-redirect-uri', uri]),
  ...old.filter((uri) => !now.includes(uri)).flatMap((uri) => ['--remove-redirect-uri', uri]),
];

export const ClientPage = ({ name }: { readonly name: string }) => {
  const { value, problem, again } = usePolled(
    name,
    (signal) => ask('GET /clients/v2/:clientName', { params: { clientName: name }, signal }),
    { every: EVERY_MS },
  );
  const asking = useSignal<'rotate' | 'delete' | undefined>(undefined);
  const secret = useSignal<string | undefined>(undefined);
  const client = value.value;

  const rotate = async (): Promise<void> => {
    try {
      const made = await ask('POST /clients/v2/:clientName/secret', { params: { clientName: name }, json: {} });
      secret.value = made.consumerSecret;
      if (made.consumerSecret !== undefined) keepSecret(made.consumerKey, made.consumerSecret);
    } catch (error) {
      announce(formatFailure(error), true);
    }
    again();
  };
  const remove = async (): Promise<void> => {
    try {
      const { revoked } = await ask('DELETE /clients/v2/:clientName', { params: { clientName: name } });
      announce(`The client is deleted, with ${revoked} ${revoked === 1 ? 'token' : 'tokens'}.`);
      go(['access']);
    } catch (error) {
      announce(formatFailure(error), true);
      again();
    }
  };

  return (
    <>
      <div class="head">
        <h1>
          <a class="crumb" href={hashOf(['access'])}>
            Clients /
          </a>{' '}
          {safe(name)}
        </h1>
        <Command line={commandLine('clients', 'show', name)} />
      </div>
      <Problem text={problem.value} />
      {client === undefined ? null : (
        <div class="columns">
          <section class="panel" aria-labelledby="client-title">
            <header>
              <h2 id="client-title">Client</h2>
            </header>
            {secret.value === undefined ? null : (
              <ShownOnce
                title="The client has a new secret."
                name={name}
                id={client.consumerKey}
                secret={secret.value}
              />
            )}
            <div class="body">
              {client.description === '' ? null : <p>{safeLines(client.description)}</p>}
              <dl class="facts">
                <dt>client id</dt>
                <dd>
                  <code>{safe(client.consumerKey)}</code>
                </dd>
                <dt>kind</dt>
                <dd>{client.public ? 'public, without a secret' : 'with a secret'}</dd>
                <dt>redirect URIs</dt>
                <dd>
                  {redirectUris(client).length === 0
                    ? '–'
                    : redirectUris(client).map((uri) => (
                        <code key={uri} class="line">
                          {safe(uri)}
                        </code>
                      ))}
                </dd>
                <dt>subscription</dt>
                <dd>{safe(client.tier)}</dd>
                <dt>registered</dt>
                <dd>{formatMoment(Date.parse(client.createTime))}</dd>
                <dt>valid tokens</dt>
                <dd>{formatTokens(client.tokens)}</dd>
                {client.previousValidUntil === undefined ? null : (
                  <>
                    <dt>previous secret</dt>
                    <dd>valid until {formatMoment(Date.parse(client.previousValidUntil))}</dd>
                  </>
                )}
              </dl>
              <InlineForm
                title="Change the redirect URIs"
                fields={[{ name: 'uris', label: 'Redirect URIs, one in a line', rows: 4 }]}
                initial={{ uris: redirectUris(client).join('\n') }}
                line={({ uris }) =>
                  commandLine('clients', 'update', name, ...changeFlags(redirectUris(client), urisIn(uris)))
                }
                onSubmit={async ({ uris }) => {
                  const json = { callbackUrl: urisIn(uris).join(',') };
                  await ask('PUT /clients/v2/:clientName', { params: { clientName: name }, json });
                  again();
                  return 'The redirect URIs are changed.';
                }}
              />
              {name === COMMAND_LINE ? (
                <p class="soft">actorctl logs in with this client. Without it, `actorctl login` makes a new one.</p>
              ) : null}
              <div class="actions">
                {client.public ? null : (
                  <button
                    type="button"
                    onClick={() => {
                      asking.value = 'rotate';
                    }}
                  >
                    New secret
                  </button>
                )}
                <button
                  type="button"
                  class="danger"
                  onClick={() => {
                    asking.value = 'delete';
                  }}
                >
                  Delete
                </button>
              </div>
            </div>
          </section>
          <section class="panel" aria-labelledby="grants-title">
            <header>
              <h2 id="grants-title">Flows</h2>
            </header>
            <ul class="body">
              {flows.map(({ flow, title, grant }) => (
                <li key={flow} class="actions">
                  <a data-row class="link" href={hashOf(['access', 'try'], { client: name, flow })}>
                    {title}
                  </a>
                  {client.grants.includes(grant) ? null : <span class="soft">not registered for it</span>}
                </li>
              ))}
              <li class="soft">
                {client.grants.includes('refresh_token') ? 'With refresh tokens.' : 'Without refresh tokens.'}
              </li>
            </ul>
          </section>
        </div>
      )}
      {client === undefined || asking.value === undefined ? null : asking.value === 'rotate' ? (
        <Confirm
          title={`Give "${safe(name)}" a new secret?`}
          word="New secret"
          line={commandLine('clients', 'rotate', name)}
          onYes={() => void rotate()}
          onClose={() => {
            asking.value = undefined;
          }}
        >
          The old secret and all tokens of the client end at once: {formatTokens(client.tokens)}.
        </Confirm>
      ) : (
        <Confirm
          title={`Delete the client "${safe(name)}"?`}
          word="Delete"
          line={commandLine('clients', 'delete', name)}
          onYes={() => void remove()}
          onClose={() => {
            asking.value = undefined;
          }}
        >
          All its tokens end at once: {formatTokens(client.tokens)}.
        </Confirm>
      )}
    </>
  );
};
