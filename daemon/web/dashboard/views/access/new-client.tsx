// Registers a client, and shows its secret once.

import { useSignal } from '@preact/signals';
import type { Grant } from '../../../../../src/contract/oauth/grants.ts';
import { ask } from '../../api/call.ts';
import { formatFailure } from '../../api/failure.ts';
import { ActionButton } from '../../parts/actions/action-button.tsx';
import { commandLine } from '../../parts/command.ts';
import { Problem } from '../../parts/problem.tsx';
import { Command } from '../../parts/terminal-line.tsx';
import { keepSecret } from './new-secrets.ts';
import { ShownOnce } from './shown-once.tsx';

const titles: Readonly<Record<Grant, string>> = {
  authorization_code: 'Authorization code',
  implicit: 'Implicit',
  password: 'Password',
  client_credentials: 'Client credentials',
  refresh_token: 'Refresh token',
};
const needsSecret: ReadonlySet<string> = new Set<Grant>(['password', 'client_credentials']);

interface Created {
  readonly name: string;
  readonly id: string;
  readonly secret: string | undefined;
}

export const NewClient = ({ onCreated }: { readonly onCreated: () => void }) => {
  const name = useSignal('');
  const description = useSignal('');
  const uris = useSignal('');
  const isPublic = useSignal(false);
  const left = useSignal<readonly string[]>([]);
  const problem = useSignal<string | undefined>(undefined);
  const busy = useSignal(false);
  const created = useSignal<Created | undefined>(undefined);

  const offered = Object.entries(titles).filter(([grant]) => !(isPublic.value && needsSecret.has(grant)));
  const chosen = offered.map(([grant]) => grant).filter((grant) => !left.value.includes(grant));
  const isAll = chosen.length === offered.length;
  const callbacks = uris.value.split(/[\s,]+/).filter((uri) => uri !== '');
  const line = commandLine(
    'clients',
    'create',
    name.value === '' ? 'NAME' : name.value,
    ...callbacks.flatMap((uri) => ['--redirect-uri', uri]),
    ...(isAll ? [] : ['--grant', chosen.join(',')]),
    ...(description.value === '' ? [] : ['--description', description.value]),
    ...(isPublic.value ? ['--public'] : []),
  );

  const create = async (): Promise<void> => {
    busy.value = true;
    problem.value = undefined;
    try {
      const made = await ask('POST /clients/v2', {
        json: {
          clientName: name.value,
          description: description.value,
          callbackUrl: callbacks.join(','),
          ...(!isAll && { grants: chosen }),
          ...(isPublic.value && { public: true }),
        },
      });
      if (made.consumerSecret !== undefined) keepSecret(made.consumerKey, made.consumerSecret);
      created.value = { name: made.name, id: made.consumerKey, secret: made.consumerSecret };
      name.value = '';
      onCreated();
    } catch (error) {
      problem.value = formatFailure(error);
    }
    busy.value = false;
  };

  return (
    <section class="panel" aria-labelledby="new-client-title">
      <header>
        <h2 id="new-client-title">New client</h2>
      </header>
      {created.value === undefined ? null : (
        <ShownOnce {...created.value} title={`The client "${created.value.name}" is registered.`} />
      )}
      <form
        class="body form"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <div class="field">
          <label for="client-name">Name</label>
          <input
            id="client-name"
            required
            maxLength={128}
            spellcheck={false}
            autocomplete="off"
            placeholder="web-app"
            value={name.value}
            onInput={(event) => {
              name.value = event.currentTarget.value;
            }}
          />
        </div>
        <div class="field">
          <label for="client-description">Description, shown to users who are asked for approval</label>
          <input
            id="client-description"
            maxLength={4096}
            autocomplete="off"
            value={description.value}
            onInput={(event) => {
              description.value = event.currentTarget.value;
            }}
          />
        </div>
        <div class="field">
          <label for="client-uris">Redirect URIs, one on each line</label>
          <textarea
            id="client-uris"
            rows={2}
            spellcheck={false}
            placeholder="http://127.0.0.1:3000/callback"
            value={uris.value}
            onInput={(event) => {
              uris.value = event.currentTarget.value;
            }}
          />
          <span class="actions">
            <button
              type="button"
              disabled={callbacks.includes(`${location.origin}/`)}
              onClick={() => {
                uris.value = [...callbacks, `${location.origin}/`].join('\n');
              }}
            >
              Add this page
            </button>
            <span class="soft">The dashboard itself can then read the responses to this client.</span>
          </span>
        </div>
        <fieldset class="choices">
          <legend class="visually-hidden">Kind of client</legend>
          <label>
            <input
              type="checkbox"
              checked={isPublic.value}
              onChange={(event) => {
                isPublic.value = event.currentTarget.checked;
              }}
            />{' '}
            Public: no secret, always PKCE
          </label>
        </fieldset>
        <fieldset class="choices">
          <legend class="visually-hidden">Grants</legend>
          {offered.map(([grant, title]) => (
            <label key={grant}>
              <input
                type="checkbox"
                checked={!left.value.includes(grant)}
                onChange={(event) => {
                  const others = left.value.filter((each) => each !== grant);
                  left.value = event.currentTarget.checked ? others : [...others, grant];
                }}
              />{' '}
              {title}
            </label>
          ))}
        </fieldset>
        <Problem text={problem.value} />
        <div class="actions">
          <ActionButton type="submit" class="primary" isOff={busy.value || chosen.length === 0}>
            Register
          </ActionButton>
          <Command line={line} />
        </div>
      </form>
    </section>
  );
};
