// `snapshot restore`: replaces all data of the local instance with the data of a snapshot or an archive.
import path from 'node:path';
import type { CommandContext } from '../../context.ts';
import { CliFailure } from '../../failure.ts';
import { describeArchive, isSnapshotName } from '../../local/archive/snapshots.ts';
import { requireTarget } from '../../local/settings/require-target.ts';
import { plural } from '../../ui/text.ts';
import { checkFirst } from '../daemon/import-flags.ts';
import { action } from '../framework/command.ts';
import { flag, required } from '../framework/option.ts';
import { existingSnapshot } from './existing-snapshot.ts';
import { formatReplaced, haltExecutions, lookAround, replaceData } from './replace-data.ts';

const isPath = (word: string): boolean => !isSnapshotName(word);

/** Asks for confirmation to replace the data. Returns true if confirmed. */
const mayReplace = async (
  { prompt, settings: { instance } }: CommandContext,
  isUsed: boolean,
  replace: boolean,
): Promise<boolean> => {
  if (!isUsed || replace) return replace;
  const refused = new CliFailure('ALREADY_EXISTS', `instance ${instance} is not empty`, {
    hint: 'add --replace: a snapshot of its data is taken first',
  });
  await prompt.confirm(`Replace all data of instance ${instance}? A snapshot of them is taken first.`, refused);
  return true;
};

export const restoreCommand = action({
  args: { name: required('name of the snapshot, or a file written by actorctl backup', 'snapshot') },
  options: { replace: flag('--replace', 'replace existing data, after taking a snapshot of them'), haltExecutions },
  details:
    'The whole file is checked first. The daemon restarts with the restored data. Running executions are halted only after a confirmation or with --halt-executions.\nA login made before the snapshot stays valid until its tokens expire; a later login stops working.',
  examples: ['actorctl snapshot restore before-upgrade --replace', 'actorctl snapshot restore ./backup.tar.gz'],
  run: async (context, { name }, { replace, haltExecutions }) => {
    requireTarget(context.settings);
    const { output, cwd } = context;
    const file = isPath(name) ? path.resolve(cwd, name) : await existingSnapshot(context, name);
    const manifest = await describeArchive(file);
    const present = await lookAround(context);
    await checkFirst(context, file, present.status?.schemaVersion);
    const replaces = await mayReplace(context, present.status?.bootstrapped ?? false, replace);
    const change = { importFile: file, ...(replaces && { replace: true }) };
    const done = await replaceData(context, present, change, haltExecutions);
    const { started, user } = done;
    const { replaced } = started.ready ?? {};
    const records = replaced?.records ?? 0;
    output.result(
      `Restored ${name} of ${manifest.created_at} (${plural(records, 'record')})${formatReplaced(done)}`,
      {
        restored: name,
        file,
        created_at: manifest.created_at,
        records,
        snapshot: replaced?.snapshot ?? null,
        damaged: replaced?.kept ?? null,
        pid: started.status.pid,
        base_url: started.status.baseUrl,
        logged_in: user !== undefined,
      },
      name,
    );
    if (!manifest.keys && (manifest.records['configs'] ?? 0) > 0)
      output.note('the archive has no key: secret configs of another instance cannot be decrypted');
    if (user === undefined) output.next('actorctl login');
    return 0;
  },
});
