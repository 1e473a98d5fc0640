// `links`: list, set, show, unset, check and graph for links, which send the events of one actor to another.
import type { CommandContext } from '../../context.ts';
import { failureCodes, isFailureCode } from '../../contract/failure-codes.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import { CliFailure, usage } from '../../failure.ts';
import { toJson, writeJson } from '../../ui/format/json.ts';
import type { View } from '../../ui/format/view.ts';
import { changeFields } from '../actors/actor-change.ts';
import { ACTOR, ACTOR_ID, createNames, type OfActor } from '../framework/actor-names.ts';
import { command, type LeafEntry } from '../framework/command.ts';
import { choice, flag, optional, required } from '../framework/option.ts';
import { resolveActor } from '../framework/resolve-actor.ts';
import type { Actor } from '../framework/views.ts';
import { drawings, graphOf, type WiredActor } from './link-graph.ts';

type Linked = Pick<Actor, 'id' | 'link' | 'linkedActor' | 'linkProblem'>;
type Receiver = Pick<ResultOf<Operations['links.show']>, 'out' | 'problem'>;

/** The actor that receives the events of an actor. Sends a request only if the listing does not say that. */
export const receiverOf = async (
  { call }: Pick<CommandContext, 'call'>,
  { id, link, linkedActor, linkProblem }: Linked,
): Promise<Receiver> => {
  const isAsked = Boolean(link) && linkedActor === undefined && linkProblem === undefined;
  if (isAsked) return call('links.show', { params: { actorId: id } });
  return { out: linkedActor ?? null, ...(linkProblem !== undefined && { problem: linkProblem }) };
};

type Links = ResultOf<Operations['links.show']>;
type Verdict = ResultOf<Operations['links.check']>;

const called = ({ id, name }: Pick<Actor, 'id' | 'name'>): string => name || id;

/**
 * A link target. `link` is the alias as typed, so that the link follows the alias when it moves, or otherwise the
 * id of the actor.
 */
interface Target {
  readonly link: string;
  readonly actor: Actor;
}

const resolveTarget = async (context: Pick<CommandContext, 'call' | 'prompt'>, reference: string): Promise<Target> => {
  const actor = await resolveActor(context, reference);
  const typed = reference.replace(/^(?:id|alias):/, '');
  if (typed === actor.id) return { link: actor.id, actor };
  try {
    const meant = await context.call('actors.show', { params: { actorId: typed } });
    return { link: meant.id === actor.id ? typed : actor.id, actor };
  } catch (error) {
    if (error instanceof CliFailure && error.code === 'NOT_FOUND') return { link: actor.id, actor };
    throw error;
  }
};

/** Sets the link of an actor, or removes it if `link` is empty. The rest of its description stays unchanged. */
const changeLink = async (context: Pick<CommandContext, 'call'>, actor: Actor, link: string): Promise<Actor> => {
  try {
    return (await changeFields(context, actor, () => ({ link }))).after;
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code !== 'LINK_CYCLE') throw error;
    const hint = `actorctl links graph ${actor.id}`;
    throw new CliFailure(error.code, error.message, { ...error.extras, hint });
  }
};

const check = async (context: CommandContext, from: Actor, { link, actor: to }: Target): Promise<number> => {
  const verdict: Verdict = await context.call('links.check', { params: { actorId: from.id }, query: { target: link } });
  const { allowed, path, why, code } = verdict;
  const reason = path === undefined || path.length <= 2 ? (why ?? 'no reason given') : `cycle ${path.join(' -> ')}`;
  const sentence = allowed ? `yes: ${called(from)} -> ${called(to)}` : `no: ${reason}`;
  context.output.report(sentence, { actor_id: from.id, link, ...verdict }, allowed ? to.id : '');
  if (allowed) return 0;
  return code !== undefined && isFailureCode(code) ? failureCodes[code].exit : failureCodes.LINK_CYCLE.exit;
};

const set = command({
  name: 'set',
  summary: 'Link an actor, to send its events to another actor',
  operations: ['actors.update', 'links.check'],
  args: {
    actor: required('actor that sends its events', 'actor'),
    target: required('actor that receives the events (with an alias, the link follows the alias)', 'actor'),
  },
  options: { checkOnly: flag('--check-only', 'only check whether the link is allowed') },
  examples: ['actorctl links set clean report', 'actorctl links set clean alias:report --check-only'],
  run: async (context, { actor: reference, target: targetReference }, { checkOnly }) => {
    const actor = await resolveActor(context, reference);
    const target = await resolveTarget(context, targetReference);
    if (checkOnly) return check(context, actor, target);
    const { id, link } = await changeLink(context, actor, target.link);
    const by = target.link === target.actor.id ? '' : ` (through alias ${target.link})`;
    context.output.result(`${called(actor)} -> ${called(target.actor)}${by}`, { actor_id: id, link }, id);
    return 0;
  },
});

interface NamedLinks extends Links, OfActor {
  readonly outName?: string;
  readonly inNames: readonly string[];
}

type NamedLink = Omit<NamedLinks, 'in' | 'inNames'>;

const linkView = {
  id: ({ actorId }) => actorId,
  name: ({ actorName, actorId }) => actorName ?? actorId,
  fields: ['actorId', 'actorName', 'link', 'out', 'outName', 'problem'],
  columns: [
    ACTOR,
    ACTOR_ID,
    { header: 'SENDS TO', value: ({ outName, out }) => outName ?? out },
    { header: 'SET AS', value: ({ link, out }) => (link === out ? undefined : link) },
    { header: 'PROBLEM', value: ({ problem }) => problem },
  ],
} satisfies View<NamedLink>;

const linksView: View<NamedLinks> = {
  ...linkView,
  fields: [...linkView.fields, 'in', 'inNames'],
  columns: [...linkView.columns, { header: 'GETS FROM', value: ({ inNames }) => inNames.join(', ') }],
};

const list = command({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the links of the actors that you may read',
  operations: ['actors.list', 'links.show'],
  list: true,
  examples: ['actorctl links list', "actorctl links list --json | jq '.[] | select(.problem)'"],
  run: async (context) => {
    const actors = await context.call('actors.list', { query: { details: true } });
    const names = new Map(actors.map(({ id, name }) => [id, name]));
    const links: NamedLink[] = [];
    for (const actor of actors.filter(({ link }) => link !== '')) {
      const { id, name, link } = actor;
      const { out, problem } = await receiverOf(context, actor);
      const outName = names.get(out ?? '') ?? '';
      links.push({
        actorId: id,
        ...(name !== '' && { actorName: name }),
        link,
        out,
        ...(outName !== '' && { outName }),
        ...(problem !== undefined && { problem }),
      });
    }
    context.output.rows(links, linkView);
    return 0;
  },
});

const show = command({
  name: 'show',
  aliases: ['get'],
  summary: 'Show the links from and to an actor',
  operations: ['links.show'],
  args: { actor: required('actor', 'actor') },
  run: async (context, { actor: reference }) => {
    const { id, name } = await resolveActor(context, reference);
    const links = await context.call('links.show', { params: { actorId: id } });
    const nameOf = createNames(context);
    const named: NamedLinks = {
      actorId: id,
      ...(name !== '' && { actorName: name }),
      ...links,
      ...(links.out !== null && { outName: await nameOf(links.out) }),
      inNames: await Promise.all(links.in.map(nameOf)),
    };
    context.output.item(named, linksView);
    return 0;
  },
});

const unset = command({
  name: 'unset',
  aliases: ['rm'],
  summary: 'Remove the link of an actor',
  operations: ['actors.update'],
  args: { actor: required('actor', 'actor') },
  run: async (context, { actor: reference }) => {
    const actor = await resolveActor(context, reference);
    const { id } = actor.link === '' ? actor : await changeLink(context, actor, '');
    const said = actor.link === '' ? 'there was no link' : 'link removed';
    context.output.result(`${called(actor)}: ${said}`, { actor_id: id, link: null }, id);
    return 0;
  },
});

const checkCommand = command({
  name: 'check',
  summary: 'Check whether an actor may link to another',
  details: 'The check changes nothing. Exit code 0 if the link is allowed.',
  operations: ['links.check'],
  args: {
    actor: required('actor that sends its events', 'actor'),
    target: required('actor that would receive the events', 'actor'),
  },
  run: async (context, { actor, target }) =>
    check(context, await resolveActor(context, actor), await resolveTarget(context, target)),
});

const wired = async (context: Pick<CommandContext, 'call'>, actor: Actor): Promise<WiredActor> => {
  const { id, name, link, webhook, webhookProblem, cronSchedule, cronOn } = actor;
  const { out, problem } = await receiverOf(context, actor);
  return {
    id,
    name,
    ...(link && { link }),
    ...(out && { out }),
    ...(problem !== undefined && { problem }),
    ...(webhook && { webhook }),
    ...(webhookProblem !== undefined && { webhookProblem }),
    ...(cronSchedule && cronOn && { cron: cronSchedule }),
  };
};

const graphFormats = ['tree', 'dot', 'mermaid', 'json'] as const;

const graph = command({
  name: 'graph',
  summary: 'Draw the graph of links, webhooks and schedules',
  operations: ['actors.list', 'links.show'],
  args: { actor: optional('show only this actor and the nodes connected to it', 'actor') },
  options: { format: choice('--format <format>', 'tree, dot, mermaid, json', graphFormats) },
  examples: ['actorctl links graph', 'actorctl links graph clean --format dot | dot -Tsvg > clean.svg'],
  run: async (context, { actor: reference }, { format }) => {
    const { call, output } = context;
    if (output.printsValue && format !== undefined && format !== 'json')
      throw usage(`--format ${format} cannot be combined with a format for data`);
    const center = reference === undefined ? undefined : await resolveActor(context, reference);
    const listed = await call('actors.list', { query: { details: true } });
    const actors = center === undefined || listed.some(({ id }) => id === center.id) ? listed : [...listed, center];
    const parts: WiredActor[] = [];
    for (const each of actors) parts.push(await wired(context, each));
    const drawn = graphOf(parts, center?.id);
    if (drawn.nodes.length === 0) output.note('no actor has a link, a webhook or a schedule');
    const text = format === 'json' ? writeJson(toJson(drawn)) : drawings[format ?? 'tree'](drawn);
    const ids = drawn.nodes.filter(({ kind }) => kind === 'actor').map(({ id }) => id);
    output.report(text, drawn, ids.join('\n'));
    return 0;
  },
});

export const linksCommand: readonly LeafEntry[] = [list, set, show, unset, checkCommand, graph];
