// `actors create` and `actors update`.

import type { CommandContext } from '../../context.ts';
import { dialects } from '../../contract/for-client.ts';
import { usage } from '../../failure.ts';
import { type Description, withVariables } from '../../local/project/actor-values.ts';
import { actorInError } from '../executions/wait-for-outcome.ts';
import { action } from '../framework/command.ts';
import { actorHere, choice, flag, integer, optional, text, texts } from '../framework/option.ts';
import { resolveActor } from '../framework/resolve-actor.ts';
import { applySteps, belongingsOptions, linkField, NEW_REVISION, planBelongings } from './actor-attachments.ts';
import { changeActor, nameTaken, ownActors, updateExisting, worded } from './actor-change.ts';
import { notReplaceable, notSettable } from './actor-description.ts';
import { bodyOf, describe, descriptionOptions, flagWords, imageOf, localFolder, outsideOption } from './actor-flags.ts';
import { configsOfVariables, variablesOf } from './actor-variables.ts';
import type { FolderActor } from './deploy-plan.ts';
import { readyLimit, showWarnings, titleOf, waitOptions, waitUntilReady } from './wait-until-ready.ts';

/** Action of `create` if the caller already owns an actor of the same name. */
const ifExistsChoices = ['keep', 'update', 'duplicate'] as const;

const NO_FOLDER: FolderActor = { description: {}, words: {}, alias: undefined, configs: [], grants: async () => [] };

/** What the actorctl.json of an image that is a folder says. */
const readFolder = async (
  context: Pick<CommandContext, 'cwd' | 'output' | 'call'>,
  image: string | undefined,
  allowOutside: boolean,
): Promise<FolderActor> => {
  const folder = image === undefined ? undefined : localFolder(context, image);
  if (image === undefined || folder === undefined) return NO_FOLDER;
  const { folderActor } = await import('./deploy-plan.ts');
  return (await folderActor(context, image, folder, allowOutside)) ?? NO_FOLDER;
};

/** Merges descriptions. A later one overrides the fields of an earlier one. The variables of all are merged. */
const merged = (...all: readonly Description[]): Description => {
  const variables: Description = Object.assign({}, ...all.map(variablesOf));
  return withVariables(Object.assign({}, ...all), variables);
};

export const actorsCreate = action({
  details:
    'The fields of actorctl.json in a folder are used, as with actors deploy. Fails if you already own an actor of this name, unless --if-exists says what to do then.',
  operations: ['actors.create', 'actors.update'],
  args: { image: optional('container image, or a folder: ./wc, file:///home/ana/wc', 'folders') },
  options: {
    name: text('--name <name>', 'name'),
    stateful: flag('--stateful', 'run one execution at a time, with a state; cannot be changed later'),
    dialect: choice(
      '--dialect <dialect>',
      'legacy: for programs written for the hosted platform; cannot be changed later',
      dialects,
    ),
    ...descriptionOptions,
    ...belongingsOptions,
    allowOutside: outsideOption,
    ifExists: choice(
      '--if-exists <how>',
      'what to do if you own an actor of this name: keep it, update it, or create another one',
      ifExistsChoices,
    ),
    ...waitOptions,
  },
  examples: [
    'actorctl actors create abacosamples/wc --name wordcount --wait',
    'actorctl actors create file:///home/ana/wc --name wordcount -e LOG=info',
    'actorctl actors create -f actor.json --if-exists update',
  ],
  run: async (
    context,
    { image },
    { name, stateful, dialect, wait, timeout, form, link, config, allowOutside, ifExists, ...options },
  ) => {
    const { call, output } = context;
    const limit = readyLimit(context, { wait, timeout });
    const folder = await readFolder(context, image, allowOutside);
    const given = {
      ...(await describe(context, { ...options, form })),
      ...(await linkField(context, link)),
      ...(image !== undefined && { image: imageOf(context, image) }),
      ...(name !== undefined && { name }),
      ...(stateful && { stateless: false }),
      ...(dialect !== undefined && { dialect }),
    };
    const described = merged(folder.description, given);
    const alias = options.alias ?? folder.alias;
    const words = { ...folder.words, ...flagWords({ ...options, name, link }) };
    const left = notSettable(described);
    if (left.length > 0) output.warn(`ignored, because it cannot be set: ${left.join(', ')}`);
    const description: Description = Object.fromEntries(
      Object.entries(described).filter(([field]) => !left.includes(field)),
    );
    if (!('image' in description)) {
      throw usage('the image is missing', 'give IMAGE, or -f with a description that has an image');
    }
    const called: unknown = description['name'];
    const own = ifExists === 'duplicate' ? [] : await ownActors(context, called);
    if (own.length > 0 && (ifExists === undefined || own.length > 1)) {
      const one = own.length === 1;
      throw nameTaken(
        own,
        called,
        one
          ? 'update it, or add --if-exists keep|update|duplicate'
          : 'update one of them by its id: actorctl actors update ID',
      );
    }
    const [present] = own;
    const steps = [
      ...(await planBelongings(
        context,
        { alias, config: [...folder.configs, ...config, ...configsOfVariables(given)] },
        present?.id,
      )),
      ...(await folder.grants(present)),
    ];
    // The state in actorctl.json is that of a new actor.
    const { state, ...others } = description;
    const { actor: made, changed } =
      present === undefined
        ? {
            actor: await call('actors.create', bodyOf(description, form)).then(showWarnings(context), worded(words)),
            changed: [],
          }
        : ifExists === 'keep'
          ? { actor: present, changed: [] }
          : await updateExisting(context, present, 'state' in given ? { ...others, state } : others, { form, words });
    await applySteps({ actor: made, created: present === undefined, changed }, steps);
    const what = [...changed, ...steps.map((step) => step.what)];
    const said =
      present === undefined
        ? `Created actor ${[titleOf(made), ...what].join(', ')}`
        : `${ifExists === 'keep' ? 'Kept' : 'Updated'} ${titleOf(made)}: ${what.join(', ') || 'nothing changed'}`;
    const aliases = alias === undefined ? [] : [alias.replace(/^alias:/, '')];
    if (limit === undefined) output.result(said, { ...made, aliases }, made.id);
    else if (output.printsValue || output.quiet) {
      output.result(said, { ...(await waitUntilReady(context, made, limit)), aliases }, made.id);
    } else {
      // The id is printed before the wait, so that the user sees it even if the wait fails.
      output.result(said, made, made.id);
      await waitUntilReady(context, made, limit);
    }
    if (limit === undefined && made.status === 'ERROR') throw actorInError(made);
    output.next(`actorctl run ${made.name || made.id} -m "hello world"`);
    return 0;
  },
});

export const actorsUpdate = action({
  details: 'A new image, or --force, creates a new revision.',
  operations: ['actors.update', 'actors.show'],
  args: { actor: actorHere },
  options: {
    name: text('--name <name>', 'new name'),
    image: text('--image <image>', 'container image, or a folder'),
    ...descriptionOptions,
    ...belongingsOptions,
    ifVersion: integer('--if-version <n>', 'update only if the actor has this version, else exit code 7', { min: 1 }),
    unset: texts('--unset <field>', 'reset this field or env:NAME to the default, repeatable'),
    force: flag('--force', 'pull the image again and create a new revision, even without changes'),
    ...waitOptions,
  },
  examples: [
    'actorctl actors update wordcount --image wc:2 -e LOG=debug --unset env:OLD',
    'actorctl actors update wordcount --force --wait',
  ],
  run: async (
    context,
    { actor: reference },
    { name, image, ifVersion, unset, force, wait, timeout, form, link, ...options },
  ) => {
    const { output } = context;
    const limit = readyLimit(context, { wait, timeout });
    const { alias, config } = options;
    const described = {
      ...(await describe(context, { ...options, form })),
      ...(await linkField(context, link)),
      ...(image !== undefined && { image: imageOf(context, image) }),
      ...(name !== undefined && { name }),
    };
    const left = notReplaceable(described);
    if (left.length > 0) output.warn(`ignored, because an update cannot change it: ${left.join(', ')}`);
    const asked = Object.fromEntries(Object.entries(described).filter(([name]) => !left.includes(name)));
    const besides = alias !== undefined || config.length > 0;
    if (Object.keys(asked).length === 0 && unset.length === 0 && !force && !besides) {
      throw usage('there is nothing to update', 'actorctl actors update --help');
    }
    const actor = await resolveActor(context, reference);
    if (asked['name'] !== undefined && asked['name'] !== actor.name) {
      const others = await ownActors(context, asked['name']);
      if (others.length > 0) throw nameTaken(others, asked['name'], 'choose another name');
    }
    const shared = [...config, ...configsOfVariables(asked)];
    const steps = await planBelongings(context, { alias, config: shared }, actor.id);
    const words = flagWords({ ...options, name, image, link });
    const done = await changeActor(context, actor, { asked, unset, force, form, version: ifVersion, words });
    const { actor: updated } = done;
    const renewed = force ? [NEW_REVISION] : [];
    await applySteps({ actor: updated, created: false, changed: [...done.changed, ...renewed] }, steps);
    const changed = [...done.changed, ...steps.map((step) => step.what)];
    const what = [...changed, ...renewed].join(', ') || 'nothing changed';
    const final = limit === undefined ? updated : await waitUntilReady(context, updated, limit);
    output.result(`Updated ${titleOf(updated)}: ${what}`, { ...final, changed }, updated.id);
    return 0;
  },
});
