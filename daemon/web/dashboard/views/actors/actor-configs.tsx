// The configs whose values the executions of an actor get: shared with it, and no longer shared.
import { Fragment } from 'preact';
import type { Level } from '../../../../../src/contract/operation.ts';
import { ask } from '../../api/call.ts';
import { usePolled } from '../../api/poll.ts';
import { AskFirst } from '../../parts/actions/ask-first.tsx';
import { InlineForm } from '../../parts/actions/inline-form.tsx';
import { mapConcurrently } from '../../parts/actions/map-concurrently.ts';
import { commandLine, nameWords } from '../../parts/command.ts';
import { wordOf } from '../../parts/names.ts';
import { Problem } from '../../parts/problem.tsx';
import { safe } from '../../parts/text.ts';
import { me } from '../../shell/me.ts';
import { hashOf } from '../../shell/place.ts';
import { replace } from '../access/config-forms.tsx';
import { type ConfigRow, configRow, sharedWith } from '../access/rows.ts';
import type { Connectable } from './connect/change-field.ts';
import { refusalOf } from './level.ts';
import type { Actor } from './rows.ts';

const EVERY_MS = 30_000;

/** Most configs whose levels are read at once. The service checks the others. */
const MOST = 50;

interface Read {
  readonly configs: readonly ConfigRow[];
  readonly aliases: readonly string[];
  readonly levels: ReadonlyMap<string, Level>;
}

const read = async (actorId: string, username: string | undefined, signal: AbortSignal): Promise<Read> => {
  const [found, aliases] = await Promise.all([
    ask('GET /actors/v2/configs', { signal }),
    ask('GET /actors/v2/aliases', { signal }),
  ]);
  const configs = found.map(configRow);
  const levels = await mapConcurrently(username === undefined ? [] : configs.slice(0, MOST), async ({ name }) => {
    const params = { configName: name, username: username ?? '' };
    return [
      name,
      (await ask('GET /actors/v2/configs/:configName/permissions/:username', { params, signal })).has,
    ] as const;
  });
  return {
    configs,
    aliases: aliases.filter((each) => each.actorId === actorId).map(({ alias }) => alias),
    levels: new Map(levels),
  };
};

/** The variables of an actor that take their value from a config. */
const variablesOf = ({ configEnvironment }: Actor, config: string): readonly string[] =>
  Object.entries(configEnvironment ?? {})
    .filter(([, from]) => from.config === config)
    .map(([name, { path }]) => (path === undefined ? name : `${name} (${path})`));

interface RowProps extends Connectable {
  readonly config: ConfigRow;
  /** The entries of the list of the config that mean the actor: its id, its aliases. */
  readonly entries: readonly string[];
  readonly level: Level | undefined;
}

const Row = ({ actor, config: { name, isSecret }, entries, level, onChanged }: RowProps) => {
  const aliases = entries.filter((entry) => entry !== actor.id);
  const variables = variablesOf(actor, name);
  const asWords = entries.map((entry) => (entry === actor.id ? wordOf(entry) : entry));
  return (
    <li>
      <a data-row class="link" href={hashOf(['access', 'configs', name])}>
        {safe(name)}
      </a>
      <span class="soft">
        {[
          ...(isSecret ? ['secret'] : []),
          variables.length === 0 ? 'in _actor_configs' : `as ${variables.map(safe).join(', ')}, and in _actor_configs`,
          ...(aliases.length === 0 ? [] : [`through the alias ${aliases.map(safe).join(', ')}`]),
        ].join(', ')}
      </span>
      <AskFirst
        title={`Stop sharing ${safe(name)}`}
        short="Stop sharing"
        question={`Stop sharing the config ${safe(name)} with this actor?`}
        loss={
          variables.length === 0
            ? 'Executions that start from now on no longer get it.'
            : `Executions no longer start, because they need it for ${variables.map(safe).join(', ')}. Remove the variables too.`
        }
        word="Stop sharing"
        line={commandLine('configs', 'unshare', ...nameWords(name), ...asWords)}
        refusal={refusalOf(level, 'UPDATE')}
        onYes={async () => {
          await replace(name, ({ actors }) => ({ actors: actors.filter((each) => !entries.includes(each)) }));
          onChanged();
          return `The config ${safe(name)} is no longer shared with this actor.`;
        }}
      />
    </li>
  );
};

/** A config that the actor needs for its variables and does not get. */
const Missing = ({
  name,
  actor,
  isKnown,
}: {
  readonly name: string;
  readonly actor: Actor;
  readonly isKnown: boolean;
}) => (
  <li>
    {isKnown ? (
      <a data-row class="link" href={hashOf(['access', 'configs', name])}>
        {safe(name)}
      </a>
    ) : (
      <span>{safe(name)}</span>
    )}
    <span class={isKnown ? 'bad' : 'soft'}>
      for {variablesOf(actor, name).map(safe).join(', ')}:{' '}
      {isKnown ? 'not shared with this actor, so its executions do not start' : 'you may not read this config'}
    </span>
  </li>
);

export const ActorConfigs = (props: Connectable) => {
  const { actor, refusal } = props;
  const username = me.value?.username;
  const { value, problem, again } = usePolled(
    `configs of ${actor.id} ${actor.version} ${username}`,
    (signal) => read(actor.id, username, signal),
    { every: EVERY_MS },
  );
  const found = value.value;
  const { configs = [], aliases = [], levels = new Map<string, Level>() } = found ?? {};
  const reached = new Set([actor.id, ...aliases]);
  const rows = configs
    .map((config) => ({ config, entries: sharedWith(config).filter((entry) => reached.has(entry)) }))
    .filter(({ entries }) => entries.length > 0);
  const isShared = (name: string): boolean => rows.some(({ config }) => config.name === name);
  const missing = [...new Set(Object.values(actor.configEnvironment ?? {}).map(({ config }) => config))].filter(
    (name) => !isShared(name),
  );
  const choices = configs
    .map(({ name }) => name)
    .filter((name) => !isShared(name) && refusalOf(levels.get(name), 'UPDATE') === undefined);
  const noChoice = choices.length === 0 ? 'There is no other config that you may change.' : undefined;
  return (
    <section class="panel" aria-labelledby="configs-title">
      <header>
        <h2 id="configs-title">Configs</h2>
        <a class="soft" href={hashOf(['access', 'configs'])}>
          all configs
        </a>
      </header>
      <div class="body">
        <Problem text={problem.value} />
        {found === undefined ? null : (
          <Fragment>
            {rows.length === 0 && missing.length === 0 ? (
              <p class="soft">No config is shared with this actor.</p>
            ) : (
              <ul class="aliases">
                {rows.map(({ config, entries }) => (
                  <Row
                    key={config.name}
                    {...props}
                    config={config}
                    entries={entries}
                    level={levels.get(config.name)}
                    onChanged={again}
                  />
                ))}
                {missing.map((name) => (
                  <Missing key={name} name={name} actor={actor} isKnown={configs.some((each) => each.name === name)} />
                ))}
              </ul>
            )}
            <InlineForm
              title="Share a config"
              fields={[{ name: 'config', label: 'Config', choices }]}
              refusal={refusal ?? noChoice}
              word="Share"
              line={({ config = '' }) => commandLine('configs', 'share', ...nameWords(config), wordOf(actor.id))}
              onSubmit={async ({ config = '' }) => {
                await replace(config, ({ actors }) => ({ actors: [...actors, actor.id] }));
                again();
                return `This actor gets the config ${safe(config)} from its next execution on.`;
              }}
            />
          </Fragment>
        )}
      </div>
    </section>
  );
};
