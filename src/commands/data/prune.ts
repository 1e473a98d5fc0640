// `prune`: deletes old executions and events of the local instance, and unused images.
import type { CommandContext } from '../../context.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import { CliFailure } from '../../failure.ts';
import { type LeftHome, leftHomes } from '../../local/daemon/starter.ts';
import { requireTarget } from '../../local/settings/require-target.ts';
import { formatBytes } from '../../ui/format/table.ts';
import { parseDuration } from '../../ui/format/time.ts';
import { plural } from '../../ui/text.ts';
import { action } from '../framework/command.ts';
import { dryRun, tellDryRun } from '../framework/dry-run.ts';
import { parsed } from '../framework/option.ts';
import { endLeftHome } from '../temporary/temporary-home.ts';

/** Default of `--older-than`, in milliseconds. */
const WEEK = 7 * 24 * 60 * 60 * 1000;

type Prunable = ResultOf<Operations['data.prunable']>;
type Image = Prunable['images'][number];

const formatImage = ({ id, name, builtAs, bytes }: Image): string => {
  const which = name === null ? `${id.slice(0, 'sha256:'.length + 12)}, an earlier ${builtAs}` : name;
  return `remove image ${which} (${formatBytes(bytes)})`;
};

/** Describes the deleted records of each kind: `3 events (1.2 kB)`. */
const recordsIn = ({ executions, events, deliveries }: Prunable): readonly string[] =>
  [
    { ...executions, what: plural(executions.count, 'execution') },
    { ...events, what: plural(events.count, 'event') },
    { ...deliveries, what: plural(deliveries.count, 'delivery', 'deliveries') },
  ]
    .filter(({ count }) => count > 0)
    .map(({ what, bytes }) => `${what} (${formatBytes(bytes)})`);

const bytesIn = ({ executions, events, deliveries, images }: Prunable): number =>
  [executions, events, deliveries, ...images].reduce((sum, { bytes }) => sum + bytes, 0);

/** Without a daemon only temporary instances can be pruned. */
const NOTHING: Prunable = {
  before: { service: 0, machine: 0 },
  executions: { count: 0, bytes: 0 },
  events: { count: 0, bytes: 0 },
  deliveries: { count: 0, bytes: 0 },
  images: [],
};

/** What can be pruned. @param homes temporary instances that are left over; with them, the daemon need not run */
const prunableIn = async (
  { manage, output }: Pick<CommandContext, 'manage' | 'output'>,
  olderThanMs: number,
  homes: readonly LeftHome[],
): Promise<Prunable> => {
  try {
    return await manage('data.prunable', { olderThanMs });
  } catch (error) {
    if (homes.length === 0 || !(error instanceof CliFailure) || error.code !== 'DAEMON_NOT_RUNNING') throw error;
    output.note('records and images are left out: the daemon is not running');
    return NOTHING;
  }
};

/** Removes temporary instances that are left over. Returns the names of those that could be removed. */
const removeHomes = async (context: CommandContext, homes: readonly LeftHome[]): Promise<readonly string[]> => {
  const removed: string[] = [];
  for (const home of homes) {
    try {
      await endLeftHome(context, home);
      removed.push(home.name);
    } catch (error) {
      if (!(error instanceof CliFailure) || error.code === 'CANCELLED') throw error;
      context.output.warn(`the temporary instance ${home.name} is left: ${error.message}`);
    }
  }
  return removed;
};

const jsonOf = (found: Prunable, homes: readonly string[]) => ({
  before: new Date(found.before.service).toISOString(),
  executions: found.executions,
  events: found.events,
  deliveries: found.deliveries,
  images: found.images.map(({ id, name, builtAs, bytes }) => ({ id, name, built_as: builtAs, bytes })),
  temporary_instances: homes,
  bytes: bytesIn(found),
  problem: found.withoutImages ?? null,
});

export const pruneCommand = action({
  operations: ['data.prunable', 'data.prune'],
  options: {
    olderThan: parsed('--older-than <age>', 'delete only records older than this (default 7d)', (value, name) =>
      parseDuration(value, `an age for ${name}`),
    ),
    dryRun,
  },
  details:
    'Deletes ended executions (with their logs and results), events, and unused images built by actorctl, if they are older than the age, and temporary instances that are left over from killed commands. Prints first how much space this frees, and asks for confirmation.',
  examples: ['actorctl prune --dry-run', 'actorctl prune --older-than 1h --yes'],
  run: async (context, _args, { olderThan = WEEK, dryRun }) => {
    const { output, prompt, manage, settings } = context;
    requireTarget(settings);
    const { instance } = settings;
    const homes = leftHomes(context.paths);
    const found = await prunableIn(context, olderThan, homes);
    if (found.withoutImages !== undefined) output.warn(`images are left out: ${found.withoutImages}`);
    const changes = [
      ...recordsIn(found).map((what) => `delete ${what}`),
      ...found.images.map(formatImage),
      ...homes.map(({ name }) => `remove the temporary instance ${name}`),
    ];
    const names = homes.map(({ name }) => name);
    if (dryRun) return tellDryRun({ output }, changes, { instance, ...jsonOf(found, names) });
    if (changes.length === 0) {
      output.result('Nothing to prune', { instance, ...jsonOf(found, []) });
      return 0;
    }
    for (const change of changes) output.note(`would ${change}`);
    await prompt.confirm(`Delete this from instance ${instance}? It frees ${formatBytes(bytesIn(found))}.`);
    const progress = await output.progress('Pruning');
    try {
      const removedHomes = await removeHomes(context, homes);
      const removed = { before: found.before, images: found.images.map(({ id }) => id) };
      const { images, withoutImages } = found === NOTHING ? found : await manage('data.prune', removed);
      const problem = withoutImages ?? found.withoutImages;
      const freed = { ...found, images: [...images], ...(problem !== undefined && { withoutImages: problem }) };
      progress.stop();
      if (withoutImages !== undefined) output.warn(`images are left out: ${withoutImages}`);
      else if (images.length < found.images.length)
        output.note(
          `${plural(found.images.length - images.length, 'image')} came into use meanwhile and were not removed`,
        );
      const what = [
        ...recordsIn(freed),
        ...(images.length === 0 ? [] : [plural(images.length, 'image')]),
        ...(removedHomes.length === 0 ? [] : [plural(removedHomes.length, 'temporary instance')]),
      ];
      output.result(
        `Freed ${formatBytes(bytesIn(freed))}: ${what.join(', ') || 'nothing'}`,
        { instance, ...jsonOf(freed, removedHomes) },
        instance,
      );
      return removedHomes.length === homes.length ? 0 : 1;
    } finally {
      progress.stop();
    }
  },
});
