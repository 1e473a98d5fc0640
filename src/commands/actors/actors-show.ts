// `actors show`.
import type { CommandContext } from '../../context.ts';
import type { OutputFormat } from '../../ui/format/view.ts';
import { actorsOf } from '../configs/configs-view.ts';
import { formatOutcome } from '../executions/wait-for-outcome.ts';
import { createNames } from '../framework/actor-names.ts';
import { action } from '../framework/command.ts';
import { actorHere, flag } from '../framework/option.ts';
import { resolveActor } from '../framework/resolve-actor.ts';
import { newestExecutions } from '../framework/search-rows.ts';
import { type ActorRelations, type ActorRow, actorDetailView, actorRowView, aliasesOf } from './actor-view.ts';
import { readyLimit, waitOptions, waitUntilReady } from './wait-until-ready.ts';

const EXECUTIONS_SHOWN = 5;

const around = async (context: CommandContext, { id, aliases }: ActorRow): Promise<ActorRelations> => {
  const { call } = context;
  const params = { actorId: id };
  const [links, configs, permissions, executions] = await Promise.all([
    call('links.show', { params }),
    call('configs.list'),
    call('permissions.list', { params }),
    newestExecutions(context, { actorId: id }, EXECUTIONS_SHOWN),
  ]);
  const names = [id, ...aliases];
  const nameOf = createNames(context);
  return {
    linkedFrom: await Promise.all(links.in.map(nameOf)),
    link: links.link === links.out && links.out !== null ? await nameOf(links.out) : (links.link ?? undefined),
    linkProblem: links.problem,
    webhookProblem: links.webhookProblem,
    configs: configs.filter((config) => actorsOf(config).some((name) => names.includes(name))).map(({ name }) => name),
    permissions,
    executions: executions.map((execution) => [execution.id, formatOutcome(execution)]),
  };
};

const nothingAround: ActorRelations = {
  linkedFrom: [],
  link: undefined,
  linkProblem: undefined,
  webhookProblem: undefined,
  configs: [],
  permissions: {},
  executions: [],
};

const isBrief = (format: OutputFormat): boolean => format !== 'table' && format !== 'wide';

export const actorsShow = action({
  operations: ['actors.show', 'links.show', 'permissions.list'],
  args: { actor: actorHere },
  options: {
    env: flag('--env', 'show the values of its variables, except those with secret names'),
    ...waitOptions,
  },
  examples: [
    'actorctl actors show wordcount --env',
    'actorctl actors show wordcount --jq .status -r',
    'actorctl actors show wordcount --wait',
  ],
  run: async (context, { actor: reference }, { env, ...waiting }) => {
    const { output } = context;
    const limit = readyLimit(context, waiting);
    // With a nonce only the actor is requested: it gives access to nothing else, and each request consumes a use.
    const byNonce = context.settings.nonce !== undefined;
    const aliases = byNonce ? [] : await context.call('aliases.list');
    const found = await resolveActor(context, reference);
    const actor = limit === undefined ? found : await waitUntilReady(context, found, limit);
    const row = { ...actor, aliases: aliasesOf(actor, aliases) };
    const people = !output.machine && !output.enveloped && !output.quiet && !isBrief(output.format);
    if (people) output.item(row, actorDetailView(row, byNonce ? nothingAround : await around(context, row), env));
    else output.item(row, actorRowView);
    return 0;
  },
});
