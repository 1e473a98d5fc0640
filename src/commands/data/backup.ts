// `backup`: writes all data of the instance to a file.
import path from 'node:path';
import { usage } from '../../failure.ts';
import { action } from '../framework/command.ts';
import { required } from '../framework/option.ts';
import { withKeys } from './snapshot-options.ts';
import { archiveValue, formatContent, writeWithProgress } from './write-archive.ts';

export const backupCommand = action({
  operations: ['data.archive'],
  args: { file: required('file to create, ending in .tar.gz and readable only by you', 'files') },
  options: { withKeys },
  details:
    'Writes a consistent copy of records, messages, logs and states while the daemon continues to work. To use the file: actorctl up --import FILE.',
  examples: ['actorctl backup backup.tar.gz', 'actorctl backup all.tar.gz --with-keys'],
  run: async (context, { file }, { withKeys }) => {
    const { output, cwd } = context;
    if (!/\.(tar\.gz|tgz)$/.test(file)) throw usage(`the file must end in .tar.gz, not "${file}"`);
    const written = await writeWithProgress(context, { file: path.resolve(cwd, file) }, withKeys);
    const { size, manifest } = written;
    output.result(
      `Wrote all data to ${file} (${formatContent(manifest, size)})`,
      archiveValue(written.file, size, manifest),
      written.file,
    );
    output.next(`actorctl up --import ${file}`);
    return 0;
  },
});
