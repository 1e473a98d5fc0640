// `prune`: deletes old executions and events of the local instance, and unused images.
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import { requireTarget } from '../../local/settings/require-target.ts';
import { formatBytes } from '../../ui/format/table.ts';
import { parseDuration } from '../../ui/format/time.ts';
import { plural } from '../../ui/text.ts';
import { action } from '../framework/command.ts';
import { dryRun, tellDryRun } from '../framework/dry-run.ts';
import { parsed } from '../framework/option.ts';

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

const jsonOf = (found: Prunable) => ({
  before: new Date(found.before.service).toISOString(),
  executions: found.executions,
  events: found.events,
  deliveries: found.deliveries,
  images: found.images.map(({ id, name, builtAs, bytes }) => ({ id, name, built_as: builtAs, bytes })),
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
    'Deletes ended executions (with their logs and results), events, and unused images built by actorctl, if they are older than the age. Prints first how much space this frees, and asks for confirmation.',
  examples: ['actorctl prune --dry-run', 'actorctl prune --older-than 1h --yes'],
  run: async ({ output, prompt, manage, settings }, _args, { olderThan = WEEK, dryRun }) => {
    requireTarget(settings);
    const { instance } = settings;
    const found = await manage('data.prunable', { olderThanMs: olderThan });
    if (found.withoutImages !== undefined) output.warn(`images are left out: ${found.withoutImages}`);
    const changes = [...recordsIn(found).map((what) => `delete ${what}`), ...found.images.map(formatImage)];
    if (dryRun) return tellDryRun({ output }, changes, { instance, ...jsonOf(found) });
    if (changes.length === 0) {
      output.result('Nothing to prune', { instance, ...jsonOf(found) });
      return 0;
    }
    for (const change of changes) output.note(`would ${change}`);
    await prompt.confirm(`Delete this from instance ${instance}? It frees ${formatBytes(bytesIn(found))}.`);
    const progress = await output.progress('Pruning');
    try {
      const removed = { before: found.before, images: found.images.map(({ id }) => id) };
      const { images, withoutImages } = await manage('data.prune', removed);
      const problem = withoutImages ?? found.withoutImages;
      const freed = { ...found, images, ...(problem !== undefined && { withoutImages: problem }) };
      progress.stop();
      if (withoutImages !== undefined) output.warn(`images are left out: ${withoutImages}`);
      else if (images.length < found.images.length)
        output.note(
          `${plural(found.images.length - images.length, 'image')} came into use meanwhile and were not removed`,
        );
      const what = [...recordsIn(freed), ...(images.length === 0 ? [] : [plural(images.length, 'image')])];
      output.result(
        `Freed ${formatBytes(bytesIn(freed))}: ${what.join(', ') || 'nothing'}`,
        { instance, ...jsonOf(freed) },
        instance,
      );
      return 0;
    } finally {
      progress.stop();
    }
  },
});
