// `actors`: create, update and delete; the other verbs have their own files.
import { CliFailure, usage } from '../../failure.ts';
import { command, type Leaf } from '../kernel/command.ts';
import { actorHere, flag, integer, optional, several, text, texts } from '../kernel/option.ts';
import { resolveActor } from '../kernel/resolve-actor.ts';
import type { Actor } from '../kernel/views.ts';
import { belongingsOptions, linkField, planBelongings } from './actor-attachments.ts';
import {
  bodyOf,
  changeDescription,
  changedFields,
  describe,
  descriptionOf,
  descriptionOptions,
  notReplaceable,
} from './actor-flags.ts';
import { actorsBuild } from './actors-build.ts';
import { actorsCheck } from './actors-check.ts';
import { actorsDeploy } from './actors-deploy.ts';
import { actorsDev } from './actors-dev.ts';
import { actorsInit } from './actors-init.ts';
import { actorsList, actorsShow } from './actors-show.ts';
import { titleOf, waitOption, waitUntilReady } from './wait-until-ready.ts';

/**
 * Waits for the alias and configs of an actor that was already created. @throws CliFailure whose message says that the
 * actor exists
 */
const orLeft = async (actor: Actor, done: Promise<readonly string[]>): Promise<readonly string[]> => {
  try {
    return await done;
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    throw new CliFailure(error.code, `actor ${titleOf(actor)} was created, but: ${error.message}`, {
      ...error.extras,
      details: { ...error.extras.details, actor_id: actor.id },
      cause: error,
    });
  }
};

const create = command({
  name: 'create',
  summary: 'Create an actor',
  operations: ['actors.create'],
  args: { image: optional('container image, or file:///folder') },
  options: {
    name: text('--name <name>', 'name'),
    stateful: flag('--stateful', 'run one execution at a time, with a state; cannot be changed later'),
    ...descriptionOptions,
    ...belongingsOptions,
    wait: waitOption,
  },
  examples: [
    'actorctl actors create abacosamples/wc --name wordcount --wait',
    'actorctl actors create file:///home/ana/wc --name wordcount -e LOG=info',
    'actorctl actors create -f actor.json',
  ],
  run: async (context, { image }, { name, stateful, wait, form, link, alias, config, ...options }) => {
    const { call, output } = context;
    const description = {
      ...(await describe(context, { ...options, form })),
      ...(await linkField(context, link)),
      ...(image !== undefined && { image }),
      ...(name !== undefined && { name }),
      ...(stateful && { stateless: false }),
    };
    if (!('image' in description)) {
      throw usage('the image is missing', 'give IMAGE, or -f with a description that has an image');
    }
    const belongings = await planBelongings(context, { alias, config });
    const made = await call('actors.create', bodyOf(description, form));
    const besides = await orLeft(made, belongings.apply(made));
    const said = `Created actor ${[titleOf(made), ...besides].join(', ')}`;
    const aliases = alias === undefined ? [] : [alias.replace(/^alias:/, '')];
    if (wait === undefined) output.result(said, { ...made, aliases }, made.id);
    else if (output.machine || output.quiet) {
      output.result(said, { ...(await waitUntilReady(context, made, wait)), aliases }, made.id);
    } else {
      // The id is printed before the wait, so that a person has it even if the wait fails.
      output.result(said, made, made.id);
      await waitUntilReady(context, made, wait);
    }
    output.next(`actorctl run ${made.name || made.id} -m "hello world"`);
    return 0;
  },
});

const update = command({
  name: 'update',
  summary: 'Change some fields of an actor and keep the rest',
  details: 'A new image, or --force, creates a new revision.',
  operations: ['actors.update', 'actors.show'],
  args: { actor: actorHere },
  options: {
    image: text('--image <image>', 'container image, or file:///folder'),
    ...descriptionOptions,
    ...belongingsOptions,
    ifVersion: integer('--if-version <n>', 'only update if it has this version, else exit code 7', { min: 1 }),
    unset: texts('--unset <field>', 'reset this field or env:NAME to the default, repeatable'),
    force: flag('--force', 'pull the image again and create a new revision, even without changes'),
    wait: waitOption,
  },
  examples: [
    'actorctl actors update wordcount --image wc:2 -e LOG=debug --unset env:OLD',
    'actorctl actors update wordcount --force --wait',
  ],
  run: async (context, { actor: reference }, { image, ifVersion, unset, force, wait, form, link, ...options }) => {
    const { call, output } = context;
    const { alias, config } = options;
    const described = {
      ...(await describe(context, { ...options, form })),
      ...(await linkField(context, link)),
      ...(image !== undefined && { image }),
    };
    const left = notReplaceable(described);
    if (left.length > 0) output.warn(`ignored, because an update cannot change it: ${left.join(', ')}`);
    const asked = Object.fromEntries(Object.entries(described).filter(([name]) => !left.includes(name)));
    const besides = alias !== undefined || config.length > 0;
    if (Object.keys(asked).length === 0 && unset.length === 0 && !force && !besides) {
      throw usage('there is nothing to update', 'actorctl actors update --help');
    }
    const actor = await resolveActor(context, reference);
    const before = descriptionOf(actor);
    const after = changeDescription(before, asked, unset);
    const belongings = await planBelongings(context, { alias, config }, actor.id);
    const fields = changedFields(before, after);
    const updated = await call('actors.update', {
      params: { actorId: actor.id },
      headers: { 'if-match': `"${ifVersion ?? actor.version}"` },
      ...bodyOf({ ...after, ...(force && { force }) }, form),
    });
    const changed = [...fields, ...(await belongings.apply(updated))];
    const what = [...changed, ...(force ? ['new revision'] : [])].join(', ') || 'nothing changed';
    const final = wait === undefined ? updated : await waitUntilReady(context, updated, wait);
    output.result(`Updated ${titleOf(updated)}: ${what}`, { ...final, changed }, updated.id);
    return 0;
  },
});

const remove = command({
  name: 'delete',
  aliases: ['rm'],
  summary: 'Delete actors with their messages and logs',
  operations: ['actors.delete'],
  args: { actors: several('actors') },
  options: { force: flag('--force', 'also delete actors with running executions, which are stopped') },
  examples: ['actorctl actors delete wordcount --yes'],
  run: async (context, { actors: references }, { force }) => {
    const { call, output, prompt } = context;
    const found = await Promise.all(references.map((reference) => resolveActor(context, reference)));
    const actors = [...new Map(found.map((actor) => [actor.id, actor])).values()];
    await prompt.confirm(`Delete ${actors.map(titleOf).join(', ')} with all messages and logs?`);
    const deleted: string[] = [];
    for (const actor of actors) {
      try {
        await call('actors.delete', { params: { actorId: actor.id }, query: { ...(force && { force }) } });
      } catch (error) {
        // Scripts must learn which actors were deleted before the failure.
        if (error instanceof CliFailure) throw deletionStopped(error, actor, deleted);
        throw error;
      }
      deleted.push(actor.id);
    }
    output.result(actors.map((actor) => `Deleted ${titleOf(actor)}`).join('\n'), { deleted }, deleted.join('\n'));
    return 0;
  },
});

const deletionStopped = (error: CliFailure, actor: Actor, deleted: readonly string[]): CliFailure =>
  new CliFailure(error.code, `cannot delete ${titleOf(actor)}: ${error.message}`, {
    ...error.extras,
    ...(error.code === 'ACTOR_BUSY' && { hint: `actorctl actors delete ${actor.id} --force` }),
    details: { ...error.extras.details, actor_id: actor.id, deleted },
    cause: error,
  });

/** `actors` */
export const actorsCommand: readonly Leaf[] = [
  create,
  actorsList,
  actorsShow,
  update,
  remove,
  actorsInit,
  actorsBuild,
  actorsDeploy,
  actorsDev,
  actorsCheck,
];
