// The list row and the detail view of an actor.

import { exactText } from '../../contract/exact-json.ts';
import { fields } from '../../contract/for-client.ts';
import type { Column, View } from '../../ui/format/view.ts';
import { shownUrl } from '../events/link-graph.ts';
import type { Actor, Alias } from '../framework/views.ts';
import { looksSecret } from './check/check-rules.ts';

export type ActorRow = Actor & { readonly aliases: readonly string[] };

const NANO_CPUS = 1_000_000_000;
const SECOND_MS = 1_000;

const stateSize = ({ stateless, state }: Actor): number | undefined =>
  stateless ? undefined : Buffer.byteLength(exactText(state) ?? '');

const tokenWords: Readonly<Record<Actor['tokenReach'], string>> = {
  none: 'none',
  own: 'its own actor, execution and link only',
  owner: 'everything of the owner except permissions, nonces, clients and users',
  whole: 'everything of the owner (legacy)',
};

const named = {
  name: { header: 'NAME', value: ({ name }) => name, role: 'name' },
  id: { header: 'ID', value: ({ id }) => id, role: 'id' },
  status: { header: 'STATUS', value: ({ status }) => status, kind: 'status' },
  image: { header: 'IMAGE', value: ({ image }) => image },
  aliases: { header: 'ALIASES', value: ({ aliases }) => aliases.join(', ') },
  lastRun: { header: 'LAST RUN', value: ({ lastExecutionTime }) => lastExecutionTime, kind: 'time' },
  executions: { header: 'EXECS', value: ({ totalExecutions }) => totalExecutions, kind: 'number' },
  updated: { header: 'UPDATED', value: ({ lastUpdateTime }) => lastUpdateTime, kind: 'time', wide: true },
  reason: { header: 'REASON', value: ({ statusMessage }) => statusMessage, wide: true },
  description: { header: 'DESCRIPTION', value: ({ description }) => description, wide: true },
  owner: { header: 'OWNER', value: ({ owner }) => owner, wide: true },
  kind: { header: 'KIND', value: ({ stateless }) => (stateless ? 'stateless' : 'stateful'), wide: true },
  token: { header: 'TOKEN', value: ({ tokenReach }) => tokenWords[tokenReach] },
  dialect: { header: 'DIALECT', value: ({ dialect }) => dialect },
  revision: { header: 'REVISION', value: ({ revision }) => revision, kind: 'number', wide: true },
  version: { header: 'VERSION', value: ({ version }) => version, kind: 'number' },
  hints: { header: 'HINTS', value: ({ hints }) => hints.join(', '), wide: true },
  senderVariables: { header: 'SENDER VARIABLES', value: ({ senderVariables }) => senderVariables.join(', ') },
  workers: { header: 'WORKERS', value: ({ maxWorkers }) => maxWorkers, kind: 'number', wide: true },
  memory: { header: 'MEMORY', value: ({ memLimit }) => memLimit, wide: true },
  cpus: { header: 'CPUS', value: ({ maxCpus }) => (maxCpus && maxCpus > 0 ? maxCpus / NANO_CPUS : undefined) },
  placement: { header: 'PLACEMENT', value: ({ placement }) => placement?.join(', ') },
  timeLimit: {
    header: 'TIME LIMIT',
    value: ({ maxRunTime }) => (maxRunTime === undefined ? undefined : maxRunTime * SECOND_MS),
    kind: 'duration',
  },
  state: { header: 'STATE', value: stateSize, kind: 'bytes', wide: true },
  link: { header: 'LINK', value: ({ link }) => link, wide: true },
  webhook: { header: 'WEBHOOK', value: ({ webhook }) => shownUrl(webhook), wide: true },
  cron: { header: 'CRON', value: ({ cronSchedule }) => cronSchedule, wide: true },
  nextRun: { header: 'NEXT RUN', value: ({ cronNextTime }) => cronNextTime, kind: 'time', wide: true },
  created: { header: 'CREATED', value: ({ createTime }) => createTime, kind: 'time', wide: true },
} as const satisfies Readonly<Record<string, Column<ActorRow>>>;

const { name, id, status, image, aliases, lastRun, executions } = named;

/** The name of an actor in a list, or its id if it has no name. */
export const NAME: Column<Pick<Actor, 'id' | 'name'>> = {
  header: 'NAME',
  value: (row) => row.name || row.id,
  role: 'name',
};
export const ID: Column<Pick<Actor, 'id'>> = { header: 'ID', value: (row) => row.id, role: 'id', wide: true };

export const actorRowView: View<ActorRow> = {
  id: (row) => row.id,
  name: (row) => row.name,
  fields: fields.actor,
  columns: [
    ...[NAME, ID, status, image, aliases, lastRun, executions],
    ...[named.updated, named.reason, named.description, named.owner, named.kind, named.revision, named.hints],
    ...[named.workers, named.memory, named.state, named.link, named.webhook, named.cron, named.nextRun, named.created],
  ],
};

export const aliasesOf = ({ id: actor }: Actor, known: readonly Alias[]): string[] =>
  known.filter(({ actorId }) => actorId === actor).map(({ alias }) => alias);

export interface ActorRelations {
  readonly linkedFrom: readonly string[];
  /** The target of the link: an actor or an alias. */
  readonly link: string | undefined;
  readonly linkProblem: string | undefined;
  readonly webhookProblem: string | undefined;
  readonly configs: readonly string[];
  readonly permissions: Readonly<Record<string, string>>;
  readonly executions: readonly (readonly [id: string, words: string])[];
}

const fixed = (header: string, text: string): Column<ActorRow> => ({ header, value: () => text, exact: true });

const under = (section: string, columns: readonly Column<ActorRow>[]): readonly Column<ActorRow>[] =>
  columns.map((column) => ({ ...column, section }));

/** The detail view of an actor. @param values true to show the values of variables, except those with secret names */
export const actorDetailView = (
  { default_environment: environment, configEnvironment = {} }: Actor,
  around: ActorRelations,
  values: boolean,
): View<ActorRow> => {
  const variables = Object.entries(environment);
  return {
    ...actorRowView,
    columns: [
      ...under('Identity', [
        ...[name, id, status, named.reason, named.description, named.owner, aliases],
        ...[named.revision, named.version, named.created, named.updated],
      ]),
      ...under('Runtime', [
        ...[image, named.kind, named.dialect, named.token, named.state, named.hints, named.workers],
        ...[named.memory, named.cpus, named.placement, named.timeLimit],
        ...[named.cron, named.nextRun],
        ...(values
          ? variables.map(([key, value]) => fixed(`env ${key}`, looksSecret(key) ? '***' : value))
          : [fixed('variables', variables.map(([key]) => key).join(', '))]),
        ...Object.entries(configEnvironment).map(([key, { config, path }]) =>
          fixed(`env ${key}`, `config ${config}${path === undefined ? '' : `, ${path}`}`),
        ),
        named.senderVariables,
      ]),
      ...under('Wiring', [
        fixed('link', around.link ?? ''),
        fixed('link problem', around.linkProblem ?? ''),
        fixed('linked from', around.linkedFrom.join(', ')),
        named.webhook,
        fixed('webhook problem', around.webhookProblem ?? ''),
      ]),
      ...under('Sharing', [
        fixed('configs', around.configs.join(', ')),
        ...Object.entries(around.permissions).map(([user, level]) => fixed(`permission ${user}`, level)),
      ]),
      ...under(
        'Latest executions',
        around.executions.map(([execution, words]) => fixed(`execution ${execution}`, words)),
      ),
    ],
  };
};
