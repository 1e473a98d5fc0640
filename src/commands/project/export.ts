// `export`: writes a project file from existing actors, aliases and configs.
import path from 'node:path';
import type { CommandContext } from '../../context.ts';
import { CliFailure, usage } from '../../failure.ts';
import type { Json } from '../../ui/format/json.ts';
import { OwnNames } from '../../ui/format/names.ts';
import { writeYaml } from '../../ui/format/yaml.ts';
import { readConfigs } from '../configs/config-value.ts';
import { action } from '../framework/command.ts';
import { flag, text } from '../framework/option.ts';
import type { Actor } from '../framework/views.ts';
import { recordsIn, textOf } from './observe.ts';
import { holdsOf } from './permission-check.ts';
import { exported } from './plan/exported.ts';
import { projectOfRecord } from './plan/record.ts';
import { findProjectFile, projectNameIn, projectNameOf } from './project-file.ts';

const projectNamed = async (
  context: CommandContext,
  {
    project,
    file,
    all,
  }: { readonly project?: string | undefined; readonly file?: string | undefined; readonly all: boolean },
): Promise<string> => {
  if (project !== undefined && file !== undefined) throw usage('-f names the project too: give it or --project');
  if (project !== undefined) return project;
  try {
    return await projectNameIn(context, findProjectFile(context, file));
  } catch (error) {
    if (file === undefined && all && error instanceof CliFailure && error.code === 'USAGE')
      return await projectNameOf(path.basename(context.cwd), context.cwd);
    throw error;
  }
};

/** The actors that a file can name: those with a unique name. Warns about the others. */
const nameable = ({ output }: Pick<CommandContext, 'output'>, actors: readonly Actor[]): readonly Actor[] => {
  const counts = new Map<string, number>();
  for (const { name } of actors) counts.set(name, (counts.get(name) ?? 0) + 1);
  const isOwn = ({ name }: Actor): boolean => name !== '' && counts.get(name) === 1;
  for (const actor of actors.filter((each) => !isOwn(each)))
    output.warn(
      `actor ${actor.id} is left out: ${actor.name === '' ? 'it has no name' : `other actors are also named "${actor.name}"`}. To name it: actorctl actors update ${actor.id} --name NAME`,
    );
  return actors.filter(isOwn);
};

export const exportCommand = action({
  details:
    'Writes everything that belongs to the project. With --all, writes everything that you own and that belongs to no other project. Applying the file changes nothing. A secret is written as "keep", so that apply keeps its value.',
  operations: ['actors.list', 'aliases.list', 'configs.list', 'permissions.list'],
  options: {
    file: text(
      '-f, --file <path>',
      'file that names the project, or a folder with one (default: this folder)',
      'files',
    ),
    project: text('--project <name>', 'name of the project, in place of a file'),
    all: flag('--all', 'export everything that you own'),
    withState: flag('--with-state', 'include the current states, as initial states for copies'),
  },
  examples: ['actorctl export -f examples/weather', 'actorctl export --all --project mine > mine.yaml'],
  run: async (context, _args, { withState, ...chosen }) => {
    const { call, output } = context;
    const { all } = chosen;
    const project = await projectNamed(context, chosen);
    const { username: user } = await call('profiles.me');
    const [configs, actors, aliases] = [
      await readConfigs(context),
      await call('actors.list'),
      await call('aliases.list'),
    ];
    const records = recordsIn(configs);
    const own = records.get(project);
    if (own === undefined && !all)
      throw new CliFailure('NOT_FOUND', `there is no project "${project}"`, {
        hint: 'apply one first, or export everything that you own: actorctl export --all',
        details: { project },
      });
    const others = [...records].filter(([name]) => name !== project).map(([, record]) => record);
    const ids = new Set(Object.values(own?.actors ?? {}).map(({ id }) => id));
    const foreign = {
      ids: new Set(others.flatMap((each) => Object.values(each.actors).map(({ id }) => id))),
      aliases: new Set(others.flatMap((each) => Object.keys(each.aliases))),
      configs: new Set(others.flatMap((each) => Object.keys(each.configs))),
    };
    const hold = holdsOf(context, user);
    const chosenActors = nameable(
      context,
      actors.filter(({ id, owner }) => ids.has(id) || (all && owner === user && !foreign.ids.has(id))),
    );
    const chosenAliases = aliases.filter(
      ({ alias, owner }) =>
        Object.hasOwn(own?.aliases ?? {}, alias) || (all && owner === user && !foreign.aliases.has(alias)),
    );
    const chosenConfigs = configs.filter(
      ({ name, owner }) =>
        Object.hasOwn(own?.configs ?? {}, name) ||
        (all && owner === user && !foreign.configs.has(name) && projectOfRecord(name) === undefined),
    );
    const document = exported({
      project,
      withState,
      actors: await each(chosenActors, async (actor) => ({
        actor,
        ...(await hold({ kind: 'actor', name: actor.id, owner: actor.owner }, true)),
      })),
      aliases: await each(chosenAliases, async (alias) => ({
        alias,
        ...(await hold({ kind: 'alias', name: alias.alias, owner: alias.owner }, true)),
      })),
      configs: await each(chosenConfigs, async (config) => ({
        config,
        valueText: textOf(config),
        ...(await hold({ kind: 'config', name: config.name, owner: config.owner }, true)),
      })),
    });
    if (output.printsValue) output.report('', new OwnNames(document));
    else await output.bytes(Buffer.from(`${writeYaml(document as Json)}\n`));
    return 0;
  },
});

/** One after another, so that a large export does not crowd the service. */
const each = async <T, R>(items: readonly T[], make: (item: T) => Promise<R>): Promise<readonly R[]> => {
  const made: R[] = [];
  for (const item of items) made.push(await make(item));
  return made;
};
