// What executions of an actor lack on its container engine, as sentences for people.
import type { EngineMeans } from '../../ports/executor.ts';
import type { ActorRecord } from '../records/actor-records.ts';

type Limits = Pick<ActorRecord, 'memLimit' | 'maxCpus' | 'dialect' | 'configEnvironment'>;

/** Also the first line in the log of such an execution. */
export const NO_API =
  'executions on this container engine cannot reach the API, so they cannot write a state, send a result or send a message';

const PROCESSORS = 'the limit of processors has no effect on this container engine';

const limitsProcessors = ({ maxCpus }: Limits, means: EngineMeans): boolean =>
  means.limitsProcessors || maxCpus === undefined || maxCpus <= 0;

/** Names no config, because who may update the actor need not know which configs are secret. */
const inFiles = ({ configEnvironment = {} }: Limits, { secretsAreFiles }: EngineMeans): string | undefined => {
  const [name] = Object.keys(configEnvironment);
  if (!secretsAreFiles || name === undefined) return undefined;
  return `on this container engine the value of a secret config is in a file: if the config of ${name} is secret, read the file that ${name}_FILE names`;
};

/** Warnings for the author of an actor: limits that were asked for and have no effect, and what is out of reach. */
export const actorWarnings = (actor: Limits, means: EngineMeans | undefined): readonly string[] => {
  if (means === undefined) return [];
  const warnings: readonly (readonly [boolean, string])[] = [
    [!means.limitsResources && actor.memLimit !== undefined, 'the memory limit has no effect on this container engine'],
    [!limitsProcessors(actor, means), PROCESSORS],
    [!means.reachesApi, NO_API],
    [
      means.reachesApi && !means.hasResultSocket && actor.dialect === 'legacy',
      'executions on this container engine have no result socket: programs must send results over HTTP',
    ],
  ];
  const files = inFiles(actor, means);
  return [...warnings.flatMap(([isSo, text]) => (isSo ? [text] : [])), ...(files === undefined ? [] : [files])];
};

/** Engines can send any number of warnings of any length. */
const MOST_WARNINGS = 10;
const MOST_CHARACTERS = 500;

/**
 * Warnings in the record of an execution.
 * @param ofEngine what the engine reported when it created the run
 */
export const executionWarnings = (
  actor: Limits,
  means: EngineMeans | undefined,
  ofEngine: readonly string[],
): readonly string[] => {
  const own: readonly (readonly [boolean, string])[] =
    means === undefined
      ? []
      : [
          [!means.limitsResources, 'memory and processes are not limited on this container engine'],
          [!limitsProcessors(actor, means), PROCESSORS],
          [!means.reachesApi, NO_API],
        ];
  const all = [...own.flatMap(([isSo, text]) => (isSo ? [text] : [])), ...ofEngine];
  return [...new Set(all)].slice(0, MOST_WARNINGS).map((text) => text.slice(0, MOST_CHARACTERS));
};
