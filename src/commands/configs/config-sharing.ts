// Changes the value or the actor list of a config, without overwriting concurrent changes.
import type { CommandContext } from '../../context.ts';
import { bodyOf, type ConfigDescription, type ReadConfig, readConfig, withValue } from './config-value.ts';
import { actorsOf, type Config } from './configs-view.ts';

/**
 * Updates a part of a config. The rest stays unchanged.
 * @param revision the revision that the config must have; by default the revision that was read
 * @throws CliFailure STALE_VERSION if the config has another revision
 */
export const putBack = async (
  { call }: Pick<CommandContext, 'call'>,
  { config, valueText }: ReadConfig,
  change: Partial<Omit<ConfigDescription, 'name'>>,
  revision: number = config.revision,
): Promise<Config> => {
  const { name, actors, is_secret: secret } = config;
  const { bytes, headers } = bodyOf({ name, valueText, actors, secret, ...change });
  const updated = await call('configs.update', {
    params: { configName: name },
    bytes,
    headers: { ...headers, 'if-match': `"${revision}"` },
  });
  return withValue(updated, change.valueText ?? valueText);
};

/** Adds ids or aliases to the actor list of a config. Actors already in the list are skipped. */
export const shareWith = async (
  context: Pick<CommandContext, 'call' | 'request' | 'output'>,
  name: string,
  actors: readonly string[],
): Promise<{ readonly config: Config; readonly added: readonly string[] }> => {
  const found = await readConfig(context, name);
  const present = actorsOf(found.config);
  const added = actors.filter((actor) => !present.includes(actor));
  if (added.length === 0) return { config: found.config, added };
  return { config: await putBack(context, found, { actors: [...present, ...added].join(',') }), added };
};

export const unshareFrom = async (
  context: Pick<CommandContext, 'call'>,
  found: ReadConfig,
  actors: readonly string[],
): Promise<Config> => {
  const left = actorsOf(found.config).filter((actor) => !actors.includes(actor));
  return putBack(context, found, { actors: left.join(',') });
};
