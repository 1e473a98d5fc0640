// Finds the actors outside the project that the file names.
import type { CommandContext } from '../../context.ts';
import { CliFailure } from '../../failure.ts';
import { sharedNames } from '../configs/config-actors.ts';
import { resolveActor } from '../framework/resolve-actor.ts';
import type { DesiredState, Target } from './plan/desired-state.ts';

/** Ids and aliases for the actors outside the project that the file names. @throws CliFailure NOT_FOUND with the place */
export const settleTargets = async (
  context: Pick<CommandContext, 'call' | 'prompt' | 'request' | 'output'>,
  wanted: DesiredState,
): Promise<DesiredState> => {
  const settled = async <T extends Target | 'none' | undefined>(target: T, at: string, asId = false): Promise<T> => {
    if (target === undefined || target === 'none' || target.kind !== 'outside') return target;
    try {
      const [name = target.name] = asId
        ? [(await resolveActor(context, target.name)).id]
        : await sharedNames(context, [target.name]);
      return { kind: 'outside', name } as T;
    } catch (error) {
      if (!(error instanceof CliFailure)) throw error;
      throw new CliFailure(error.code, `${at}: ${error.message}`, { ...error.extras, cause: error });
    }
  };
  const actors: DesiredState['actors'][number][] = [];
  for (const { link, ...actor } of wanted.actors)
    actors.push(link === undefined ? actor : { ...actor, link: await settled(link, actor.at) });
  const aliases: DesiredState['aliases'][number][] = [];
  for (const alias of wanted.aliases) aliases.push({ ...alias, target: await settled(alias.target, alias.at, true) });
  const configs: DesiredState['configs'][number][] = [];
  for (const config of wanted.configs) {
    const targets: Target[] = [];
    for (const target of config.actors) targets.push(await settled(target, config.at));
    configs.push({ ...config, actors: targets });
  }
  return { ...wanted, actors, aliases, configs };
};
