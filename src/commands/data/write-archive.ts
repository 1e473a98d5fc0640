// Writes all data of the instance into a file, with a progress bar.
import type { CommandContext } from '../../context.ts';
import { CliFailure } from '../../failure.ts';
import type { ArchiveManifest } from '../../local/archive/archive-manifest.ts';
import { recordsIn } from '../../local/archive/archive-manifest.ts';
import { formatBytes } from '../../ui/format/table.ts';
import { plural } from '../../ui/text.ts';

interface WrittenArchive {
  readonly file: string;
  /** Bytes. */
  readonly size: number;
  readonly manifest: ArchiveManifest;
}

/** Where an archive is written: a snapshot of the instance, or a new file at an absolute path. */
type ArchiveTarget = { readonly snapshot: string } | { readonly file: string };

export const writeWithProgress = async (
  { output, manage }: CommandContext,
  target: ArchiveTarget,
  keys: boolean,
): Promise<WrittenArchive> => {
  const progress = await output.progress('Writing all data');
  try {
    const onText = (text: string): void => progress.advance(Number(text));
    const { manifest, ...written } = await manage('data.archive', { ...target, keys }, { onText });
    // The daemon has just written it with the schema of this program.
    return { ...written, manifest: manifest as ArchiveManifest };
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code !== 'ALREADY_EXISTS') throw error;
    const what = 'snapshot' in target ? `there is a snapshot named "${target.snapshot}" already` : error.message;
    throw new CliFailure(error.code, what, { hint: 'use another name, or delete that snapshot first', cause: error });
  } finally {
    progress.stop();
  }
};

export const formatContent = (manifest: ArchiveManifest, size: number): string => {
  const secrets = manifest.keys ? 'with the key of secret configs' : 'without the key of secret configs';
  return `${plural(recordsIn(manifest), 'record')}, ${plural(manifest.files, 'file')}, ${formatBytes(size)}, ${secrets}`;
};

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
