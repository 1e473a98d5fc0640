// Forms that create, change, share and delete a config.
import { useSignal } from '@preact/signals';
import { ask } from '../../api/call.ts';
import { formatFailure } from '../../api/failure.ts';
import { ActionButton } from '../../parts/actions/action-button.tsx';
import { AskFirst } from '../../parts/actions/ask-first.tsx';
import { Confirm } from '../../parts/actions/confirm.tsx';
import { InlineForm } from '../../parts/actions/inline-form.tsx';
import { ActorNames } from '../../parts/actor-name.tsx';
import { announce } from '../../parts/announce.tsx';
import { commandLine, nameWords } from '../../parts/command.ts';
import { idOfName, nameOf, wordOf } from '../../parts/names.ts';
import { safe } from '../../parts/text.ts';
import { go } from '../../shell/router.ts';
import { type ConfigRow, configRow, isJson, sharedWith } from './rows.ts';

const VALUE = { name: 'value', label: 'Value: JSON, or else text', rows: 5 };

/** The value of the field as JSON text: unchanged if it is JSON, which keeps its numbers, else as a string. */
const jsonTextOf = (text: string): string => (isJson(text) ? text : JSON.stringify(text));

const actorList = (text: string): readonly string[] =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .map(idOfName);

interface Description {
  readonly name: string;
  readonly valueText: string;
  readonly actors: readonly string[];
  readonly isSecret: boolean;
}

const bodyOf = ({ name, valueText, actors, isSecret }: Description) => ({
  raw: `{"name":${JSON.stringify(name)},"value":${valueText},"actors":${JSON.stringify(actors.join(','))},"is_secret":${isSecret}}`,
  headers: { 'content-type': 'application/json' },
});

export const NewConfig = () => (
  <>
    <ActorNames id="config-actors" />
    <InlineForm
      title="New config"
      word="Create"
      fields={[
        { name: 'name', label: 'Name', placeholder: 'database', required: true },
        VALUE,
        {
          name: 'kind',
          label: 'Kind: the value of a secret config is never shown again',
          choices: ['plain', 'secret'],
        },
        { name: 'actors', label: 'Shared with actors (separated by commas)', list: 'config-actors' },
      ]}
      line={({ name = '', kind = '', actors = '' }) =>
        commandLine(
          'configs',
          'create',
          name || 'NAME',
          '-f',
          '-',
          ...(kind === 'secret' ? ['--secret'] : []),
          ...actorList(actors).flatMap((each) => ['--share', wordOf(each)]),
        )
      }
      onSubmit={async ({ name = '', value = '', kind, actors = '' }) => {
        const isSecret = kind === 'secret';
        const made = { name: name.trim(), valueText: jsonTextOf(value), actors: actorList(actors), isSecret };
        await ask('POST /actors/v2/configs', bodyOf(made));
        go(['access', 'configs', made.name]);
        return `The config ${made.name} is created.`;
      }}
    />
  </>
);

interface OfConfig {
  readonly config: ConfigRow;
  readonly onChanged: () => void;
  /** Why the user may not change the config. */
  readonly refusal: string | undefined;
}

/**
 * Replaces a config by a changed one. A secret value is sent back encrypted, and stays the same.
 * @param change returns the changes, or throws to change nothing
 */
export const replace = async (
  name: string,
  change: (before: Description, row: ConfigRow) => Partial<Description>,
): Promise<void> => {
  const params = { configName: name };
  const found = await ask('GET /actors/v2/configs/:configName', { params, exact: true });
  const before: Description = {
    name,
    valueText: JSON.stringify(found.value),
    actors: sharedWith(found),
    isSecret: found.isSecret,
  };
  const { raw, headers } = bodyOf({ ...before, ...change(before, configRow(found)) });
  await ask('PUT /actors/v2/configs/:configName', {
    params,
    raw,
    headers: { ...headers, 'if-match': `"${found.revision}"` },
  });
};

export const ValueForm = ({ config, refusal, onChanged }: OfConfig) => {
  /** The config as another person has changed it since the form was opened. */
  const newer = useSignal<ConfigRow | undefined>(undefined);
  const accepted = ({ typed, revision }: ConfigRow) => ({ read: typed, revision: String(revision) });
  return (
    <InlineForm
      title="Change the value"
      refusal={refusal}
      fields={[VALUE]}
      initial={{ value: config.typed, opened: String(config.revision), ...accepted(config) }}
      line={() => commandLine('configs', 'update', ...nameWords(config.name), '-f', '-')}
      note={({ opened }, change) => {
        const found = newer.value;
        return found === undefined || found.revision <= Number(opened) ? null : (
          <div class="actions">
            {found.isSecret ? null : (
              <button
                type="button"
                onClick={({ currentTarget: { form } }) => {
                  // This button disappears.
                  form?.querySelector('textarea')?.focus();
                  change({ value: found.typed, opened: String(found.revision), ...accepted(found) });
                }}
              >
                Load the new value
              </button>
            )}
            <button type="submit" class="danger" onClick={() => change(accepted(found))}>
              Save mine over it
            </button>
          </div>
        );
      }}
      onSubmit={async ({ value = '', read, revision }) => {
        await replace(config.name, (_, now) => {
          // A new revision with the same value has another list of actors, which is kept.
          if (String(now.revision) !== revision && (now.isSecret || now.typed !== read)) {
            newer.value = now;
            onChanged();
            throw new Error(`The config was changed meanwhile (revision ${now.revision}).`);
          }
          return { valueText: jsonTextOf(value) };
        });
        onChanged();
        return 'The value is changed. Executions that start from now on get it.';
      }}
    />
  );
};

export const ShareForm = ({ config, refusal, onChanged }: OfConfig) => (
  <>
    <ActorNames id="config-actors" />
    <InlineForm
      title="Share with an actor"
      refusal={refusal}
      word="Share"
      fields={[{ name: 'actor', label: 'Actor, by name, alias or id', list: 'config-actors', required: true }]}
      line={({ actor = '' }) =>
        commandLine('configs', 'share', ...nameWords(config.name), wordOf(idOfName(actor.trim())) || 'ACTOR')
      }
      onSubmit={async ({ actor = '' }) => {
        await replace(config.name, ({ actors }) => ({ actors: [...actors, idOfName(actor.trim())] }));
        onChanged();
        return `${actor} gets this config from its next execution on.`;
      }}
    />
  </>
);

export const Unshare = ({ config, actor, refusal, onChanged }: OfConfig & { readonly actor: string }) => (
  <AskFirst
    title={`Stop sharing with ${nameOf(actor)}`}
    short="Stop sharing"
    question={`Stop sharing the config ${safe(config.name)} with ${nameOf(actor)}?`}
    loss="Executions that start from now on no longer get it. They do not start if they need it for a variable."
    word="Stop sharing"
    line={commandLine('configs', 'unshare', ...nameWords(config.name), wordOf(actor))}
    refusal={refusal}
    onYes={async () => {
      await replace(config.name, ({ actors }) => ({ actors: actors.filter((each) => each !== actor) }));
      onChanged();
      return `The config ${safe(config.name)} is no longer shared with ${nameOf(actor)}.`;
    }}
  />
);

export const DeleteConfig = ({ config, refusal }: Omit<OfConfig, 'onChanged'>) => {
  const asking = useSignal(false);
  const line = commandLine('configs', 'delete', ...nameWords(config.name));
  const remove = async (): Promise<void> => {
    try {
      await ask('DELETE /actors/v2/configs/:configName', { params: { configName: config.name } });
      go(['access', 'configs']);
      announce(`The config ${config.name} is deleted.`);
    } catch (error) {
      announce(formatFailure(error), true);
    }
  };
  return (
    <>
      <ActionButton
        class="danger"
        refusal={refusal}
        onClick={() => {
          asking.value = true;
        }}
      >
        Delete
      </ActionButton>
      {asking.value ? (
        <Confirm
          title={`Delete config ${config.name}?`}
          word="Delete"
          line={line}
          onYes={() => void remove()}
          onClose={() => {
            asking.value = false;
          }}
        >
          <p>
            {sharedWith(config).length === 0
              ? 'It is shared with no actor.'
              : `Executions of ${sharedWith(config).length} of your actors no longer get it.`}
          </p>
        </Confirm>
      ) : null}
    </>
  );
};
