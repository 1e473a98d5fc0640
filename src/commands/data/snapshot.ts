// `snapshot`: create, list, show, restore and delete snapshots of all data of the local instance.

import { unlink } from 'node:fs/promises';
import { inOrder, systemCode } from '../../failure.ts';
import { recordsIn } from '../../local/archive/archive-manifest.ts';
import { checkArchive } from '../../local/archive/archive-reader.ts';
import { archiveFailure, listSnapshots, type Snapshot, snapshotFile } from '../../local/archive/snapshots.ts';
import { requireTarget } from '../../local/settings/require-target.ts';
import type { View } from '../../ui/format/view.ts';
import { plural } from '../../ui/text.ts';
import { command, type LeafEntry } from '../framework/command.ts';
import { dryRun, tellDryRun } from '../framework/dry-run.ts';
import { required, several } from '../framework/option.ts';
import { dataFolder } from './data-folder.ts';
import { existingSnapshot } from './existing-snapshot.ts';
import { withKeys } from './snapshot-options.ts';
import { archiveValue, formatContent, writeWithProgress } from './write-archive.ts';

const rowOf = ({ name, file, size, manifest, problem }: Snapshot) => ({
  name,
  file,
  size,
  created_at: manifest?.created_at ?? null,
  records: manifest ? recordsIn(manifest) : null,
  keys: manifest?.keys ?? null,
  instance: manifest?.instance ?? null,
  version: manifest?.product ?? null,
  problem: problem ?? null,
});
type Row = ReturnType<typeof rowOf>;

const view: View<Row> = {
  id: ({ name }) => name,
  fields: ['name', 'file', 'size', 'created_at', 'records', 'keys', 'instance', 'version', 'problem'],
  columns: [
    { header: 'NAME', value: ({ name }) => name, role: 'name' },
    { header: 'CREATED', value: ({ created_at }) => created_at, kind: 'time' },
    { header: 'RECORDS', value: ({ records }) => records, kind: 'number' },
    { header: 'SIZE', value: ({ size }) => size, kind: 'bytes' },
    { header: 'KEYS', value: ({ keys }) => (keys === null ? null : keys ? 'yes' : 'no') },
    { header: 'INSTANCE', value: ({ instance }) => instance, wide: true },
    { header: 'VERSION', value: ({ version }) => version, wide: true },
    { header: 'PROBLEM', value: ({ problem }) => problem },
  ],
};

const create = command({
  name: 'create',
  summary: 'Save all data of the instance under a name',
  args: { name: required('name of the new snapshot') },
  options: { withKeys },
  details:
    'Saves a consistent copy of records, messages, logs and states while the daemon continues to work. The snapshot is a file in the data folder.',
  examples: ['actorctl snapshot create before-upgrade'],
  run: async (context, { name }, { withKeys }) => {
    // Refuses an invalid name before a request is sent to the daemon.
    snapshotFile('', name);
    const { file, size, manifest } = await writeWithProgress(context, { snapshot: name }, withKeys);
    context.output.result(
      `Created snapshot ${name} (${formatContent(manifest, size)})`,
      { name, ...archiveValue(file, size, manifest) },
      name,
    );
    context.output.next(`actorctl snapshot restore ${name}`);
    return 0;
  },
});

const list = command({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the snapshots of the instance',
  list: true,
  run: async (context) => {
    const found = await listSnapshots(await dataFolder(context));
    context.output.rows(found.map(rowOf), view);
    return 0;
  },
});

const show = command({
  name: 'show',
  aliases: ['get'],
  summary: 'Show a snapshot and verify its whole file',
  args: { name: required('name of the snapshot', 'snapshot') },
  details: 'Reads the whole file and compares every digest. A damaged snapshot is refused.',
  run: async (context, { name }) => {
    const { output, signal } = context;
    const file = await existingSnapshot(context, name);
    const progress = await output.progress(`Checking ${name}`);
    try {
      const manifest = await checkArchive(file, { onProgress: progress.advance, signal });
      const { size = 0 } = (await listSnapshots(await dataFolder(context))).find((each) => each.name === name) ?? {};
      const records = Object.entries(manifest.records);
      const value = { name, ...archiveValue(file, size, manifest) };
      output.item(value, {
        id: () => name,
        columns: [
          { header: 'NAME', value: () => name },
          { header: 'CREATED', value: () => manifest.created_at, kind: 'time' },
          { header: 'FILE', value: () => file, whole: true },
          { header: 'SIZE', value: () => size, kind: 'bytes' },
          { header: 'KEYS', value: () => (manifest.keys ? 'yes' : 'no') },
          { header: 'INSTANCE', value: () => manifest.instance },
          { header: 'VERSION', value: () => `${manifest.product} (schema ${manifest.schema})` },
          { header: 'RUNNING', value: () => manifest.running, kind: 'number' },
          ...records.map(([collection, count]) => ({
            header: collection.toUpperCase(),
            value: () => count,
            kind: 'number' as const,
            section: 'Records',
          })),
        ],
      });
      return 0;
    } catch (error) {
      throw archiveFailure(file, error);
    } finally {
      progress.stop();
    }
  },
});

const remove = command({
  name: 'delete',
  aliases: ['rm'],
  summary: 'Delete snapshots',
  args: { names: several('names of the snapshots', 'snapshot') },
  options: { dryRun },
  run: async (context, { names }, { dryRun }) => {
    requireTarget(context.settings);
    const { output, prompt } = context;
    const chosen = [...new Set(names)];
    const found: { readonly name: string; readonly file: string }[] = [];
    for (const name of chosen) found.push({ name, file: await existingSnapshot(context, name) });
    if (dryRun) {
      return tellDryRun(
        context,
        chosen.map((name) => `delete snapshot ${name}`),
        { deleted: chosen },
      );
    }
    await prompt.confirm(`Delete ${plural(chosen.length, 'snapshot')}: ${chosen.join(', ')}?`);
    await inOrder(
      found,
      async ({ name, file }) => {
        await unlink(file).catch((error: unknown) => {
          if (systemCode(error) !== 'ENOENT') throw archiveFailure(file, error);
        });
        return name;
      },
      (deleted) => [`deleted ${plural(deleted.length, 'snapshot')}: ${deleted.join(', ')}`, { deleted }],
    );
    output.result(`Deleted ${plural(chosen.length, 'snapshot')}`, { deleted: chosen }, chosen.join('\n'));
    return 0;
  },
});

export const snapshotCommands: readonly LeafEntry[] = [
  create,
  list,
  show,
  {
    name: 'restore',
    aliases: [],
    summary: 'Replace all data with those of a snapshot or archive',
    load: async () => (await import('./snapshot-restore.ts')).restoreCommand,
  },
  remove,
];
