// Description, environment, configs, wires and schedule of an actor.
import { Fragment } from 'preact';
import { ask } from '../../api/call.ts';
import { usePolled } from '../../api/poll.ts';
import { commandLine } from '../../parts/command.ts';
import { nameOf, wordOf } from '../../parts/names.ts';
import { Command } from '../../parts/terminal-line.tsx';
import { safe, safeLines, shownUrl } from '../../parts/text.ts';
import { formatMoment } from '../../parts/time.ts';
import { hashOf } from '../../shell/place.ts';
import { ActorConfigs } from './actor-configs.tsx';
import { AliasRows, NewAlias } from './connect/aliases.tsx';
import type { Connectable } from './connect/change-field.ts';
import { LinkActions } from './connect/link.tsx';
import { Schedule } from './connect/schedule.tsx';
import { WebhookActions } from './connect/webhook.tsx';
import type { Actor } from './rows.ts';

const EVERY_MS = 30_000;

interface OfActor {
  readonly actor: Actor;
}

const Rows = ({ rows }: { readonly rows: readonly (readonly [string, string])[] }) => (
  <>
    {rows.map(([name, text]) => (
      <Fragment key={name}>
        <dt>{safe(name)}</dt>
        <dd>{safe(text)}</dd>
      </Fragment>
    ))}
  </>
);

/** What the token of an execution may do. */
const tokenWords: Readonly<Record<Actor['tokenReach'], string>> = {
  none: 'none',
  own: 'its own actor, execution and link only',
  owner: 'everything of the owner except permissions, nonces, clients and users',
  whole: 'everything of the owner (legacy)',
};

const Description = ({ actor }: OfActor) => {
  const { id, description, image, owner, stateless, privileged, maxWorkers, memLimit, maxRunTime, createTime } = actor;
  return (
    <section class="panel" aria-labelledby="description-title">
      <header>
        <h2 id="description-title">Description</h2>
      </header>
      <div class="body">
        {description === '' ? null : <p>{safeLines(description)}</p>}
        <dl class="facts">
          <Rows
            rows={[
              ['id', id],
              ['image', image],
              ['owner', owner],
              [
                'kind',
                [stateless ? 'stateless' : 'stateful', privileged ? 'privileged' : ''].filter(Boolean).join(', '),
              ],
              ['token of its executions', tokenWords[actor.tokenReach]],
              ...(maxWorkers === undefined ? [] : [['workers', `at most ${maxWorkers}`] as const]),
              ...(memLimit === undefined ? [] : [['memory', memLimit] as const]),
              ...(maxRunTime === undefined ? [] : [['run time', `at most ${maxRunTime} s`] as const]),
              ['created', formatMoment(Date.parse(createTime))],
              ['version', String(actor.version)],
            ]}
          />
        </dl>
        <Command line={commandLine('actors', 'show', wordOf(id))} />
      </div>
    </section>
  );
};

const Environment = ({ actor: { id, default_environment, configEnvironment, senderVariables } }: OfActor) => {
  const fromConfigs = Object.entries(configEnvironment ?? {}).map(
    ([name, { config, path }]) => [name, `from config ${config}${path === undefined ? '' : `, ${path}`}`] as const,
  );
  const variables = [...Object.entries(default_environment), ...fromConfigs];
  return (
    <section class="panel" aria-labelledby="environment-title">
      <header>
        <h2 id="environment-title">Environment</h2>
      </header>
      <div class="body">
        {variables.length === 0 ? (
          <p class="soft">No variables.</p>
        ) : (
          <dl class="facts mono">
            <Rows rows={variables} />
          </dl>
        )}
        {senderVariables.length === 0 ? null : (
          <p class="soft">Senders may also set {senderVariables.map(safe).join(', ')}.</p>
        )}
        <Command line={commandLine('actors', 'update', wordOf(id), '-e', 'NAME=value')} />
      </div>
    </section>
  );
};

const ActorLink = ({ id }: { readonly id: string }) => (
  <a class="link" href={hashOf(['actors', id])}>
    {nameOf(id)}
  </a>
);

const Wires = (props: Connectable) => {
  const { id, version, link, webhook } = props.actor;
  const { value, again } = usePolled(
    `wires ${id} ${version}`,
    async (signal) => {
      const [links, aliases] = await Promise.all([
        ask('GET /actors/v2/:actorId/links', { params: { actorId: id }, signal }),
        ask('GET /actors/v2/aliases', { signal }),
      ]);
      return { ...links, aliases: aliases.filter(({ actorId }) => actorId === id).map(({ alias }) => alias) };
    },
    { every: EVERY_MS },
  );
  const changed = (): void => {
    again();
    props.onChanged();
  };
  const connectable = { ...props, onChanged: changed };
  const { aliases = [], out = null, in: from = [], problem, webhookProblem } = value.value ?? {};
  return (
    <section class="panel" aria-labelledby="wires-title">
      <header>
        <h2 id="wires-title">Aliases, links, webhook</h2>
        <a class="soft" href={hashOf(['wiring'], { actor: id })}>
          graph
        </a>
      </header>
      <div class="body">
        <dl class="facts">
          <dt>aliases</dt>
          <dd>{aliases.length === 0 ? '–' : <AliasRows aliases={aliases} actorId={id} onChanged={changed} />}</dd>
          <dt>events go to</dt>
          <dd>
            {link === '' ? '–' : out === null ? safe(link) : <ActorLink id={out} />}
            {problem === undefined ? null : <span class="bad"> {safe(problem)}</span>}
          </dd>
          <dt>events come from</dt>
          <dd>
            {from.length === 0
              ? '–'
              : from.map((each, at) => (
                  <Fragment key={each}>
                    {at === 0 ? '' : ', '}
                    <ActorLink id={each} />
                  </Fragment>
                ))}
          </dd>
          <dt>webhook</dt>
          <dd>
            {webhook === '' ? '–' : shownUrl(webhook)}
            {webhookProblem === undefined ? null : <span class="bad"> {safe(webhookProblem)}</span>}
          </dd>
        </dl>
        <LinkActions {...connectable} />
        <WebhookActions {...connectable} />
        <NewAlias {...connectable} />
        <Command line={commandLine('links', 'show', wordOf(id))} />
      </div>
    </section>
  );
};

export const Parts = (props: Connectable) => (
  <div class="columns">
    <Description actor={props.actor} />
    <Wires {...props} />
    <Environment actor={props.actor} />
    <ActorConfigs {...props} />
    <Schedule {...props} />
  </div>
);
