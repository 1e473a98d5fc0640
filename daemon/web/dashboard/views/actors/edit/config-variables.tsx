// Variables of an actor that take their values from configs, in the form of the actor.
import { ask } from '../../../api/call.ts';
import { usePolled } from '../../../api/poll.ts';
import { FieldNote, wrongIf } from '../../../parts/actions/field-problem.tsx';
import type { FieldProblem } from '../../../parts/actions/field-problems.ts';
import { commandLine, nameWords } from '../../../parts/command.ts';
import { wordOf } from '../../../parts/names.ts';
import { TerminalLine } from '../../../parts/terminal-line.tsx';
import type { ConfigVariable } from './draft.ts';

interface Choice {
  readonly name: string;
  readonly actors: readonly string[];
}

const readChoices = async (signal: AbortSignal): Promise<readonly Choice[]> =>
  (await ask('GET /actors/v2/configs', { signal })).map(({ name, actors }) => ({
    name,
    actors: actors.split(',').map((each) => each.trim()),
  }));

export const ConfigVariables = ({
  actorId,
  variables,
  problems,
  onChange,
}: {
  readonly actorId: string | undefined;
  readonly variables: readonly ConfigVariable[];
  readonly problems: readonly FieldProblem[];
  readonly onChange: (variables: readonly ConfigVariable[]) => void;
}) => {
  const { value } = usePolled('config choices', readChoices, { every: Number.POSITIVE_INFINITY });
  const choices = value.value ?? [];
  const change = (at: number, part: Partial<ConfigVariable>): void =>
    onChange(variables.map((each, index) => (index === at ? { ...each, ...part } : each)));
  // A config through an alias of the actor is not known to be shared here.
  const unshared = [...new Set(variables.map(({ config }) => config))].filter((config) =>
    choices.some(({ name, actors }) => name === config && !(actorId !== undefined && actors.includes(actorId))),
  );
  return (
    <fieldset class="field">
      <legend>Variables from configs</legend>
      {variables.map(({ name, config, path }, at) => (
        <div class="config-variable" key={at}>
          <input
            aria-label={`Name of variable ${at + 1}`}
            placeholder="API_KEY"
            spellcheck={false}
            autocomplete="off"
            value={name}
            onInput={(event) => change(at, { name: event.currentTarget.value })}
            {...wrongIf(problems, `configs.${at}.name`, `config-${at}-name`)}
          />
          <select
            aria-label={`Config of variable ${at + 1}`}
            value={config}
            onChange={(event) => change(at, { config: event.currentTarget.value })}
            {...wrongIf(problems, `configs.${at}.config`, `config-${at}-config`)}
          >
            <option value="">Choose a config</option>
            {[...new Set([...choices.map((each) => each.name), config])]
              .filter((each) => each !== '')
              .map((each) => (
                <option key={each} value={each}>
                  {each}
                </option>
              ))}
          </select>
          <input
            aria-label={`Member of the value for variable ${at + 1}`}
            placeholder="whole value"
            spellcheck={false}
            autocomplete="off"
            value={path}
            onInput={(event) => change(at, { path: event.currentTarget.value })}
          />
          <button
            type="button"
            aria-label={`Remove variable ${at + 1}`}
            onClick={() => onChange(variables.filter((_, index) => index !== at))}
          >
            Remove
          </button>
          {(['name', 'config'] as const).map((part) => (
            <FieldNote key={part} problems={problems} field={`configs.${at}.${part}`} id={`config-${at}-${part}`} />
          ))}
        </div>
      ))}
      <FieldNote problems={problems} field="configs" id="configs" />
      <button type="button" onClick={() => onChange([...variables, { name: '', config: '', path: '' }])}>
        Add a variable from a config
      </button>
      {unshared.length === 0 ? null : (
        <p class="soft">
          Executions start only if these configs are shared with the actor: {unshared.join(', ')}.{' '}
          {actorId === undefined ? 'The command below creates the actor and shares them.' : null}
        </p>
      )}
      {actorId === undefined
        ? null
        : unshared.map((config) => (
            <TerminalLine key={config} line={commandLine('configs', 'share', ...nameWords(config), wordOf(actorId))} />
          ))}
    </fieldset>
  );
};
