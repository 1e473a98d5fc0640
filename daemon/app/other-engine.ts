// Keeps a start from losing the executions of another engine.
import { type Launch, launchArguments, readLaunch } from '../../src/local/daemon/launch.ts';
import { ConfigError, type DaemonConfig } from '../config.ts';
import type { Store } from '../ports/store.ts';
import { stillRunning } from './left-behind.ts';

const flagsOf = ({ engine = 'docker', registry, advertiseUrl }: Launch): string =>
  launchArguments({
    engine,
    ...(registry !== undefined && { registry }),
    ...(advertiseUrl !== undefined && { advertiseUrl }),
  }).join(' ');

/**
 * Refuses a start without `--engine` if containers may run on another engine than the default: this daemon would not find
 * them there, and would end their executions as lost. @throws ConfigError
 */
export const refuseOtherEngine = async (
  config: Pick<DaemonConfig, 'engine' | 'isEngineNamed' | 'haltOnly' | 'dataDir'> & {
    readonly paths: Pick<DaemonConfig['paths'], 'launchFile'>;
  },
  store: Store,
): Promise<void> => {
  const { engine, isEngineNamed, haltOnly, dataDir, paths } = config;
  if (isEngineNamed || haltOnly) return;
  const last = await readLaunch(paths.launchFile);
  if (last === undefined || last.dataDir !== dataDir || (last.engine ?? 'docker') === engine) return;
  const count = stillRunning(store).filter(({ runs_in }) => runs_in === 'container').length;
  if (count === 0) return;
  const what = count === 1 ? '1 execution runs' : `${count} executions run`;
  throw new ConfigError(
    `${what} on the engine "${last.engine}" of the last daemon. Start with "actorctl up ${flagsOf(last)}" to take them up; with --engine ${engine} they would end in ERROR`,
  );
};
