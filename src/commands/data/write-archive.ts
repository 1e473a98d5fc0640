// Writes all data of the instance into a file, with a progress bar.
import type { CommandContext } from '../../context.ts';
import { CliFailure } from '../../failure.ts';
import type { ArchiveManifest } from '../../local/archive/archive-manifest.ts';
import { recordsIn } from '../../local/archive/archive-manifest.ts';
import { type ArchiveTarget, type WrittenArchive, writeArchive } from '../../local/daemon/archive-client.ts';
import { formatBytes } from '../../ui/format/table.ts';
import { plural } from '../../ui/text.ts';

/** Writes an archive and shows how far it is. Throws as `writeArchive` does. */
export const writeWithProgress = async (
  { output, paths, signal }: CommandContext,
  target: ArchiveTarget,
  keys: boolean,
): Promise<WrittenArchive> => {
  const progress = await output.progress('Writing all data');
  try {
    return await writeArchive(paths.socket, { ...target, keys }, progress.advance, signal);
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code !== 'ALREADY_EXISTS') throw error;
    const what = 'snapshot' in target ? `there is a snapshot named "${target.snapshot}" already` : error.message;
    throw new CliFailure(error.code, what, { hint: 'take another name, or delete it first', cause: error });
  } finally {
    progress.stop();
  }
};

/** What an archive holds, in a few words. */
export const formatContent = (manifest: ArchiveManifest, size: number): string => {
  const secrets = manifest.keys ? 'with the key of secret configs' : 'without the key of secret configs';
  return `${plural(recordsIn(manifest), 'record')}, ${plural(manifest.files, 'file')}, ${formatBytes(size)}, ${secrets}`;
};

/** The JSON of an archive. */
export const archiveValue = (file: string, size: number, manifest: ArchiveManifest) => ({
  file,
  size,
  created_at: manifest.created_at,
  instance: manifest.instance,
  version: manifest.product,
  schema_version: manifest.schema,
  keys: manifest.keys,
  running: manifest.running,
  records: manifest.records,
  record_count: recordsIn(manifest),
  file_count: manifest.files,
  unpacked_size: manifest.bytes,
});
