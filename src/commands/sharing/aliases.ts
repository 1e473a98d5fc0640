// `aliases`: create, list, show, set and delete.
import type { CommandContext } from '../../context.ts';
import { CliFailure } from '../../failure.ts';
import { plural } from '../../ui/text.ts';
import { nameRows } from '../framework/actor-names.ts';
import { command, type LeafEntry } from '../framework/command.ts';
import { aliasNames, orDidYouMean } from '../framework/did-you-mean.ts';
import { dryRun, tellDryRun } from '../framework/dry-run.ts';
import { actorHere, flag, required, text } from '../framework/option.ts';
import { resolveActor } from '../framework/resolve-actor.ts';
import { type Actor, type Alias, aliasView } from '../framework/views.ts';

/** Removes the optional prefix `alias:`. */
const bare = (name: string): string => (name.startsWith('alias:') ? name.slice('alias:'.length) : name);

const titleOf = ({ id, name }: Pick<Actor, 'id' | 'name'>): string => (name === '' ? id : `${name} (${id})`);

/** Points an existing alias to another actor. Returns it with its previous actor. */
const point = async (
  { call }: Pick<CommandContext, 'call'>,
  name: string,
  actorId: string,
  expected: string | undefined,
): Promise<Alias & { readonly previous: string }> => {
  const params = { alias: name };
  const { actorId: previous } = await call('aliases.show', { params });
  const body = { actorId, ...(expected !== undefined && { ifActorId: expected }) };
  return { ...(await call('aliases.update', { params, body })), previous };
};

const wasThere = (error: unknown): boolean => error instanceof CliFailure && error.code === 'ALREADY_EXISTS';

const withHint = (error: unknown): unknown =>
  error instanceof CliFailure && wasThere(error)
    ? new CliFailure(error.code, error.message, {
        ...error.extras,
        hint: 'use another alias, or add --move to point this one to the actor',
      })
    : error;

/** Warns about an alias that is also the name of another actor, which commands then no longer find by its name. */
const warnOfName = async ({ call, output }: CommandContext, { alias, actorId }: Alias): Promise<void> => {
  for (const { id, name } of await call('actors.list'))
    if (name === alias && id !== actorId)
      output.warn(
        `"${alias}" is also the name of the actor ${id}. Commands read it as the alias, so that actor needs its id.`,
      );
};

const create = command({
  name: 'create',
  summary: 'Create an alias of an actor',
  operations: ['aliases.create', 'actors.list'],
  args: { alias: required('alias name'), actor: actorHere },
  options: { move: flag('--move', 'if the alias exists, point it to the actor') },
  examples: ['actorctl aliases create wc wordcount', 'actorctl aliases create wc wordcount --move'],
  run: async (context, { alias, actor: reference }, { move }) => {
    const { call, output } = context;
    const name = bare(alias);
    const actor = await resolveActor(context, reference);
    let made: Alias & { readonly previous?: string };
    try {
      made = await call('aliases.create', { body: { alias: name, actorId: actor.id } });
    } catch (error) {
      if (!move || !wasThere(error)) throw withHint(error);
      made = await point(context, name, actor.id, undefined);
    }
    output.result(`alias ${made.alias} -> ${titleOf(actor)}`, made, made.alias);
    await warnOfName(context, made);
    output.next(`actorctl run ${made.alias} -m "hello world"`);
    return 0;
  },
});

const list = command({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the aliases that you may read',
  operations: ['aliases.list'],
  options: { actor: text('--actor <actor>', 'only aliases of this actor', 'actor') },
  list: true,
  examples: ['actorctl aliases list --actor wordcount', 'actorctl aliases list --filter owner=ana'],
  run: async (context, _args, { actor: reference }) => {
    const aliases = await context.call('aliases.list');
    const actor = reference === undefined ? undefined : await resolveActor(context, reference);
    const asked = actor === undefined ? aliases : aliases.filter(({ actorId }) => actorId === actor.id);
    context.output.rows(await nameRows(context, asked), aliasView);
    return 0;
  },
});

const show = command({
  name: 'show',
  aliases: ['get'],
  summary: 'Show an alias',
  operations: ['aliases.show'],
  args: { alias: required('alias', 'alias') },
  run: async (context, { alias }) => {
    const name = bare(alias);
    const asked = context.call('aliases.show', { params: { alias: name } });
    const found = await orDidYouMean(asked, name, () => aliasNames(context));
    const [row = found] = await nameRows(context, [found]);
    context.output.item(row, aliasView);
    return 0;
  },
});

const set = command({
  name: 'set',
  summary: 'Point an alias to another actor',
  details: 'A config that lists the alias follows it only if you have UPDATE on the config.',
  operations: ['aliases.update', 'aliases.show'],
  args: { alias: required('alias', 'alias'), actor: actorHere },
  options: {
    ifActor: text(
      '--if-actor <actor>',
      'change the alias only if it currently points to this actor, else exit code 7',
      'actor',
    ),
  },
  examples: ['actorctl aliases set wc wordcount-2', 'actorctl aliases set wc wordcount-2 --if-actor wordcount-1'],
  run: async (context, { alias, actor: reference }, { ifActor }) => {
    const actor = await resolveActor(context, reference);
    const expected = ifActor === undefined ? undefined : (await resolveActor(context, ifActor)).id;
    const name = bare(alias);
    const pointed = await orDidYouMean(point(context, name, actor.id, expected), name, () => aliasNames(context));
    const sentence =
      pointed.previous === pointed.actorId
        ? `${pointed.alias}: already points to ${pointed.actorId}`
        : `${pointed.alias}: ${pointed.previous} -> ${pointed.actorId}`;
    context.output.result(sentence, pointed, pointed.alias);
    return 0;
  },
});

/** Returns the number of nonces of an alias; undefined if the caller may not list them. */
const nonceCount = async ({ call }: Pick<CommandContext, 'call'>, name: string): Promise<number | undefined> => {
  try {
    return (await call('alias-nonces.list', { params: { alias: name } })).length;
  } catch (error) {
    if (error instanceof CliFailure && (error.code === 'FORBIDDEN' || error.code === 'NOT_FOUND')) return undefined;
    throw error;
  }
};

const remove = command({
  name: 'delete',
  aliases: ['rm'],
  summary: 'Delete an alias with its permissions and nonces',
  details: 'The actor is kept.',
  operations: ['aliases.delete'],
  args: { alias: required('alias', 'alias') },
  options: { dryRun },
  examples: ['actorctl aliases delete wc --yes'],
  run: async ({ call, output, prompt }, { alias }, { dryRun }) => {
    const name = bare(alias);
    await orDidYouMean(call('aliases.show', { params: { alias: name } }), name, () => aliasNames({ call }));
    const nonces = await nonceCount({ call }, name);
    const also = nonces === undefined || nonces === 0 ? '' : ` (${plural(nonces, 'nonce')})`;
    const value = { deleted: name, ...(nonces !== undefined && { nonces }) };
    if (dryRun) return tellDryRun({ output }, [`delete alias ${name}${also}`], value, name);
    await prompt.confirm(`Delete alias ${name} with its permissions and nonces?`);
    await call('aliases.delete', { params: { alias: name } });
    output.result(`Deleted alias ${name}${also}`, value, name);
    return 0;
  },
});

export const aliasesCommand: readonly LeafEntry[] = [create, list, show, set, remove];
